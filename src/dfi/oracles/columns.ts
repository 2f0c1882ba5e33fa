import type { NetworkParams } from '../../params/network.js';
import { COIN } from '../../primitives/amount.js';
import { i64, list, struct, u8, varBytes } from '../../primitives/codec.js';
import { type Hash256, hash256 } from '../../primitives/hash.js';
import type { Column, StateView } from '../../storage/view.js';
import { divide, low64 } from '../kernel/math.js';
import { byteString } from '../kernel/text.js';

/** A token and the currency of its price; texts hold one char per byte. */
export interface PricePair {
  readonly token: string;
  readonly currency: string;
}

/** Last report of an oracle for a pair. */
export interface ReportedPrice extends PricePair {
  /** Satoshis of the currency for one token. */
  readonly price: bigint;
  /** Seconds since 1970. */
  readonly timestamp: bigint;
}

/** Record of an oracle; weight is 0 to 255. */
export interface Oracle {
  /** Script that must authorise reports of this oracle. */
  readonly address: Uint8Array;
  readonly weight: number;
  /** Pairs that it may report, each once, by token, then currency. */
  readonly pairs: readonly PricePair[];
  /** Last reports, in the same order. */
  readonly prices: readonly ReportedPrice[];
}

export const pricePair = struct<PricePair>({ token: byteString, currency: byteString });

/** Oracles by the transaction that appointed them, in the order of its bytes: aggregation iterates in this order. */
export const oracles: Column<Hash256, Oracle> = {
  name: 'dfi/oracle',
  key: hash256,
  value: struct<Oracle>({
    address: varBytes,
    weight: u8,
    pairs: list(pricePair),
    prices: list(struct<ReportedPrice>({ token: byteString, currency: byteString, price: i64, timestamp: i64 })),
  }),
};

/** Order of pairs in lists: by token, then by currency, bytewise. */
export function comparePairs(a: PricePair, b: PricePair): number {
  if (a.token !== b.token) return a.token < b.token ? -1 : 1;
  return a.currency < b.currency ? -1 : a.currency > b.currency ? 1 : 0;
}

export function isSamePair(a: PricePair, b: PricePair): boolean {
  return a.token === b.token && a.currency === b.currency;
}

/** Pairs sorted by {@link comparePairs}, without duplicates. */
export function toPairs(pairs: readonly PricePair[]): readonly PricePair[] {
  const sorted = [...pairs].sort(comparePairs);
  return sorted.filter((pair, i) => i === 0 || comparePairs(sorted[i - 1] as PricePair, pair) !== 0);
}

/** `token/currency`. */
export function formatPair({ token, currency }: PricePair): string {
  return `${token}/${currency}`;
}

/** True if any oracle may report the pair. */
export function isReported(view: StateView, pair: PricePair): boolean {
  for (const [, { pairs }] of view.entries(oracles)) if (pairs.some((own) => isSamePair(own, pair))) return true;
  return false;
}

/** Largest age, and largest lead, of a report that counts, in seconds; exclusive. */
const WINDOW = 3600n;

/** True if a report's time is near enough to a block's time. Both in seconds since 1970. */
export function isRecent(timestamp: bigint, time: number): boolean {
  const distance = timestamp - BigInt(time);
  return distance < WINDOW && distance > -WINDOW;
}

/** DUSD in USD has the fixed price 1, without oracles. */
export function isPegged({ token, currency }: PricePair): boolean {
  return token === 'DUSD' && currency === 'USD';
}

/** Price in satoshis of the currency for one token, or the reason why there is none. */
export type AggregatePrice =
  | { readonly price: bigint; readonly failure?: undefined }
  | { readonly price?: undefined; readonly failure: string };

/**
 * Mean of the prices that oracles reported around a time, by their weights, rounded down.
 * @param time seconds since 1970
 * @see docs/protocol/oracles-governance.md 1.4
 */
export function aggregatePrice(view: StateView, pair: PricePair, time: number, params: Pick<NetworkParams, 'isRegtest'>): AggregatePrice {
  if (isPegged(pair)) return { price: COIN };
  let count = 0;
  let weights = 0n;
  let sum = 0n;
  for (const [, { pairs, prices, weight }] of view.entries(oracles)) {
    if (!pairs.some((own) => isSamePair(own, pair))) continue;
    const reported = prices.find((own) => isSamePair(own, pair));
    if (!reported || !isRecent(reported.timestamp, time)) continue;
    count += 1;
    weights += BigInt(weight);
    sum += BigInt.asUintN(64, reported.price) * BigInt(weight);
  }
  if (count < (params.isRegtest ? 1 : 2)) return { failure: 'no live oracles for specified request' };
  if (weights === 0n) return { failure: 'all live oracles which meet specified request, have zero weight' };
  return { price: low64(divide(sum, weights)) };
}
