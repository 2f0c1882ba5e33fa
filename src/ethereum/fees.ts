import type { StoredBlock } from '../dfi/evm/blocks.js';
import { evmHeader, evmReceipts, evmTip } from '../dfi/evm/blocks.js';
import { gasTargetFactor } from '../dfi/evm/limits.js';
import type { TipState } from '../dfi/evm/state-at.js';
import { INITIAL_BASE_FEE, nextBaseFee } from '../evm/block/fees.js';
import { decodeUnrecovered, type EvmTransaction, priceCap } from '../evm/codec/transaction.js';
import type { StateView } from '../storage/view.js';
import { equalBytes, toHex } from '../util/bytes.js';
import { Lru } from '../util/lru.js';
import { compareBigints } from '../util/numbers.js';
import type { Steps } from '../util/slicer.js';
import { requireBlock } from './block-tag.js';
import { engineError, headerNotFound } from './errors.js';

/** Blocks whose priority fees are looked at for a suggestion. */
const RECENT_BLOCKS = 20;
/** Suggestions that are kept. */
const KNOWN_SUGGESTIONS = 8;
const MAX_BLOCKS = 1024n;
const MAX_PERCENTILES = 100;
const PERCENT = 100;

/** Fees of consecutive blocks. */
export interface FeeHistory {
  readonly oldestBlock: number;
  /** Wei; one more than blocks, as the last is that of the next block. */
  readonly baseFees: readonly bigint[];
  readonly gasUsedRatios: readonly number[];
  /** Priority fees by block and percentile; undefined if no percentiles were asked for. */
  readonly rewards: readonly (readonly bigint[])[] | undefined;
}

/** Price of gas above the base fee, as the sender offered it. */
function priorityFee(tx: EvmTransaction, baseFee: bigint): bigint {
  const cap = priceCap(tx);
  const above = cap > baseFee ? cap - baseFee : 0n;
  return tx.type === 2 && tx.maxPriorityFee < above ? tx.maxPriorityFee : above;
}

/** Suggestions by last block and percentile. A block of the same hash always has the same predecessors. */
const suggestions = new Lru<string, bigint>(KNOWN_SUGGESTIONS);

/**
 * Wei above the base fee that has sufficed in recent blocks, in steps of a transaction each.
 * @param percentile of their priority fees
 * @see docs/protocol/evm-engine.md 10.6
 */
export function* suggestedPriorityFee(tip: TipState, percentile: number): Steps<bigint> {
  const last = evmTip(tip.state);
  if (!last) return 0n;
  const limited = Math.min(PERCENT, Math.max(0, percentile));
  const key = `${toHex(last.hash)} ${limited}`;
  const known = suggestions.get(key);
  if (known !== undefined) return known;
  const fees: bigint[] = [];
  for (let number = Math.max(0, last.number - RECENT_BLOCKS + 1); number <= last.number; number++) {
    const { header, entries } = requireBlock(tip.state, number);
    for (const { raw } of entries) {
      fees.push(priorityFee(decodeUnrecovered(raw), header.baseFee));
      yield;
    }
  }
  fees.sort(compareBigints);
  const suggestion = fees[Math.max(0, Math.floor(((fees.length - 1) * limited) / PERCENT))] ?? 0n;
  requireSame(tip.state, last.number, last.hash);
  suggestions.set(key, suggestion);
  return suggestion;
}

/** Base fee of the last block; that of the first one before it. */
export function lastBaseFee(view: StateView): bigint {
  const tip = evmTip(view);
  return (tip && evmHeader(view, tip.number)?.header.baseFee) ?? INITIAL_BASE_FEE;
}

/** Base fee of the block after one. */
export function baseFeeAfter(view: StateView, number: number): bigint {
  return evmHeader(view, number + 1)?.header.baseFee ?? nextBaseFee(evmHeader(view, number)?.header, gasTargetFactor(view));
}

/** Checks arguments of a fee history. @throws {EthereumError} */
export function checkFeeHistory(count: bigint, percentiles: readonly number[]): void {
  if (count < 1n) throw engineError('Block count requested smaller than minimum allowed range of 1');
  if (count > MAX_BLOCKS) throw engineError(`Block count requested larger than maximum allowed range of ${MAX_BLOCKS}`);
  if (percentiles.length > MAX_PERCENTILES)
    throw engineError(`List of percentile values exceeds maximum allowed size of ${MAX_PERCENTILES}`);
  let last = 0;
  for (const percentile of percentiles) {
    if (percentile < 0) throw engineError('Percentile value less than inclusive range of 0');
    if (percentile > PERCENT) throw engineError(`Percentile value more than inclusive range of ${PERCENT}`);
    if (percentile < last) throw engineError('List of percentile values are not monotonically increasing');
    last = percentile;
  }
}

/** Fees of `count` blocks up to one, in steps of a block each. @see docs/protocol/evm-engine.md 10.6 */
export function* feeHistory(tip: TipState, count: number, newest: number, percentiles: readonly number[]): Steps<FeeHistory> {
  const hash = requireBlock(tip.state, newest).hash;
  const oldestBlock = Math.max(0, newest - count + 1);
  const baseFees: bigint[] = [];
  const gasUsedRatios: number[] = [];
  const rewards: (readonly bigint[])[] | undefined = percentiles.length > 0 ? [] : undefined;
  for (let number = oldestBlock; number <= newest; number++) {
    const stored = evmHeader(tip.state, number);
    if (!stored) throw headerNotFound();
    const { baseFee, gasLimit, gasUsed } = stored.header;
    baseFees.push(baseFee);
    gasUsedRatios.push(gasLimit === 0n ? 0 : Number(gasUsed) / Number(gasLimit));
    rewards?.push(rewardsOf(tip.state, requireBlock(tip.state, number), percentiles));
    yield;
  }
  requireSame(tip.state, newest, hash);
  baseFees.push(baseFeeAfter(tip.state, newest));
  return { oldestBlock, baseFees, gasUsedRatios, rewards };
}

/** Parts of a percentile that count. */
const PARTS = 1_000_000;

/** Priority fee at which each share of the block's gas was bought, the cheapest first. */
function rewardsOf(view: StateView, { header, entries }: StoredBlock, percentiles: readonly number[]): readonly bigint[] {
  const receipts = evmReceipts(view, Number(header.number));
  const bought = entries.map(({ raw }, i) => {
    return { fee: priorityFee(decodeUnrecovered(raw), header.baseFee), gas: receipts[i]?.usedGas ?? 0n };
  });
  bought.sort((a, b) => compareBigints(a.fee, b.fee));
  const [cheapest] = bought;
  if (!cheapest) return percentiles.map(() => 0n);
  let index = 0;
  let gas = cheapest.gas;
  return percentiles.map((percentile) => {
    const wanted = (header.gasUsed * BigInt(Math.round(percentile * PARTS))) / BigInt(PERCENT * PARTS);
    while (gas < wanted && index < bought.length - 1) {
      index += 1;
      gas += bought[index]?.gas ?? 0n;
    }
    return bought[index]?.fee ?? 0n;
  });
}

/** A block that was not replaced since the work began has the same predecessors. @throws {EthereumError} */
function requireSame(view: StateView, number: number, hash: Uint8Array): void {
  const present = evmHeader(view, number);
  if (!present || !equalBytes(present.hash, hash)) throw headerNotFound();
}
