import type { AnyColumn } from '../storage/view.js';
import { blockFilters } from './block-filters.js';
import { indexPositions } from './position.js';
import { transactionPositions } from './transactions.js';

/** Columns of all indexes, with which the database is opened even if some are disabled. */
export const indexColumns: readonly AnyColumn[] = [indexPositions, transactionPositions, blockFilters];
