import { ByteReader, type ByteWriter, compactSize, varBytes } from './codec.js';

/** Items of a witness, such as an array of them. */
export interface WitnessStack extends Iterable<Uint8Array> {
  readonly length: number;
  /** Item by index, from the end if it is negative. */
  at(index: number): Uint8Array | undefined;
  slice(from?: number, to?: number): readonly Uint8Array[];
}

/**
 * Serialised items of a witness that has more of them than any script can use. An item takes one byte or more in a block and a hundred as
 * an object, so they are made only when they are asked for.
 */
export class SerialisedWitness implements WitnessStack {
  /** @param lastAt position of the last item in `bytes` */
  constructor(
    readonly length: number,
    readonly bytes: Uint8Array,
    private readonly lastAt: number,
  ) {}

  *[Symbol.iterator](): IterableIterator<Uint8Array> {
    const r = new ByteReader(this.bytes);
    for (let i = 0; i < this.length; i++) yield varBytes.read(r);
  }

  at(index: number): Uint8Array | undefined {
    const at = index < 0 ? index + this.length : index;
    if (at === this.length - 1) return varBytes.read(new ByteReader(this.bytes.subarray(this.lastAt)));
    return at < 0 ? undefined : this.slice(at, at + 1)[0];
  }

  slice(from = 0, to = this.length): readonly Uint8Array[] {
    const absolute = (index: number) => Math.max(0, index < 0 ? index + this.length : index);
    const [first, end] = [absolute(from), Math.min(absolute(to), this.length)];
    const r = new ByteReader(this.bytes);
    const items: Uint8Array[] = [];
    for (let i = 0; i < end; i++) {
      if (i < first) skipItem(r);
      else items.push(varBytes.read(r));
    }
    return items;
  }
}

/** Moves a reader behind an item. @throws {DecodeError} */
export function skipItem(r: ByteReader): void {
  r.skip(compactSize.read(r));
}

/** Number of items, then each with its length. */
export function writeWitness(w: ByteWriter, stack: WitnessStack): void {
  compactSize.write(w, stack.length);
  if (stack instanceof SerialisedWitness) w.bytes(stack.bytes);
  else for (const item of stack) varBytes.write(w, item);
}
