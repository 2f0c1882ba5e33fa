import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bn254 } from '@noble/curves/bn254.js';
import { FIELD_ORDER } from '../../../src/evm/precompiles/bn254-curve.js';
import { STANDARD_PRECOMPILES } from '../../../src/evm/precompiles/standard.js';
import { wordBytes } from '../../../src/evm/words.js';
import { concatBytes } from '../../../src/util/bytes.js';

const generator = bn254.G2.Point.BASE.toAffine();
const G1 = [1n, 2n];
const G2 = [generator.x.c1, generator.x.c0, generator.y.c1, generator.y.c0];

function words(...values: readonly bigint[]): Uint8Array {
  return concatBytes(...values.map(wordBytes));
}

function pairWith(place: number, value: bigint): bigint[] {
  const pair = [...G1, ...G2];
  pair[place] = value;
  return pair;
}

function flagged(flag: number): Uint8Array {
  const input = new Uint8Array(213);
  input[212] = flag;
  return input;
}

/** The words of `defid` for inputs that its precompiled contracts refuse. */
const rows: readonly (readonly [address: bigint, input: Uint8Array, text: string])[] = [
  [5n, words(1025n), 'unreasonably large base length'],
  [5n, words(1n, 1025n), 'unreasonably large exponent length'],
  [5n, words(1n, 1n, 1n << 255n), 'unreasonably large modulus length'],
  [6n, words(FIELD_ORDER), 'Invalid point x coordinate'],
  [6n, words(...G1, 1n, FIELD_ORDER), 'Invalid point y coordinate'],
  [6n, words(1n, 1n, FIELD_ORDER), 'Invalid curve point'],
  [7n, words(1n, 1n, 1n), 'Invalid curve point'],
  [8n, words(1n), 'bad elliptic curve pairing size'],
  ...[
    'a argument x',
    'a argument y',
    'b argument imaginary coeff x',
    'b argument imaginary coeff y',
    'b argument real coeff x',
    'b argument real coeff y',
  ].map((name, place) => [8n, words(...pairWith(place, FIELD_ORDER)), `Invalid ${name} coordinate`] as const),
  [8n, words(...pairWith(5, 7n)), 'Invalid b argument - not on curve'],
  [8n, words(...pairWith(1, 7n)), 'Invalid a argument - not on curve'],
  [8n, words(...G1, ...G2, ...pairWith(1, 7n), ...pairWith(0, FIELD_ORDER)), 'Invalid a argument - not on curve'],
  [9n, new Uint8Array(212), 'input length for Blake2 F precompile should be exactly 213 bytes'],
  [9n, flagged(2), 'incorrect final block indicator flag'],
];

for (const [i, [address, input, text]] of rows.entries()) {
  test(`case ${i}: contract ${address}, ${text}`, () => {
    const contract = STANDARD_PRECOMPILES.get(address);
    assert.ok(contract);
    const run = () => {
      contract.cost(input);
      contract.run(input, { state: undefined as never, caller: 0n, address });
    };
    assert.throws(run, { kind: `Other("${text}")` });
  });
}
