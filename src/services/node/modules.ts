import type { Chain } from '../../chain/chain.js';
import type { Warnings } from '../../chain/warnings.js';
import type { Mempool } from '../../mempool/mempool.js';
import type { Minter } from '../../minting/minter.js';
import type { Peer } from '../../p2p/net/peer.js';
import type { Peers } from '../../p2p/net/peers.js';
import type { PeerProgress } from '../../p2p/sync/peer-progress.js';
import type { CallStats } from '../../rpc/call-stats.js';
import type { Catalogue } from '../../rpc/catalogue.js';
import type { Invoker } from '../../rpc/invoke.js';
import type { SystemClock } from '../../util/clock.js';
import type { LogCategories } from '../../util/log-categories.js';
import type { Logger } from '../../util/logger.js';
import type { Wallets } from '../../wallet/wallets/manager.js';
import type { ZmqNotifier } from '../../zmq/notifier.js';
import type { LookupModules } from '../rawtransactions/transactions/lookup.js';
import type { CustomTxModules as SpendingModules } from '../wallet/spend/custom-tx.js';

/** Call statistics of the node. */
export interface CallStatsModules {
  /** Undefined if no statistics are kept (`-rpcstats=0`). */
  readonly callStats?: Pick<CallStats, 'get' | 'list'> | undefined;
}

/** Modules for showing custom transactions. */
export interface CustomTxModules extends LookupModules {
  readonly chain: LookupModules['chain'] & Pick<Chain, 'tip' | 'entryAt' | 'coin' | 'state'>;
  /** Undefined in a node without wallets. */
  readonly wallets?: Pick<Wallets, 'findIfAny'> | undefined;
}

/** Modules for estimating fees. */
export interface FeeModules {
  readonly mempool: Pick<Mempool, 'feeEstimator' | 'policy'>;
  /** `-txordering=1`: blocks prefer higher fee rates. Otherwise the minimum relay fee rate is enough. */
  readonly ordersByFee: boolean;
}

/** Modules for printing the data of the EVM. */
export interface EvmDumpModules {
  readonly chain: Pick<Chain, 'params' | 'tip' | 'snapshot'>;
  readonly evmDumps: {
    /** -ethdebug */
    readonly enabled: boolean;
    /** -ethmaxresponsesize, in bytes. */
    readonly maxBytes: number;
  };
}

/** Modules for operations on peers. */
export interface P2pModules {
  /** Undefined in a node that runs without P2P. */
  readonly peers?: Peers | undefined;
  /** Sync progress of a peer; undefined for a peer that the sync does not know. */
  readonly peerProgress?: ((peer: Peer) => PeerProgress | undefined) | undefined;
}

/** Modules for the operations outside the six groups. */
export interface NodeModules extends CallStatsModules, CustomTxModules, SpendingModules, FeeModules, P2pModules, EvmDumpModules {
  /** Undefined in a node without wallets. */
  readonly wallets?: Pick<Wallets, 'find' | 'findIfAny' | 'loaded'> | undefined;
  readonly chain: CustomTxModules['chain'] &
    SpendingModules['chain'] &
    Pick<
      Chain,
      | 'addCheckpoint'
      | 'bestHeader'
      | 'header'
      | 'invalidate'
      | 'reconsider'
      | 'interruption'
      | 'isActive'
      | 'lowestStored'
      | 'on'
      | 'snapshot'
    >;
  readonly mempool: CustomTxModules['mempool'] & FeeModules['mempool'];
  readonly clock: Pick<SystemClock, 'now' | 'seconds' | 'setMockTime'>;
  readonly catalogue: Catalogue;
  readonly calls: Pick<Invoker, 'active'>;
  readonly log: Pick<Logger, 'info'>;
  readonly logCategories: Pick<LogCategories, 'states' | 'set'>;
  readonly minter: Pick<Minter, 'masternodes' | 'mintTo'>;
  readonly process: ProcessControl;
  readonly warnings: Pick<Warnings, 'text'>;
  /** Topics that are published over ZeroMQ, with their addresses. */
  readonly zmqNotifiers: readonly ZmqNotifier[];
}

/** Control of the node's process. */
export interface ProcessControl {
  /** Seconds since 1970. */
  readonly startedAt: number;
  /** Path of the log file; empty if there is none. */
  readonly logPath: string;
  /** Aborted when the node begins to stop; operations that wait end then. */
  readonly stopping: AbortSignal;
  /** Makes transports announce to their clients that connections close after the pending answers. */
  announceStop(): void;
  /** Begins to stop the node. */
  requestStop(): void;
}
