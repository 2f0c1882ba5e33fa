import type { ServiceDefinition } from '@grpc/grpc-js';
import { AccountsServiceService } from '../../gen/ts/dfi/accounts/v1/accounts.js';
import { BlockchainServiceService } from '../../gen/ts/dfi/blockchain/v1/blockchain.js';
import { DevServiceService } from '../../gen/ts/dfi/dev/v1/dev.js';
import { EventsServiceService } from '../../gen/ts/dfi/events/v1/events.js';
import { EvmServiceService } from '../../gen/ts/dfi/evm/v1/evm.js';
import { MiningServiceService } from '../../gen/ts/dfi/mining/v1/mining.js';
import { AnchorsServiceService } from '../../gen/ts/dfi/node/v1/anchors.js';
import { BitcoinServiceService } from '../../gen/ts/dfi/node/v1/bitcoin.js';
import { IcxServiceService } from '../../gen/ts/dfi/node/v1/icx.js';
import { LoansServiceService } from '../../gen/ts/dfi/node/v1/loans.js';
import { NodeServiceService } from '../../gen/ts/dfi/node/v1/node.js';
import { PoolsServiceService } from '../../gen/ts/dfi/node/v1/pools.js';
import { ProposalsServiceService } from '../../gen/ts/dfi/node/v1/proposals.js';
import { SnapshotServiceService } from '../../gen/ts/dfi/node/v1/snapshot.js';
import { VaultsServiceService } from '../../gen/ts/dfi/node/v1/vaults.js';
import { OraclesServiceService } from '../../gen/ts/dfi/oracles/v1/oracles.js';
import { RawtransactionsServiceService } from '../../gen/ts/dfi/rawtransactions/v1/rawtransactions.js';
import { WalletServiceService } from '../../gen/ts/dfi/wallet/v1/wallet.js';

/** Generated definitions of our services, with the codecs of their messages. The client of an upstream node uses them too. */
export const serviceDefinitions: readonly ServiceDefinition[] = [
  AccountsServiceService,
  BlockchainServiceService,
  DevServiceService,
  EventsServiceService,
  EvmServiceService,
  MiningServiceService,
  NodeServiceService,
  OraclesServiceService,
  RawtransactionsServiceService,
  WalletServiceService,
  PoolsServiceService,
  LoansServiceService,
  VaultsServiceService,
  ProposalsServiceService,
  IcxServiceService,
  AnchorsServiceService,
  BitcoinServiceService,
  SnapshotServiceService,
];
