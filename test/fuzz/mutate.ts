/** Random numbers that repeat exactly for a seed (mulberry32). */
export class Random {
  constructor(private state: number) {}

  /** A random integer from 0 to `below` - 1. */
  below(below: number): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  }

  bytes(size: number): Uint8Array {
    return Uint8Array.from({ length: size }, () => this.below(256));
  }

  pick<T>(values: readonly T[]): T {
    return values[this.below(values.length)] as T;
  }
}

type Mutation = (bytes: Uint8Array, random: Random, others: readonly Uint8Array[]) => Uint8Array;

/** Edge values of lengths and numbers. */
const EDGES = [0x00, 0x01, 0x7f, 0x80, 0xfc, 0xfd, 0xfe, 0xff];

const mutations: readonly Mutation[] = [
  (bytes, random) => changed(bytes, random, (byte) => byte ^ (1 << random.below(8))),
  (bytes, random) => changed(bytes, random, () => random.below(256)),
  (bytes, random) => changed(bytes, random, () => random.pick(EDGES)),
  (bytes, random) => bytes.subarray(0, random.below(bytes.length + 1)),
  (bytes, random) => Buffer.concat([bytes, random.bytes(1 + random.below(8))]),
  (bytes, random) => {
    const at = random.below(bytes.length + 1);
    return Buffer.concat([bytes.subarray(0, at), random.bytes(1 + random.below(4)), bytes.subarray(at)]);
  },
  (bytes, random) => {
    const at = random.below(bytes.length + 1);
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + random.below(4))]);
  },
  (bytes, random, others) => {
    const other = random.pick(others);
    return Buffer.concat([bytes.subarray(0, random.below(bytes.length + 1)), other.subarray(random.below(other.length + 1))]);
  },
];

function changed(bytes: Uint8Array, random: Random, to: (byte: number) => number): Uint8Array {
  if (bytes.length === 0) return random.bytes(1);
  const copy = Uint8Array.from(bytes);
  const at = random.below(copy.length);
  copy[at] = to(copy[at] as number);
  return copy;
}

const MAX_RANDOM_SIZE = 96;

/** Random bytes, or one of the seeds with a few changes. */
export function nextInput(random: Random, seeds: readonly Uint8Array[]): Uint8Array {
  if (seeds.length === 0 || random.below(5) === 0) return random.bytes(random.below(MAX_RANDOM_SIZE));
  return mutated(random.pick(seeds), random, seeds);
}

/** Bytes with a few changes. @param others bytes of which parts are taken */
export function mutated(original: Uint8Array, random: Random, others: readonly Uint8Array[]): Uint8Array {
  let bytes = original;
  for (let left = 1 + random.below(3); left > 0; left--) bytes = random.pick(mutations)(bytes, random, others);
  return bytes;
}
