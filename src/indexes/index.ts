import type { AnyColumn } from '../storage/view.js';
import { blockFilters } from './block-filters.js';
import { indexPositions } from './follower.js';
import { transactionPositions } from './transactions.js';

/** What the store must be opened with, whichever indexes are switched on. */
export const indexColumns: readonly AnyColumn[] = [indexPositions, transactionPositions, blockFilters];
