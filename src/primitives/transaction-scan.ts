import { TX_VERSION_TOKENS, type TxFormat } from './transaction.js';

const OUT_POINT_SIZE = 36;
const SEQUENCE_SIZE = 4;
const VALUE_SIZE = 8;
const LOCK_TIME_SIZE = 4;

/**
 * Finds the end of a serialised transaction by the lengths in it, without decoding it. Bytes that decode have an end; bytes with an end need
 * not decode.
 * @param witness recognise the marker of BIP144
 * @returns position after the transaction that begins at `from`; -1 if the bytes end before
 */
export function endOfTransaction(bytes: Uint8Array, from: number, format: TxFormat, witness: boolean): number {
  const scanner = new Scanner(bytes, from);
  const version = scanner.i32();
  const withTokens = format.tokenIds && version >= TX_VERSION_TOKENS;
  let inputs = scanner.inputs();
  let flags = 0;
  if (inputs === 0 && witness) {
    flags = scanner.u8();
    if (flags !== 0) inputs = scanner.inputs();
  }
  if (inputs > 0 || !witness || flags !== 0) scanner.outputs(withTokens);
  if ((flags & 1) === 1) for (let i = 0; i < inputs && !scanner.failed; i++) scanner.items();
  scanner.skip(LOCK_TIME_SIZE);
  return scanner.failed ? -1 : scanner.at;
}

/** Position in bytes that does not move beyond their end. */
class Scanner {
  failed = false;

  constructor(
    private readonly bytes: Uint8Array,
    public at: number,
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
      this.skip(OUT_POINT_SIZE);
      this.skip(this.size() + SEQUENCE_SIZE);
    }
    return count;
  }

  outputs(withTokens: boolean): void {
    const count = this.size();
    for (let i = 0; i < count && !this.failed; i++) {
      this.skip(VALUE_SIZE);
      this.skip(this.size());
      while (withTokens && (this.u8() & 0x80) !== 0) if (this.failed) return;
    }
  }

  /** A witness stack. */
  items(): void {
    const count = this.size();
    for (let i = 0; i < count && !this.failed; i++) this.skip(this.size());
  }
}
