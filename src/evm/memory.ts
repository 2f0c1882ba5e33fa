import { EMPTY_BYTES } from '../util/bytes.js';
import { OUT_OF_GAS } from './failure.js';
import { Gas, wordCount } from './gas.js';
import { wordToSize, writeWord } from './words.js';

/** Least bytes that are allocated at once. Many frames need none. */
const LEAST_SIZE = 512;
const WORD_SIZE = 32;
const QUADRATIC_DIVISOR = 512;
const LIMB_BITS = 64n;
const NO_VIEW = new DataView(EMPTY_BYTES.buffer);

/** Memory of a frame: grows by words, and its size is paid for. */
export class Memory {
  #bytes = EMPTY_BYTES;
  #view = NO_VIEW;
  #words = 0;

  /** Bytes in use, a multiple of 32. */
  get size(): number {
    return this.#words * WORD_SIZE;
  }

  /**
   * Gas for growth until a range fits; 0 for a range without bytes, whatever its offset.
   * @throws {Failure} out of gas for a range that no gas pays for
   */
  growthCost(offset: bigint, length: bigint): number {
    if (length === 0n) return 0;
    const words = wordCount(wordToSize(offset) + wordToSize(length));
    if (words <= this.#words) return 0;
    if (words === Number.POSITIVE_INFINITY) throw OUT_OF_GAS;
    return memoryCost(words) - memoryCost(this.#words);
  }

  /** Makes a range of more than 0 bytes accessible. Its growth has been paid for. */
  grow(offset: number, length: number): void {
    if (length === 0) return;
    const words = wordCount(offset + length);
    if (words <= this.#words) return;
    this.#words = words;
    if (words * WORD_SIZE <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(words * WORD_SIZE, 2 * this.#bytes.length, LEAST_SIZE));
    larger.set(this.#bytes);
    this.#bytes = larger;
    this.#view = new DataView(larger.buffer);
  }

  readWord(offset: number): bigint {
    const view = this.#view;
    const [first, second] = [view.getBigUint64(offset), view.getBigUint64(offset + 8)];
    const [third, fourth] = [view.getBigUint64(offset + 16), view.getBigUint64(offset + 24)];
    // Most words are short.
    const low = third === 0n ? fourth : (third << LIMB_BITS) | fourth;
    return first === 0n && second === 0n ? low : (((first << LIMB_BITS) | second) << (2n * LIMB_BITS)) | low;
  }

  writeWord(offset: number, word: bigint): void {
    writeWord(this.#view, offset, word);
  }

  writeByte(offset: number, byte: number): void {
    this.#bytes[offset] = byte;
  }

  /** A copy of a range. */
  slice(offset: number, length: number): Uint8Array {
    return this.#bytes.slice(offset, offset + length);
  }

  /** A view of a range, valid until the next change of the memory. */
  view(offset: number, length: number): Uint8Array {
    return this.#bytes.subarray(offset, offset + length);
  }

  /** Copies `length` bytes of `from` at `start` to an offset; bytes beyond its end are zeros. */
  copy(offset: number, from: Uint8Array, start: number, length: number): void {
    const part = start < from.length ? from.subarray(start, Math.min(from.length, start + length)) : undefined;
    if (part) this.#bytes.set(part, offset);
    this.#bytes.fill(0, offset + (part?.length ?? 0), offset + length);
  }
}

/** Gas for a memory of so many words. */
export function memoryCost(words: number): number {
  return Gas.memoryWord * words + Math.floor((words * words) / QUADRATIC_DIVISOR);
}
