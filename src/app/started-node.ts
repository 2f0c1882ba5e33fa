import type { Anchors } from '../anchors/anchors.js';
import type { RegtestBitcoin } from '../bitcoin/regtest-bitcoin.js';
import type { Warnings } from '../chain/warnings.js';
import type { DevNetwork } from '../devnet/dev-network.js';
import type { ExecutionOptions } from '../ethereum/calls/execution.js';
import type { StartedChain } from './chain.js';
import type { StartedEvents } from './events.js';
import type { StartedMempool } from './mempool.js';
import type { StartedMinting } from './minting.js';
import type { StartedNetwork } from './p2p.js';
import type { StartedWallets } from './wallets.js';
import type { StartedZmq } from './zmq.js';

/** Every module of a running node. */
export interface StartedNode extends StartedChain, StartedEvents, StartedMempool, StartedZmq, StartedMinting, StartedWallets {
  readonly warnings: Warnings;
  /** Undefined on networks that are not for development. */
  readonly devNetwork: DevNetwork | undefined;
  readonly network: StartedNetwork;
  /** Undefined on other networks than regtest, and with -spv=0. */
  readonly bitcoin: RegtestBitcoin | undefined;
  readonly anchors: Anchors;
  readonly execution: ExecutionOptions;
}
