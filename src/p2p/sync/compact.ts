import { sha256 } from '../../crypto/hash.js';
import { type SipKey, sipHash24, sipKey } from '../../crypto/siphash.js';
import type { Block } from '../../primitives/block.js';
import { ByteWriter } from '../../primitives/codec.js';
import type { Hash256 } from '../../primitives/hash.js';
import { type BlockHeader, blockHash, blockHeader } from '../../primitives/header.js';
import { merkleRoot } from '../../primitives/merkle.js';
import type { Transaction, TxFormat } from '../../primitives/transaction.js';
import { equalBytes } from '../../util/bytes.js';
import type { CompactBlock } from '../wire/cmpctblock.js';
import { withoutWitness } from '../wire/tx.js';

/** 1: short ids of txids, transactions without witness data; 2: of wtxids, with it (BIP152). */
export type CompactVersion = 1 | 2;

/** More cannot be in a block: its weight limit over the weight of the smallest transaction. */
const MAX_TRANSACTIONS = Math.floor(64_000_000 / (60 * 4));
const TWO_POW_32 = 2 ** 32;

/** The short ids of one compact block: 48 bits of a hash keyed by its whole header and nonce (docs/protocol/chain.md 7.3). */
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

/** A block for a receiver that has all its transactions but the coinbase. */
export function compactBlockOf(block: Block, nonce: bigint, version: CompactVersion, format: TxFormat): CompactBlock {
  const ids = new ShortIds(block.header, nonce, version);
  const [coinbase, ...others] = block.transactions;
  const prefilled = coinbase ? [{ index: 0, tx: version === 2 ? coinbase : withoutWitness(coinbase, format) }] : [];
  return { header: block.header, nonce, shortIds: others.map((tx) => BigInt(ids.of(tx))), prefilled };
}

/**
 * Why no block came of a compact one: `invalid` is the sender's fault; `failed` may be chance, and the whole block has to be fetched.
 */
export type CompactFailure = 'invalid' | 'failed';

/** A compact block in the making. */
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
   * Fills in what is known.
   * @param known transactions at hand, the likelier ones first
   */
  static begin(compact: CompactBlock, version: CompactVersion, known: Iterable<Transaction>): PartialBlock | CompactFailure {
    const { header, shortIds, prefilled } = compact;
    const count = shortIds.length + prefilled.length;
    if (count === 0 || count > MAX_TRANSACTIONS || header.bits === 0) return 'invalid';
    const slots = new Array<Transaction | undefined>(count).fill(undefined);
    for (const { index, tx } of prefilled) {
      // A place beyond the end would leave others for which there is neither a transaction nor an id.
      if (index >= count || tx.vin.length === 0) return 'invalid';
      slots[index] = tx;
    }
    const places = placesOf(shortIds, slots);
    if (places === undefined) return 'failed';
    fillKnown(slots, places, new ShortIds(header, compact.nonce, version), known);
    return new PartialBlock(header, slots);
  }

  /** Positions of the transactions that have to be asked for, rising. */
  missing(): number[] {
    return this.#slots.flatMap((tx, index) => (tx ? [] : [index]));
  }

  /**
   * The whole block, its transactions checked against the header.
   * @param transactions those of `missing()`, in that order
   */
  complete(transactions: readonly Transaction[]): Block | CompactFailure {
    const given = transactions[Symbol.iterator]();
    const all: Transaction[] = [];
    for (const slot of this.#slots) {
      const tx = slot ?? given.next().value;
      if (!tx) return 'invalid';
      all.push(tx);
    }
    if (!given.next().done) return 'invalid';
    const { root, mutated } = merkleRoot(all.map(({ txid }) => txid));
    // Two transactions may have the same short id, so this alone proves no bad will.
    if (mutated || !equalBytes(root, this.header.merkleRoot)) return 'failed';
    return { header: this.header, hash: this.hash, transactions: all };
  }
}

/** Place of each short id among those that are not prefilled; undefined if two are the same. */
function placesOf(shortIds: readonly bigint[], slots: readonly (Transaction | undefined)[]): Map<number, number> | undefined {
  const places = new Map<number, number>();
  let at = 0;
  for (const id of shortIds) {
    while (slots[at] !== undefined) at += 1;
    places.set(Number(id), at);
    at += 1;
  }
  return places.size === shortIds.length ? places : undefined;
}

function fillKnown(
  slots: (Transaction | undefined)[],
  places: ReadonlyMap<number, number>,
  ids: ShortIds,
  known: Iterable<Transaction>,
): void {
  const ambiguous = new Set<number>();
  let left = places.size;
  for (const tx of known) {
    if (left === 0) return;
    const place = places.get(ids.of(tx));
    if (place === undefined || ambiguous.has(place)) continue;
    const before = slots[place];
    if (before === undefined) {
      slots[place] = tx;
      left -= 1;
    } else if (!equalBytes(before.wtxid, tx.wtxid)) {
      // Either could be meant: ask.
      slots[place] = undefined;
      ambiguous.add(place);
      left += 1;
    }
  }
}
