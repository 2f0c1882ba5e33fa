import { i64 } from '../../primitives/codec.js';
import type { Column, StateView, WritableView } from '../../storage/view.js';
import { byteString } from '../kernel/text.js';

/**
 * Numbers that rules use and governance variables set. They are stored apart from the variables because the two can differ: `defid` undoes
 * the number immediately when an unset is scheduled, and keeps the deviation in 32 bits.
 */
export type GovernedName =
  /** DFI per BTC, in satoshis. */
  | 'takerFee'
  /** Satoshis per day, for all pools together. */
  | 'dailyReward'
  | 'dailyLoanReward'
  /** Share, of COIN. */
  | 'liquidationPenalty'
  /** Blocks. */
  | 'oracleInterval'
  /** Share, of COIN. */
  | 'oracleDeviation';

/** Governed numbers by {@link GovernedName}. */
export const governedNumbers: Column<string, bigint> = { name: 'dfi/governed', key: byteString, value: i64 };

/** Undefined if governance has not set it. */
export function governedNumber(view: StateView, name: GovernedName): bigint | undefined {
  return view.get(governedNumbers, name);
}

/** Stores a number, or deletes it if undefined. */
export function setGovernedNumber(view: WritableView, name: GovernedName, value: bigint | undefined): void {
  if (value === undefined) view.delete(governedNumbers, name);
  else view.put(governedNumbers, name, value);
}
