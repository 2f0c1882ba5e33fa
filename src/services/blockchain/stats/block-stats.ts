import type { Coin } from '../../../chain/coins.js';
import { blockSubsidy } from '../../../consensus/subsidy.js';
import { firstMintedOutput } from '../../../dfi/accounts/transactions.js';
import type { NetworkParams } from '../../../params/network.js';
import type { Block } from '../../../primitives/block.js';
import { formatHash } from '../../../primitives/hash.js';
import {
  hasWitness,
  isCoinbase,
  type Transaction,
  TX_VERSION_TOKENS,
  type TxFormat,
  type TxOut,
  transactionWeight,
  txOutSize,
  WITNESS_SCALE_FACTOR,
} from '../../../primitives/transaction.js';
import { compareBigints } from '../../../util/numbers.js';
import { type MaybePromise, mapInSlices, withValue } from '../../../util/slicer.js';

/** Bytes of an output's key and metadata in the UTXO set, in addition to the output itself. */
const UTXO_OVERHEAD = 41;

/** All statistics of a block by name. @see docs/protocol/rpc-chain.md 3.1.10 */
export type BlockStats = ReturnType<typeof sumUp>;

/** Block with the context that its statistics need. */
export interface StatsInput {
  readonly block: Block;
  readonly height: number;
  readonly mediantime: number;
  /** Coins spent by each transaction, in the order of the inputs. */
  readonly spent: readonly (readonly Coin[])[];
  readonly params: NetworkParams;
}

/** Computes the statistics, in slices if there are many transactions. */
export function blockStats(input: StatsInput, call: { readonly signal: AbortSignal }): MaybePromise<BlockStats> {
  const { block, spent, params } = input;
  const measured = mapInSlices(block.transactions.entries(), ([i, tx]) => measure(tx, spent[i] ?? [], params.txFormat), call);
  return withValue(measured, (transactions) => sumUp(input, transactions));
}

function sumUp({ block, height, mediantime, params }: StatsInput, transactions: readonly Measured[]) {
  const paying = transactions.filter((tx) => !tx.isCoinbase);
  const witness = paying.filter((tx) => tx.hasWitness);
  const fees = paying.map((tx) => tx.fee).sort(compareBigints);
  const rates = paying.map((tx) => tx.feerate).sort(compareBigints);
  const sizes = paying.map((tx) => BigInt(tx.size)).sort(compareBigints);
  const totalfee = sum(fees);
  const totalSize = sum(sizes);
  const totalWeight = BigInt(sumOf(paying, (tx) => tx.weight));
  const outs = sumOf(transactions, (tx) => tx.outs);
  const ins = sumOf(paying, (tx) => tx.ins);
  const created = sumOf(transactions, (tx) => tx.createdSize);
  return {
    avgfee: mean(totalfee, paying.length),
    avgfeerate: totalWeight === 0n ? 0n : (totalfee * BigInt(WITNESS_SCALE_FACTOR)) / totalWeight,
    avgtxsize: mean(totalSize, paying.length),
    blockhash: formatHash(block.hash),
    feeratePercentiles: { feerates: percentiles(paying, totalWeight) },
    height: BigInt(height),
    ins: BigInt(ins),
    maxfee: fees.at(-1) ?? 0n,
    maxfeerate: rates.at(-1) ?? 0n,
    maxtxsize: sizes.at(-1) ?? 0n,
    medianfee: median(fees),
    mediantime: BigInt(mediantime),
    mediantxsize: median(sizes),
    minfee: fees[0] ?? 0n,
    minfeerate: rates[0] ?? 0n,
    mintxsize: sizes[0] ?? 0n,
    outs: BigInt(outs),
    subsidy: blockSubsidy(height, params),
    swtotalSize: BigInt(sumOf(witness, (tx) => tx.size)),
    swtotalWeight: BigInt(sumOf(witness, (tx) => tx.weight)),
    swtxs: BigInt(witness.length),
    time: BigInt(block.header.time),
    totalOut: sum(paying.map((tx) => tx.valueOut)),
    totalSize,
    totalWeight,
    totalfee,
    txs: BigInt(transactions.length),
    utxoIncrease: BigInt(outs - ins),
    utxoSizeInc: BigInt(created - sumOf(paying, (tx) => tx.spentSize)),
  };
}

interface Measured {
  readonly isCoinbase: boolean;
  readonly ins: number;
  readonly outs: number;
  readonly size: number;
  readonly weight: number;
  readonly hasWitness: boolean;
  /** Satoshis of the outputs that the inputs pay for; outputs minted by the custom transaction are excluded. */
  readonly valueOut: bigint;
  readonly fee: bigint;
  /** Satoshis per virtual byte, rounded down. */
  readonly feerate: bigint;
  /** Bytes that the outputs add to the UTXO set. */
  readonly createdSize: number;
  /** Bytes that the inputs remove from the UTXO set. */
  readonly spentSize: number;
}

function measure(tx: Transaction, spent: readonly Coin[], format: TxFormat): Measured {
  const weight = transactionWeight(tx);
  const valueOut = sum(tx.vout.slice(0, firstMintedOutput(tx)).map((out) => out.value));
  const fee = sum(spent.map((coin) => coin.out.value)) - valueOut;
  return {
    isCoinbase: isCoinbase(tx),
    ins: tx.vin.length,
    outs: tx.vout.length,
    size: tx.raw.length,
    weight,
    hasWitness: hasWitness(tx),
    valueOut,
    fee,
    feerate: weight === 0 ? 0n : (fee * BigInt(WITNESS_SCALE_FACTOR)) / BigInt(weight),
    createdSize: sumOf(tx.vout, (out) => utxoSize(out, format)),
    spentSize: sumOf(spent, (coin) => utxoSize(coin.out, format)),
  };
}

/** Size of an output in the UTXO set, where it always includes the token id, whatever the version of its transaction. */
function utxoSize(out: TxOut, format: TxFormat): number {
  return txOutSize(out, TX_VERSION_TOKENS, format) + UTXO_OVERHEAD;
}

function sum(values: readonly bigint[]): bigint {
  return values.reduce((total, value) => total + value, 0n);
}

function sumOf<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}

function mean(total: bigint, count: number): bigint {
  return count === 0 ? 0n : total / BigInt(count);
}

/** Median; of an even number of values the mean of the middle two, rounded down. */
function median(sorted: readonly bigint[]): bigint {
  const half = sorted.length >> 1;
  const upper = sorted[half] ?? 0n;
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? 0n) + upper) / 2n;
}

/** Fee rates at 10, 25, 50, 75 and 90 percent of the weight. */
function percentiles(transactions: readonly Measured[], totalWeight: bigint): bigint[] {
  const total = Number(totalWeight);
  const thresholds = [total / 10, total / 4, total / 2, (total * 3) / 4, (total * 9) / 10];
  const sorted = [...transactions].sort((a, b) => compareBigints(a.feerate, b.feerate) || a.weight - b.weight);
  const found: bigint[] = [];
  let weight = 0;
  for (const tx of sorted) {
    weight += tx.weight;
    while (found.length < thresholds.length && weight >= (thresholds[found.length] as number)) found.push(tx.feerate);
  }
  const last = sorted.at(-1)?.feerate ?? 0n;
  while (found.length < thresholds.length) found.push(last);
  return found;
}
