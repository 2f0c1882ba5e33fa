import { bool, i64, struct, u32, u32be } from '../../primitives/codec.js';
import type { AnyColumn, Column } from '../../storage/view.js';

/** What became of a token that was split. */
export interface SplitRecord {
  /** The token that took its place. */
  readonly newId: number;
  /** A whole number, or satoshis of one; negative: what amounts were divided by. */
  readonly multiplier: bigint;
  readonly isFraction: boolean;
}

/** By the token that was split, of splits from DF23 on: contracts of the EVM convert what they hold by it. */
export const splitRecords: Column<number, SplitRecord> = {
  name: 'dfi/split',
  key: u32be,
  value: struct<SplitRecord>({ newId: u32, multiplier: i64, isFraction: bool }),
};

export const splitColumns: readonly AnyColumn[] = [splitRecords];
