import { customTxOf } from '../../../src/dfi/execution/registry.js';
import { ByteReader, type Codec, encode } from '../../../src/primitives/codec.js';
import type { Random } from '../mutate.js';

/** Amounts at the edges of what is valid, satoshis. */
export const AMOUNTS = [0n, 1n, -1n, 2n ** 63n - 1n, -(2n ** 63n), 1_200_000_000_00000000n, 1_200_000_000_00000001n];
const LEAST = -(2n ** 63n);
/** Numbers at the edges of types, heights and ids. */
const NUMBERS = [0, 1, 127, 128, 255, 256, 65_535, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff];
const TEXTS = [
  '',
  ' ',
  'DUSD',
  'DFI',
  'BTC',
  'a/b',
  'a#1',
  '1a',
  '%',
  '%%',
  '%s',
  'a%',
  ' x ',
  'x'.repeat(9),
  'x'.repeat(129),
  '\xff',
  'eol/A',
];
/** Largest token id that is tried, about the number of tokens of a world. */
const MOST_TOKENS = 40;

/** Splits a payload into the letter of its type and its body. */
interface Message {
  readonly type: string;
  readonly body: Uint8Array;
}

/** A body as its codec reads it, and the codec; undefined if the type has none, or the bytes are no body. */
function decoded({ type, body }: Message): { readonly value: unknown; readonly codec: Codec<unknown> } | undefined {
  const codec = customTxOf(type)?.codec;
  if (!codec) return undefined;
  try {
    return { value: codec.read(new ByteReader(body)), codec };
  } catch {
    return undefined;
  }
}

/** Byte strings of a message: scripts, keys and ids. */
export function bytesOf(message: Message): readonly Uint8Array[] {
  return leavesOf(decoded(message)?.value);
}

function leavesOf(value: unknown): readonly Uint8Array[] {
  if (value instanceof Uint8Array) return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leavesOf) : [];
}

/**
 * Body with another value of one member, in the form of its type, so that rules and not the decoder judge it.
 * @param known byte strings of other messages
 * @returns undefined if it cannot be made
 */
export function craftedBody(message: Message, random: Random, known: readonly Uint8Array[]): Uint8Array | undefined {
  const found = decoded(message);
  if (!found) return undefined;
  let value = found.value;
  for (let times = random.pick([1, 1, 1, 2, 3]); times > 0; times--) value = changed(value, random, known);
  try {
    return encode(found.codec, value);
  } catch {
    return undefined;
  }
}

function changed(value: unknown, random: Random, known: readonly Uint8Array[]): unknown {
  switch (typeof value) {
    case 'bigint':
      // The text of the least amount depends on the compiler of `defid`.
      return random.pick([...AMOUNTS.filter((amount) => amount !== LEAST), value + 1n, value - 1n, -value, value * 2n, value / 2n]);
    case 'number':
      return random.pick([...NUMBERS, value + 1, value - 1, random.below(MOST_TOKENS), random.below(MOST_TOKENS), 97 + random.below(26)]);
    case 'boolean':
      return !value;
    case 'string':
      return random.pick([...TEXTS, `${value} `, ` ${value}`, `${value}%`, `${value}/`, value.slice(1), value.toLowerCase()]);
    case 'object':
      return value === null ? value : changedObject(value, random, known);
    default:
      return value;
  }
}

function changedObject(value: object, random: Random, known: readonly Uint8Array[]): unknown {
  if (value instanceof Uint8Array) {
    const alike = known.filter(({ length }) => length === value.length);
    return random.pick([new Uint8Array(0), new Uint8Array(value.length), ...alike, ...known.slice(-8), value.subarray(1)]);
  }
  if (Array.isArray(value)) return changedList(value, random, known);
  const names = Object.keys(value);
  if (names.length === 0) return value;
  const name = random.pick(names);
  return { ...value, [name]: changed((value as Record<string, unknown>)[name], random, known) };
}

function changedList(list: readonly unknown[], random: Random, known: readonly Uint8Array[]): readonly unknown[] {
  if (list.length === 0) return list;
  const at = random.below(list.length);
  const kind = random.below(8);
  if (kind === 0) return [];
  if (kind === 1) return list.toSpliced(at, 1);
  if (kind === 2) return list.toReversed();
  if (kind <= 4) return list.toSpliced(at, 0, changed(list[at], random, known));
  return list.with(at, changed(list[at], random, known));
}
