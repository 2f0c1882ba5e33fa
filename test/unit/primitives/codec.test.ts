import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ByteWriter,
  bool,
  type Codec,
  compactSize,
  DecodeError,
  decode,
  EncodeError,
  encode,
  fixedBytes,
  i32,
  i64,
  list,
  MAX_SIZE,
  mapped,
  optional,
  restBytes,
  struct,
  u8,
  u16,
  u32,
  u32be,
  u64,
  varBytes,
  varString,
} from '../../../src/primitives/codec.js';
import { varInt, varInt32, varIntLength } from '../../../src/primitives/var-int.js';
import { fromHex, toHex } from '../../../src/util/bytes.js';
import { fc } from '../../property.js';

/** Asserts that the bytes are decoded or rejected with DecodeError. */
function refusesOnlyWithDecodeError(codec: Codec<unknown>, bytes: Uint8Array): void {
  try {
    decode(codec, bytes);
  } catch (error) {
    assert.ok(error instanceof DecodeError, `${String(error)} for ${toHex(bytes)}`);
  }
}

interface Pair {
  readonly height: number;
  readonly name: string;
}

const bytes = (maxLength: number) => fc.uint8Array({ maxLength });
/** A codec and values for a round trip. */
function carries<T>(name: string, codec: Codec<T>, values: fc.Arbitrary<T>): { name: string; codec: Codec<unknown>; run: () => void } {
  return {
    name,
    codec: codec as Codec<unknown>,
    run: () => fc.assert(fc.property(values, (value) => assert.deepEqual(plain(decode(codec, encode(codec, value))), plain(value)))),
  };
}

/** Byte arrays compare by content whatever their class. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return toHex(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'object' && value !== null) return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, plain(v)]));
  return value;
}

const codecs = [
  carries('u8', u8, fc.integer({ min: 0, max: 0xff })),
  carries('u16', u16, fc.integer({ min: 0, max: 0xffff })),
  carries('u32', u32, fc.integer({ min: 0, max: 0xffffffff })),
  carries('u32be', u32be, fc.integer({ min: 0, max: 0xffffffff })),
  carries('i32', i32, fc.integer({ min: -0x80000000, max: 0x7fffffff })),
  carries('u64', u64, fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })),
  carries('i64', i64, fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
  carries('bool', bool, fc.boolean()),
  carries('compactSize', compactSize, fc.integer({ min: 0, max: MAX_SIZE })),
  carries('varInt', varInt, fc.maxSafeNat()),
  carries('varInt32', varInt32, fc.integer({ min: 0, max: 0xffffffff })),
  carries('varBytes', varBytes, bytes(700)),
  carries('varString', varString, fc.string({ unit: 'grapheme', maxLength: 100 })),
  carries('fixedBytes', fixedBytes(7), fc.uint8Array({ minLength: 7, maxLength: 7 })),
  carries('restBytes', restBytes, bytes(50)),
  carries('list', list(varBytes), fc.array(bytes(5), { maxLength: 300 })),
  carries('list of lists', list(list(u8)), fc.array(fc.array(fc.integer({ min: 0, max: 255 }), { maxLength: 5 }))),
  carries('optional', optional(u32), fc.option(fc.integer({ min: 0, max: 0xffffffff }), { nil: undefined })),
  carries(
    'struct',
    struct<Pair>({ height: u32, name: varString }),
    fc.record({ height: fc.integer({ min: 0, max: 9 }), name: fc.string({ maxLength: 9 }) }),
  ),
  carries(
    'mapped',
    mapped(
      u8,
      (n) => n + 1000,
      (n) => n - 1000,
    ),
    fc.integer({ min: 1000, max: 1255 }),
  ),
];

for (const { name, codec, run } of codecs) {
  test(`${name}: round trip`, run);
  test(`${name}: random bytes are decoded or rejected with DecodeError`, () => {
    fc.assert(
      fc.property(bytes(40), (random) => refusesOnlyWithDecodeError(codec, random)),
      { numRuns: 300 },
    );
  });
}

const compactSizes = [
  { value: 0, hex: '00' },
  { value: 0xfc, hex: 'fc' },
  { value: 0xfd, hex: 'fdfd00' },
  { value: 0xffff, hex: 'fdffff' },
  { value: 0x10000, hex: 'fe00000100' },
  { value: 0x08000000, hex: 'fe00000008' },
];
for (const { value, hex } of compactSizes) {
  test(`compactSize ${value}`, () => {
    assert.equal(toHex(encode(compactSize, value)), hex);
    assert.equal(decode(compactSize, fromHex(hex)), value);
  });
}

const refusedSizes = [
  { name: 'three bytes for a small value', hex: 'fdfc00' },
  { name: 'five bytes for a small value', hex: 'feffff0000' },
  { name: 'nine bytes for a small value', hex: 'ffffffffff00000000' },
  { name: 'beyond the limit', hex: 'fe01000008' },
  { name: 'nine bytes beyond the limit', hex: 'ff0000000001000000' },
  { name: 'cut off', hex: 'fdff' },
];
for (const { name, hex } of refusedSizes) {
  test(`compactSize rejects: ${name}`, () => assert.throws(() => decode(compactSize, fromHex(hex)), DecodeError));
}

const varInts = [
  { value: 0, hex: '00' },
  { value: 127, hex: '7f' },
  { value: 128, hex: '8000' },
  { value: 255, hex: '807f' },
  { value: 256, hex: '8100' },
  { value: 16_383, hex: 'fe7f' },
  { value: 16_511, hex: 'ff7f' },
  { value: 16_512, hex: '808000' },
  { value: 65_535, hex: '82fe7f' },
  { value: 0xffffffff, hex: '8efefefe7f' },
];
for (const { value, hex } of varInts) {
  test(`varInt ${value}`, () => {
    assert.equal(toHex(encode(varInt, value)), hex);
    assert.equal(decode(varInt, fromHex(hex)), value);
    assert.equal(varIntLength(value), hex.length / 2);
    assert.equal(decode(varInt32, fromHex(hex)), value);
  });
}

test('varInt32 ends at 32 bits, varInt where numbers stop being exact', () => {
  assert.equal(decode(varInt, fromHex('8efefeff00')), 0x100000000);
  assert.throws(() => decode(varInt32, fromHex('8efefeff00')), { name: 'DecodeError', message: 'ReadVarInt(): size too large' });
  assert.equal(decode(varInt, fromHex('8efefefefefefe7f')), Number.MAX_SAFE_INTEGER);
  assert.throws(() => decode(varInt, fromHex('8efefefefefeff00')), { name: 'DecodeError', message: 'ReadVarInt(): size too large' });
  assert.throws(() => decode(varInt, Buffer.alloc(1000, 0xff)), DecodeError);
});

test('trailing bytes are rejected', () => {
  assert.throws(() => decode(u8, fromHex('0102')), { name: 'DecodeError', message: 'excess 1 bytes' });
});

test('a list with too high a count fails at the first missing element', () => {
  assert.throws(() => decode(list(u8), fromHex('fe0000000801')), DecodeError);
});

test('a writer can grow within any value', () => {
  for (const size of [0, 1, 2, 7, 255, 256, 257]) {
    const value = { head: new Uint8Array(size).fill(1), tail: 0x0102030405060708n };
    const codec = struct<{ readonly head: Uint8Array; readonly tail: bigint }>({ head: fixedBytes(size), tail: i64 });
    assert.equal(toHex(encode(codec, value)), `${'01'.repeat(size)}0807060504030201`);
  }
});

test('numbers of 64 bits are rejected on both sides of their range', () => {
  for (const [codec, value] of [
    [u64, -1n],
    [u64, 2n ** 64n],
    [i64, -(2n ** 63n) - 1n],
    [i64, 2n ** 63n],
  ] as const) {
    assert.throws(() => encode(codec, value), EncodeError);
  }
});

test('views of a writer show what was written last, also after it has grown', () => {
  const w = new ByteWriter(4);
  const shown = (text: string): string => {
    w.reset();
    w.latin1(text);
    return Buffer.from(w.view()).toString('latin1');
  };
  for (const text of ['ab', 'cd', 'longer than before', 'ef', 'x'.repeat(600), 'gh']) assert.equal(shown(text), text);
});
