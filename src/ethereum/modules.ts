import type { Chain } from '../chain/chain.js';
import type { DevNetwork } from '../devnet/dev-network.js';
import type { Mempool } from '../mempool/mempool.js';
import type { Transaction } from '../primitives/transaction.js';
import type { Wallets } from '../wallet/wallets/manager.js';
import type { ExecutionOptions } from './calls/execution.js';
import type { Filters } from './filters.js';
import type { SyncStatus } from './sync-status.js';

/** Modules of the node that methods use. */
export interface EthereumModules {
  readonly chain: Pick<Chain, 'params' | 'tip' | 'bestHeader' | 'entryAt' | 'block' | 'state' | 'snapshot' | 'on'>;
  readonly mempool: Pick<Mempool, 'accept' | 'pool' | 'evm'>;
  /** Undefined with -disablewallet. */
  readonly wallets: Pick<Wallets, 'loaded'> | undefined;
  /** Announces transactions to peers. */
  readonly relay: { announce(tx: Transaction): void };
  /** Version of the node. */
  readonly version: string;
  /** Connected peers. */
  readonly peers: { readonly count: number };
  readonly execution: ExecutionOptions;
  readonly minting: { isMinting(): boolean };
  readonly filters: Filters;
  readonly sync: SyncStatus;
  /** Undefined on networks that are not for development. */
  readonly devNetwork: DevNetwork | undefined;
  /** True with -rpcstrict: filters without blocks behave as in `defid`. */
  readonly isStrict: boolean;
}
