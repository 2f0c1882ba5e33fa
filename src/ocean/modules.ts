import type { Chain } from '../chain/chain.js';
import type { TransactionIndex } from '../indexes/transactions.js';
import type { Clock } from '../util/clock.js';
import type { OceanRows } from './index/rows.js';
import type { Operations } from './node/operations.js';
import type { TipCache } from './node/tip-cache.js';

/** The part of the chain that routes read. */
export type OceanChain = Pick<
  Chain,
  'params' | 'tip' | 'entry' | 'entryAt' | 'header' | 'block' | 'transaction' | 'spentCoins' | 'state' | 'snapshot'
>;

/** Modules that routes use. */
export interface OceanModules {
  readonly chain: OceanChain;
  readonly operations: Operations;
  /** Rows of the index; without -oceanarchive there are none. */
  readonly rows: OceanRows;
  readonly txIndex: Pick<TransactionIndex, 'find'> | undefined;
  /** Results that hold until the tip changes. */
  readonly perTip: TipCache;
  readonly clock: Clock;
}
