import { sha256 } from '../../crypto/hash.js';
import { type SipKey, sipHash24, sipKey } from '../../crypto/siphash.js';
import type { Block } from '../../primitives/block.js';
import { ByteWriter } from '../../primitives/codec.js';
import type { Hash256 } from '../../primitives/hash.js';
import { type BlockHeader, blockHash, blockHeader } from '../../primitives/header.js';
import { merkleSteps } from '../../primitives/merkle.js';
import type { Transaction, TxFormat } from '../../primitives/transaction.js';
import { equalBytes } from '../../util/bytes.js';
import type { Steps } from '../../util/slicer.js';
import type { CompactBlock } from '../wire/cmpctblock.js';
import { withoutWitness } from '../wire/tx.js';

/** 1: short ids of txids, transactions without witness data; 2: short ids of wtxids, transactions with witness data (BIP152). */
export type CompactVersion = 1 | 2;

/** Most transactions in a block: its weight limit divided by the weight of the smallest transaction. */
const MAX_TRANSACTIONS = Math.floor(64_000_000 / (60 * 4));
const TWO_POW_32 = 2 ** 32;
/** Short ids computed or stored between two yields. */
const IDS_AT_ONCE = 256;

/** Short ids of one compact block: 48 bits of a SipHash keyed by header and nonce (docs/protocol/chain.md 7.3). */
export class ShortIds {
  readonly #key: SipKey;
  readonly #version: CompactVersion;
  readonly #out = new Uint32Array(2);

  constructor(header: BlockHeader, nonce: bigint, version: CompactVersion) {
    const w = new ByteWriter(200);
    blockHeader.write(w, header);
    w.u64(nonce);
    this.#key = sipKey(sha256(w.finish()).subarray(0, 16));
    this.#version = version;
  }

  of(tx: Pick<Transaction, 'txid' | 'wtxid'>): number {
    sipHash24(this.#key, this.#version === 2 ? tx.wtxid : tx.txid, this.#out);
    return (this.#out[0] as number) + ((this.#out[1] as number) & 0xffff) * TWO_POW_32;
  }
}

/** Compact form of a block; only the coinbase is prefilled. */
export function compactBlockOf(block: Block, nonce: bigint, version: CompactVersion, format: TxFormat): CompactBlock {
  const ids = new ShortIds(block.header, nonce, version);
  const [coinbase, ...others] = block.transactions;
  const prefilled = coinbase ? [{ index: 0, tx: version === 2 ? coinbase : withoutWitness(coinbase, format) }] : [];
  return { header: block.header, nonce, shortIds: others.map((tx) => BigInt(ids.of(tx))), prefilled };
}

/**
 * Reason why a compact block could not be used: `invalid` is the sender's fault; `failed` may be a collision of short ids, and the full
 * block must be fetched.
 */
export type CompactFailure = 'invalid' | 'failed';

/** A block under reconstruction from a compact block. */
export class PartialBlock {
  readonly header: BlockHeader;
  readonly hash: Hash256;
  readonly #slots: (Transaction | undefined)[];

  private constructor(header: BlockHeader, slots: (Transaction | undefined)[]) {
    this.header = header;
    this.hash = blockHash(header);
    this.#slots = slots;
  }

  /**
   * Fills in the transactions that are known, in steps: a compact block may have 65,535 short ids, and the mempool as many transactions.
   * @param known transactions to match with the short ids, those that are more likely in the block first
   */
  static *begin(compact: CompactBlock, version: CompactVersion, known: Iterable<Transaction>): Steps<PartialBlock | CompactFailure> {
    const { header, shortIds, prefilled } = compact;
    const count = shortIds.length + prefilled.length;
    if (count === 0 || count > MAX_TRANSACTIONS || header.bits === 0) return 'invalid';
    const slots = new Array<Transaction | undefined>(count).fill(undefined);
    for (const { index, tx } of prefilled) {
      // An index beyond the end would leave another position with neither a transaction nor a short id.
      if (index >= count || (tx.vin.length === 0 && tx.vout.length === 0)) return 'invalid';
      slots[index] = tx;
    }
    const positions = yield* positionsOf(shortIds, slots);
    if (positions === undefined) return 'failed';
    yield* fillKnown(slots, positions, new ShortIds(header, compact.nonce, version), known);
    return new PartialBlock(header, slots);
  }

  /** Positions of the transactions to request, ascending. */
  missing(): number[] {
    return this.#slots.flatMap((tx, index) => (tx ? [] : [index]));
  }

  /**
   * Completes the block and checks its transactions against the merkle root, in steps.
   * @param transactions those of `missing()`, in that order
   */
  *complete(transactions: readonly Transaction[]): Steps<Block | CompactFailure> {
    const received = transactions[Symbol.iterator]();
    const all: Transaction[] = [];
    for (const slot of this.#slots) {
      const tx = slot ?? received.next().value;
      if (!tx) return 'invalid';
      all.push(tx);
    }
    if (!received.next().done) return 'invalid';
    const { root, mutated } = yield* merkleSteps(all.map(({ txid }) => txid));
    // A collision of short ids has the same effect, so the sender is not punished.
    if (mutated || !equalBytes(root, this.header.merkleRoot)) return 'failed';
    return { header: this.header, hash: this.hash, transactions: all };
  }
}

/** Position of each short id among the transactions that are not prefilled; undefined if two ids are equal. */
function* positionsOf(shortIds: readonly bigint[], slots: readonly (Transaction | undefined)[]): Steps<Map<number, number> | undefined> {
  const positions = new Map<number, number>();
  let at = 0;
  for (const id of shortIds) {
    while (slots[at] !== undefined) at += 1;
    positions.set(Number(id), at);
    at += 1;
    if (positions.size % IDS_AT_ONCE === 0) yield;
  }
  return positions.size === shortIds.length ? positions : undefined;
}

function* fillKnown(
  slots: (Transaction | undefined)[],
  positions: ReadonlyMap<number, number>,
  ids: ShortIds,
  known: Iterable<Transaction>,
): Steps<void> {
  const ambiguous = new Set<number>();
  let left = positions.size;
  let seen = 0;
  for (const tx of known) {
    if (left === 0) return;
    seen += 1;
    if (seen % IDS_AT_ONCE === 0) yield;
    const position = positions.get(ids.of(tx));
    if (position === undefined || ambiguous.has(position)) continue;
    const before = slots[position];
    if (before === undefined) {
      slots[position] = tx;
      left -= 1;
    } else if (!equalBytes(before.wtxid, tx.wtxid)) {
      // Two known transactions have this short id, so the right one must be requested.
      slots[position] = undefined;
      ambiguous.add(position);
      left += 1;
    }
  }
}
