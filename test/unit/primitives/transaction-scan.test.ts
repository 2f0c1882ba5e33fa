import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ByteReader, DecodeError } from '../../../src/primitives/codec.js';
import { serializeTransaction, type TransactionFields, transaction } from '../../../src/primitives/transaction.js';
import { endOfTransaction } from '../../../src/primitives/transaction-scan.js';
import { concatBytes } from '../../../src/util/bytes.js';
import { fc } from '../../property.js';

const bytes = (maxLength: number) => fc.uint8Array({ maxLength });
const u32 = fc.integer({ min: 0, max: 0xffffffff });
const inputs = fc.record({
  prevout: fc.record({ txid: fc.uint8Array({ minLength: 32, maxLength: 32 }), vout: u32 }),
  scriptSig: bytes(300),
  sequence: u32,
  witness: fc.array(bytes(40), { maxLength: 3 }),
});
const outputs = fc.record({ value: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), scriptPubKey: bytes(300), tokenId: u32 });
const transactions: fc.Arbitrary<TransactionFields> = fc.record({
  version: fc.oneof(fc.integer({ min: -2, max: 6 }), fc.integer({ min: -0x80000000, max: 0x7fffffff })),
  vin: fc.array(inputs, { maxLength: 3 }),
  vout: fc.array(outputs, { maxLength: 3 }),
  lockTime: u32,
});

/** End by decoding; undefined if the bytes do not decode. */
function decodedEnd(data: Uint8Array, format: { readonly tokenIds: boolean }, witness: boolean): number | undefined {
  const r = new ByteReader(data);
  try {
    transaction(format, { witness }).read(r);
    return r.position;
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

function sameEnd(data: Uint8Array, tokenIds: boolean, witness: boolean): void {
  const decoded = decodedEnd(data, { tokenIds }, witness);
  if (decoded !== undefined) assert.equal(endOfTransaction(data, 0, { tokenIds }, witness), decoded);
}

test('the scan of a transaction ends where decoding ends', () => {
  fc.assert(
    fc.property(transactions, fc.boolean(), fc.boolean(), bytes(3), (fields, tokenIds, witness, rest) => {
      const raw = serializeTransaction(fields, { tokenIds });
      const readsWitness = witness || fields.vin.some((input) => input.witness.length > 0);
      sameEnd(concatBytes(raw, rest), tokenIds, witness);
      if (fields.vin.length > 0) assert.equal(endOfTransaction(raw, 0, { tokenIds }, readsWitness), raw.length);
      for (let size = 0; size < raw.length; size += 7) sameEnd(raw.subarray(0, size), tokenIds, witness);
      assert.equal(fields.vin.length > 0 ? endOfTransaction(raw.subarray(0, -1), 0, { tokenIds }, readsWitness) : -1, -1);
    }),
  );
});

test('the scan accepts whatever decodes among changed bytes', () => {
  fc.assert(
    fc.property(transactions, fc.nat(), fc.nat(255), fc.boolean(), fc.boolean(), (fields, at, value, tokenIds, witness) => {
      const raw = serializeTransaction(fields, { tokenIds });
      raw[at % raw.length] = value;
      sameEnd(raw, tokenIds, witness);
    }),
  );
});
