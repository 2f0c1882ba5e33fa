import { type ByteReader, type ByteWriter, type Codec, compactSize, DecodeError } from '../../primitives/codec.js';

/**
 * A sorted list of non-negative integers below 2^53 as the differences between neighbours, in Golomb-Rice form: a count as
 * CompactSize, then for each difference its quotient by 2^p in unary (ones, then a zero) and its remainder in p bits, all most
 * significant bit first, zero bits up to a whole byte at the end.
 * @see BIP158
 */
export function golombSet(p: number): Codec<ArrayLike<number>> {
  return {
    write(w, values) {
      compactSize.write(w, values.length);
      const bits = new BitWriter(w);
      let last = 0;
      for (let i = 0; i < values.length; i++) {
        const value = values[i] as number;
        const difference = value - last;
        for (let quotient = Math.floor(difference / 2 ** p); quotient > 0; quotient--) bits.write(1, 1);
        bits.write(0, 1);
        bits.write(difference % 2 ** p, p);
        last = value;
      }
      bits.finish();
    },
    read(r) {
      const count = compactSize.read(r);
      const bits = new BitReader(r);
      const values: number[] = [];
      let last = 0;
      for (let i = 0; i < count; i++) {
        let quotient = 0;
        while (bits.read(1) === 1) quotient++;
        last += quotient * 2 ** p + bits.read(p);
        if (!Number.isSafeInteger(last)) throw new DecodeError('filter value too large');
        values.push(last);
      }
      return values;
    },
  };
}

class BitWriter {
  #byte = 0;
  #free = 8;

  constructor(private readonly w: ByteWriter) {}

  /** Writes the lowest `count` bits of `value`. */
  write(value: number, count: number): void {
    for (let left = count; left > 0; ) {
      const size = Math.min(left, this.#free);
      left -= size;
      this.#free -= size;
      this.#byte |= ((value >>> left) & ((1 << size) - 1)) << this.#free;
      if (this.#free === 0) this.#next();
    }
  }

  finish(): void {
    if (this.#free < 8) this.#next();
  }

  #next(): void {
    this.w.u8(this.#byte);
    this.#byte = 0;
    this.#free = 8;
  }
}

class BitReader {
  #byte = 0;
  #left = 0;

  constructor(private readonly r: ByteReader) {}

  read(count: number): number {
    let value = 0;
    for (let missing = count; missing > 0; ) {
      if (this.#left === 0) {
        this.#byte = this.r.u8();
        this.#left = 8;
      }
      const size = Math.min(missing, this.#left);
      missing -= size;
      this.#left -= size;
      value = (value << size) | ((this.#byte >>> this.#left) & ((1 << size) - 1));
    }
    return value;
  }
}
