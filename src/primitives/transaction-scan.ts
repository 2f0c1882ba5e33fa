import { txidPreimage } from './preimage.js';
import { TX_VERSION_TOKENS, type TxFormat } from './transaction.js';

const VERSION_SIZE = 4;
const OUT_POINT_SIZE = 36;
const SEQUENCE_SIZE = 4;
const VALUE_SIZE = 8;
const LOCK_TIME_SIZE = 4;

/**
 * Finds the end of a serialised transaction, without decoding it.
 * @param witness recognise the marker of BIP144
 * @returns position after the transaction that begins at `from`; -1 if the bytes end before
 */
export function endOfTransaction(bytes: Uint8Array, from: number, format: TxFormat, witness: boolean): number {
  const scanner = new TransactionScanner(bytes, from, format, witness);
  return scanner.next() ? scanner.at : -1;
}

/** Search for transactions by parts of them, which are tested within the serialised bytes. */
export interface TransactionWatch {
  /** @param at position of a txid: that of a transaction, or of one whose output is spent. @returns true if the search is for that */
  wantsTxid(bytes: Uint8Array, at: number): boolean;
  /** @returns true if the search is for transactions that pay that script */
  wantsScript(script: Uint8Array): boolean;
}

/** Walks over serialised transactions by the lengths in them. Bytes that decode are found whole; bytes that are found need not decode. */
export class TransactionScanner {
  /** Start of the transaction. */
  start = 0;
  /** True if it has the marker and the flag of witnesses. */
  hasWitnesses = false;
  #coreStart = 0;
  #coreEnd = 0;
  readonly #cursor: Cursor;

  /** @param witness recognise the marker of BIP144 */
  constructor(
    private readonly bytes: Uint8Array,
    from: number,
    private readonly format: TxFormat,
    private readonly witness: boolean,
    watch?: TransactionWatch,
  ) {
    this.#cursor = new Cursor(bytes, from, watch);
  }

  /** True if an input or an output of a transaction so far was watched for. */
  get isFound(): boolean {
    return this.#cursor.isFound;
  }

  /** Position after the transaction. */
  get at(): number {
    return this.#cursor.at;
  }

  /** Moves over the next transaction. @returns false if the bytes end before its end */
  next(): boolean {
    const cursor = this.#cursor;
    this.start = cursor.at;
    const version = cursor.i32();
    const withTokens = this.format.tokenIds && version >= TX_VERSION_TOKENS;
    this.#coreStart = cursor.at;
    let inputs = cursor.inputs();
    let flags = 0;
    if (inputs === 0 && this.witness) {
      flags = cursor.u8();
      this.#coreStart = flags === 0 ? this.#coreStart : cursor.at;
      if (flags !== 0) inputs = cursor.inputs();
    }
    if (inputs > 0 || !this.witness || flags !== 0) cursor.outputs(withTokens);
    this.#coreEnd = cursor.at;
    this.hasWitnesses = (flags & 1) === 1;
    if (this.hasWitnesses) for (let i = 0; i < inputs && !cursor.failed; i++) cursor.items();
    cursor.skip(LOCK_TIME_SIZE);
    return !cursor.failed;
  }

  /** Bytes of the transaction without witness data. */
  get strippedSize(): number {
    return this.hasWitnesses ? VERSION_SIZE + this.#coreEnd - this.#coreStart + LOCK_TIME_SIZE : this.at - this.start;
  }

  /** Serialisation without witness data, the preimage of the txid. @returns a view until the next one is asked for */
  stripped(): Uint8Array {
    const { bytes, start, at } = this;
    const raw = bytes.subarray(start, at);
    return this.hasWitnesses ? txidPreimage(raw, { start: this.#coreStart - start, end: this.#coreEnd - start }) : raw;
  }
}

/** Position in bytes that does not move beyond their end. */
class Cursor {
  failed = false;
  isFound = false;

  constructor(
    private readonly bytes: Uint8Array,
    public at: number,
    private readonly watch: TransactionWatch | undefined,
  ) {}

  skip(size: number): void {
    this.at += size;
    if (this.at > this.bytes.length) this.failed = true;
  }

  u8(): number {
    this.skip(1);
    return this.bytes[this.at - 1] ?? 0;
  }

  i32(): number {
    return this.u8() | (this.u8() << 8) | (this.u8() << 16) | (this.u8() << 24);
  }

  /** CompactSize, whether canonical or not. */
  size(): number {
    const first = this.u8();
    if (first < 0xfd) return first;
    let value = 0;
    const bytes = first === 0xfd ? 2 : first === 0xfe ? 4 : 8;
    for (let i = 0, unit = 1; i < bytes; i++, unit *= 256) value += this.u8() * unit;
    return value;
  }

  /** @returns number of inputs */
  inputs(): number {
    const count = this.size();
    for (let i = 0; i < count && !this.failed; i++) {
      const txid = this.at;
      this.skip(OUT_POINT_SIZE);
      if (this.watch && !this.isFound && !this.failed) this.isFound = this.watch.wantsTxid(this.bytes, txid);
      this.skip(this.size() + SEQUENCE_SIZE);
    }
    return count;
  }

  outputs(withTokens: boolean): void {
    const count = this.size();
    for (let i = 0; i < count && !this.failed; i++) {
      this.skip(VALUE_SIZE);
      const size = this.size();
      const script = this.at;
      this.skip(size);
      if (this.watch && !this.isFound && !this.failed) this.isFound = this.watch.wantsScript(this.bytes.subarray(script, this.at));
      while (withTokens && (this.u8() & 0x80) !== 0) if (this.failed) return;
    }
  }

  /** A witness stack. */
  items(): void {
    const count = this.size();
    for (let i = 0; i < count && !this.failed; i++) this.skip(this.size());
  }
}
