import type { Chain } from '../../chain/chain.js';
import type { Warnings } from '../../chain/warnings.js';
import type { Minter } from '../../minting/minter.js';
import type { Catalogue } from '../../rpc/catalogue.js';
import type { Invoker } from '../../rpc/invoke.js';
import type { SystemClock } from '../../util/clock.js';
import type { LogCategories } from '../../util/log-categories.js';
import type { Logger } from '../../util/logger.js';
import type { Wallets } from '../../wallet/manager.js';
import type { CustomTxModules as SpendingModules } from '../wallet/custom-tx.js';
import type { CallStatsModules } from './call-stats.js';
import type { CustomTxModules } from './custom-txs.js';
import type { FeeModules } from './fees.js';
import type { P2pModules } from './p2p-modules.js';

/** Modules for the operations outside the six groups. */
export interface NodeModules extends CallStatsModules, CustomTxModules, SpendingModules, FeeModules, P2pModules {
  /** Undefined in a node without wallets. */
  readonly wallets?: Pick<Wallets, 'find' | 'findIfAny' | 'loaded'> | undefined;
  readonly chain: CustomTxModules['chain'] &
    SpendingModules['chain'] &
    Pick<Chain, 'addCheckpoint' | 'header' | 'invalidate' | 'reconsider' | 'on' | 'snapshot'>;
  readonly mempool: CustomTxModules['mempool'] & FeeModules['mempool'];
  readonly clock: Pick<SystemClock, 'now' | 'seconds' | 'setMockTime'>;
  readonly catalogue: Catalogue;
  readonly calls: Pick<Invoker, 'active'>;
  readonly log: Pick<Logger, 'info'>;
  readonly logCategories: Pick<LogCategories, 'states' | 'set'>;
  readonly minter: Pick<Minter, 'masternodes' | 'mintTo'>;
  readonly process: ProcessControl;
  readonly warnings: Pick<Warnings, 'text'>;
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
