import { i64 } from '../../primitives/codec.js';
import type { Column, StateView, WritableView } from '../../storage/view.js';
import { byteString } from '../kernel/text.js';

/** Numbers of rules that governance variables decide. What a variable shows and what holds can differ: the rules ask for these. */
export type GovernedName =
  | 'takerFee'
  | 'dailyReward'
  | 'dailyLoanReward'
  | 'liquidationPenalty'
  /** Blocks. */
  | 'oracleInterval'
  /** Share, of COIN. */
  | 'oracleDeviation';

export const governedNumbers: Column<string, bigint> = { name: 'dfi/governed', key: byteString, value: i64 };

/** Undefined where nobody decided. */
export function governedNumber(view: StateView, name: GovernedName): bigint | undefined {
  return view.get(governedNumbers, name);
}

export function setGovernedNumber(view: WritableView, name: GovernedName, value: bigint | undefined): void {
  if (value === undefined) view.delete(governedNumbers, name);
  else view.put(governedNumbers, name, value);
}
