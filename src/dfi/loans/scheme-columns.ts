import { i64, struct, u8, u32, u64 } from '../../primitives/codec.js';
import type { AnyColumn, Column, StateView, WritableView } from '../../storage/view.js';
import { byteString } from '../kernel/text.js';

/** Terms of vaults: loan scheme. */
export interface LoanScheme {
  /** Minimum collateral, in percent of the loans. */
  readonly ratio: number;
  /** Interest per year, in percent scaled by COIN. */
  readonly rate: bigint;
}

/** A scheme and the height of its change. */
export interface PendingSchemeKey {
  readonly id: string;
  /** Height of the block at whose end the scheme changes. */
  readonly height: bigint;
}

export const loanScheme = struct<LoanScheme>({ ratio: u32, rate: i64 });

/** Schemes by id. Rules iterate in the order of these bytes: shorter ids first. */
export const loanSchemes: Column<string, LoanScheme> = { name: 'dfi/loan-scheme', key: byteString, value: loanScheme };

/** Default scheme of new vaults, under the single key 0. */
const defaultSchemes: Column<number, string> = { name: 'dfi/loan-scheme-default', key: u8, value: byteString };

/** Pending changes by scheme. Rules iterate in the order of these bytes. */
export const pendingSchemes: Column<PendingSchemeKey, LoanScheme> = {
  name: 'dfi/loan-scheme-pending',
  key: struct<PendingSchemeKey>({ id: byteString, height: u64 }),
  value: loanScheme,
};

/** Schemes to be destroyed, with the height of the block at whose end this happens. */
export const endingSchemes: Column<string, bigint> = { name: 'dfi/loan-scheme-ending', key: byteString, value: u64 };

/** Columns of loan schemes and their pending changes. */
export const loanSchemeColumns: readonly AnyColumn[] = [loanSchemes, defaultSchemes, pendingSchemes, endingSchemes];

const ONLY_KEY = 0;

/** Scheme with an id of one char per byte; undefined if there is none. */
export function getLoanScheme(view: StateView, id: string): LoanScheme | undefined {
  return view.get(loanSchemes, id);
}

/** Id of the default scheme; undefined before the first scheme. */
export function defaultScheme(view: StateView): string | undefined {
  return view.get(defaultSchemes, ONLY_KEY);
}

/** Sets the id of the default scheme, which must exist. */
export function setDefaultScheme(view: WritableView, id: string): void {
  view.put(defaultSchemes, ONLY_KEY, id);
}

/** Lowest minimum ratio of all schemes, in percent; undefined without schemes. */
export function lowestRatio(view: StateView): number | undefined {
  let lowest: number | undefined;
  for (const [, { ratio }] of view.entries(loanSchemes)) lowest = lowest === undefined ? ratio : Math.min(lowest, ratio);
  return lowest;
}

/** Destroys a scheme and its pending changes. Vaults keep its id. */
export function deleteLoanScheme(view: WritableView, id: string): void {
  for (const [key] of [...view.entries(pendingSchemes)]) if (key.id === id) view.delete(pendingSchemes, key);
  view.delete(loanSchemes, id);
}
