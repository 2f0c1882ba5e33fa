import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DecodeError, decode, encode } from '../../../src/primitives/codec.js';
import { formatHash } from '../../../src/primitives/hash.js';
import {
  hasWitness,
  isCoinbase,
  makeTransaction,
  serializeTransaction,
  strippedBytes,
  type TransactionFields,
  transaction,
  transactionWeight,
  txOutSize,
  virtualSize,
} from '../../../src/primitives/transaction.js';
import { concatBytes, fromHex, toHex } from '../../../src/util/bytes.js';
import { fc } from '../../property.js';
import { vectorRows } from '../../vectors.js';

const TOKENS = { tokenIds: true };
const PLAIN = { tokenIds: false };

const bytes = (maxLength: number) => fc.uint8Array({ maxLength });
const u32 = fc.integer({ min: 0, max: 0xffffffff });
const inputs = fc.record({
  prevout: fc.record({ txid: fc.uint8Array({ minLength: 32, maxLength: 32 }), vout: u32 }),
  scriptSig: bytes(80),
  sequence: u32,
  witness: fc.array(bytes(40), { maxLength: 3 }),
});
const outputs = fc.record({ value: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), scriptPubKey: bytes(80), tokenId: u32 });
const transactions: fc.Arbitrary<TransactionFields> = fc.record({
  version: fc.oneof(fc.integer({ min: -2, max: 6 }), fc.integer({ min: -0x80000000, max: 0x7fffffff })),
  // Without inputs, the next bytes may look like the marker of witness data: the `witness` option tells them apart.
  vin: fc.array(inputs, { minLength: 1, maxLength: 4 }),
  vout: fc.array(outputs, { maxLength: 4 }),
  lockTime: u32,
});

test('transactions round-trip with their ids, with and without token ids', () => {
  fc.assert(
    fc.property(transactions, fc.boolean(), (fields, tokenIds) => {
      const format = { tokenIds };
      const made = makeTransaction(fields, format);
      const read = decode(transaction(format), made.raw);
      assert.equal(toHex(serializeTransaction(read, format)), toHex(made.raw));
      assert.equal(toHex(encode(transaction(format), read)), toHex(made.raw));
      assert.equal(toHex(read.txid), toHex(made.txid));
      assert.equal(toHex(read.wtxid), toHex(made.wtxid));
      assert.equal(read.strippedSize, made.strippedSize);
      assert.equal(strippedBytes(read, format).length, made.strippedSize);
      assert.equal(toHex(read.txid) === toHex(read.wtxid), !hasWitness(fields));
      const carried = tokenIds && fields.version >= 4;
      assert.deepEqual(
        read.vout.map(({ tokenId }) => tokenId),
        fields.vout.map(({ tokenId }) => (carried ? tokenId : 0)),
      );
      for (const out of fields.vout) {
        const shown = serializeTransaction({ ...fields, vin: [], vout: [out] }, format, false);
        assert.equal(txOutSize(out, fields.version, format), shown.length - 10);
      }
    }),
  );
});

test('truncated and random bytes are rejected with DecodeError', () => {
  const refusal = (data: Uint8Array) => {
    for (const witness of [true, false]) {
      try {
        decode(transaction(TOKENS, { witness }), data);
      } catch (error) {
        assert.ok(error instanceof DecodeError, `${String(error)} for ${toHex(data)}`);
      }
    }
  };
  fc.assert(
    fc.property(transactions, bytes(200), fc.nat(), fc.nat(), (fields, random, where, flip) => {
      const { raw } = makeTransaction(fields, TOKENS);
      assert.throws(() => decode(transaction(TOKENS), raw.subarray(0, where % raw.length)), DecodeError);
      refusal(random);
      refusal(concatBytes(raw.subarray(0, where % raw.length), random));
      const flipped = Uint8Array.from(raw);
      const at = where % raw.length;
      flipped[at] = (flipped[at] as number) ^ (1 << (flip % 8));
      refusal(flipped);
    }),
    { numRuns: 300 },
  );
});

for (const { name, column, format } of [
  { name: 'tx_valid.json', column: 1, format: TOKENS },
  { name: 'tx_invalid.json', column: 1, format: TOKENS },
  // Its random versions were written by a chain without token ids.
  { name: 'sighash.json', column: 0, format: PLAIN },
] as const) {
  const rows = vectorRows(name);
  test(`${rows.length} raw transactions of ${name} round-trip to the same bytes`, () => {
    for (const row of rows) {
      const hex = row[column] as string;
      const tx = decode(transaction(format), fromHex(hex));
      assert.equal(toHex(serializeTransaction(tx, format)), hex.toLowerCase());
      const made = makeTransaction(tx, format);
      assert.equal(formatHash(made.txid), formatHash(tx.txid));
      assert.equal(formatHash(made.wtxid), formatHash(tx.wtxid));
    }
  });
}

const OUTPOINT = `${'11'.repeat(32)}00000000`;
const IN = `01${OUTPOINT}00ffffffff`;
const OUT = '010000000000000000';

const malformed = [
  { name: 'unknown flag', hex: `020000000002${IN}0000000000`, text: 'Unknown transaction optional data' },
  { name: 'unknown flag next to the known one', hex: `020000000003${IN}00010000000000`, text: 'Unknown transaction optional data' },
  { name: 'witness data without any witness', hex: `020000000001${IN}000000000000`, text: 'Superfluous witness record' },
  { name: 'token id beyond 32 bits', hex: `04000000${IN}01${OUT}8efefeff0000000000`, text: 'ReadVarInt(): size too large' },
  { name: 'trailing bytes', hex: `02000000${IN}000000000000`, text: 'excess 1 bytes' },
];
for (const { name, hex, text } of malformed) {
  test(`rejected: ${name}`, () => assert.throws(() => decode(transaction(TOKENS), fromHex(hex)), { name: 'DecodeError', message: text }));
}

test('from version 4 on an output is one byte larger, unless tokens are disabled', () => {
  const hex = (version: string, token: string) => `${version}${IN}01${OUT}${token}00000000`;
  assert.equal(decode(transaction(TOKENS), fromHex(hex('03000000', ''))).vout[0]?.tokenId, 0);
  assert.equal(decode(transaction(TOKENS), fromHex(hex('04000000', '05'))).vout[0]?.tokenId, 5);
  assert.equal(decode(transaction(TOKENS), fromHex(hex('04000000', '8000'))).vout[0]?.tokenId, 128);
  assert.equal(decode(transaction(PLAIN), fromHex(hex('04000000', ''))).vout[0]?.tokenId, 0);
  // Versions are signed: this one is negative.
  assert.equal(decode(transaction(TOKENS), fromHex(hex('000000ff', ''))).vout[0]?.tokenId, 0);
});

test('without inputs, two zero bytes may be a marker or two empty lists', () => {
  const empty = '02000000000000000000';
  assert.equal(decode(transaction(TOKENS), fromHex(empty)).vin.length, 0);
  const oneOutput = `020000000001${OUT}00000000`;
  assert.throws(() => decode(transaction(TOKENS), fromHex(oneOutput)), DecodeError);
  assert.equal(decode(transaction(TOKENS, { witness: false }), fromHex(oneOutput)).vout.length, 1);
});

test('a coinbase has one null input', () => {
  const nothing = `01${'00'.repeat(32)}ffffffff00ffffffff`;
  assert.equal(isCoinbase(decode(transaction(TOKENS), fromHex(`01000000${nothing}0000000000`))), true);
  assert.equal(isCoinbase(decode(transaction(TOKENS), fromHex(`01000000${IN}0000000000`))), false);
  assert.equal(isCoinbase(decode(transaction(TOKENS), fromHex(`01000000${nothing.replace('ffffffff00', 'feffffff00')}0000000000`))), false);
  const two = `02${nothing.slice(2)}${nothing.slice(2)}`;
  assert.equal(isCoinbase(decode(transaction(TOKENS), fromHex(`01000000${two}0000000000`))), false);
});

test('weight and virtual size count witness data once, all else four times', () => {
  const tx = decode(transaction(TOKENS), fromHex(`020000000001${IN}000163${'00'.repeat(0x63)}00000000`));
  assert.equal(tx.strippedSize, 51);
  assert.equal(tx.raw.length, 51 + 2 + 2 + 0x63);
  assert.equal(transactionWeight(tx), 51 * 4 + 103);
  assert.equal(virtualSize(tx), 77);
});
