import { bool, i64, struct, u32, u32be } from '../../primitives/codec.js';
import type { AnyColumn, Column } from '../../storage/view.js';

/** Record of an executed split. */
export interface SplitRecord {
  /** Id of the successor. */
  readonly newId: number;
  /** Whole factor, or the factor times 10^8 if `isFraction`; negative: divisor. */
  readonly multiplier: bigint;
  readonly isFraction: boolean;
}

/** Splits from DF23 on, by the id of the split token. Amounts that leave the EVM are converted with them. */
export const splitRecords: Column<number, SplitRecord> = {
  name: 'dfi/split',
  key: u32be,
  value: struct<SplitRecord>({ newId: u32, multiplier: i64, isFraction: bool }),
};

/** Columns of executed splits. */
export const splitColumns: readonly AnyColumn[] = [splitRecords];
