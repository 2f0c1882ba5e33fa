import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkCommitments, checkOutline, witnessCommitmentScript } from '../../../src/consensus/block.js';
import { BlockInvalid } from '../../../src/consensus/errors.js';
import { networkParams } from '../../../src/params/index.js';
import { type Block, block } from '../../../src/primitives/block.js';
import { outlineOf, readOutline, txidsOf } from '../../../src/primitives/block-outline.js';
import { DecodeError, decode, encode } from '../../../src/primitives/codec.js';
import { NULL_HASH } from '../../../src/primitives/hash.js';
import { merkleRoot } from '../../../src/primitives/merkle.js';
import { makeTransaction, type TransactionFields } from '../../../src/primitives/transaction.js';
import { concatBytes, toHex } from '../../../src/util/bytes.js';
import { finish } from '../../../src/util/slicer.js';
import { fc } from '../../property.js';

const params = networkParams({ network: 'regtest' });
const format = params.txFormat;
const codec = block(format);
const NONCE = new Uint8Array(32).fill(9);

const payment = fc.record({
  version: fc.constantFrom(1, 2, 4),
  vin: fc.array(
    fc.record({
      prevout: fc.record({ txid: fc.uint8Array({ minLength: 32, maxLength: 32 }), vout: fc.nat(300) }),
      scriptSig: fc.uint8Array({ maxLength: 300 }),
      sequence: fc.nat(),
      witness: fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 3 }),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  vout: fc.array(
    fc.record({ value: fc.bigInt({ min: 0n, max: 2n ** 62n }), scriptPubKey: fc.uint8Array({ maxLength: 300 }), tokenId: fc.nat(300) }),
    {
      maxLength: 3,
    },
  ),
  lockTime: fc.nat(),
});

/** A block that commits to its transactions and, if asked, to their witnesses. */
function blockWith(payments: readonly TransactionFields[], commits: boolean): Block {
  const rest = payments.map((fields) => {
    // Without tokens the outputs of old versions have none.
    const vout = fields.vout.map((out) => ({ ...out, tokenId: fields.version < 4 ? 0 : out.tokenId }));
    return makeTransaction({ ...fields, vout }, format);
  });
  const base = { version: 2, lockTime: 0 };
  const vin = [
    { prevout: { txid: NULL_HASH, vout: 0xffffffff }, scriptSig: Uint8Array.of(1, 2), sequence: 0, witness: commits ? [NONCE] : [] },
  ];
  const reward = { value: 5n, scriptPubKey: Uint8Array.of(0x51), tokenId: 0 };
  const bare = makeTransaction({ ...base, vin, vout: [reward] }, format);
  const commitment = { value: 0n, scriptPubKey: witnessCommitmentScript([bare, ...rest], NONCE), tokenId: 0 };
  const coinbase = commits ? makeTransaction({ ...base, vin, vout: [reward, commitment] }, format) : bare;
  const transactions = [coinbase, ...rest];
  const header = { ...params.genesis.header, merkleRoot: merkleRoot(transactions.map(({ txid }) => txid)).root };
  return decode(codec, encode(codec, { header, hash: NULL_HASH, transactions }));
}

const blocks = fc.tuple(fc.array(payment, { maxLength: 5 }), fc.boolean()).map(([payments, commits]) => blockWith(payments, commits));

test('the outline of bytes is that of the block which they encode', () => {
  fc.assert(
    fc.property(blocks, (value) => {
      const bytes = encode(codec, value);
      const outline = finish(readOutline(bytes, format));
      assert.deepEqual(
        { ...outline, coinbase: outline.coinbase.raw },
        { ...outlineOf(value), coinbase: value.transactions[0]?.raw, witnessLeaves: undefined, isFound: undefined },
      );
      const { witnessLeaves } = finish(readOutline(bytes, format, { witnessLeaves: true }));
      const wtxids = value.transactions.map(({ wtxid }, i) => (i === 0 ? NULL_HASH : wtxid));
      assert.equal(toHex(witnessLeaves ?? assert.fail()), wtxids.map(toHex).join(''));
      assert.deepEqual(
        txidsOf(outline).map(toHex),
        value.transactions.map(({ txid }) => toHex(txid)),
      );
    }),
  );
});

/** Reason for which a check fails; undefined if it passes. */
function reasonOf(check: () => void): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof BlockInvalid) return error.reason;
    if (error instanceof DecodeError) return 'no block';
    throw error;
  }
}

/** Reason for which bytes are refused as block at a height, by the outline. */
function outlineReason(bytes: Uint8Array, height: number): string | undefined {
  return reasonOf(() => finish(checkOutline(finish(readOutline(bytes, format, { witnessLeaves: true })), height, params)));
}

test('a watch finds what an input, an output or a txid of the block has, and nothing else', () => {
  fc.assert(
    fc.property(blocks, fc.nat(), (value, at) => {
      const { transactions } = value;
      const txids = transactions.flatMap(({ txid, vin }) => [txid, ...vin.map(({ prevout }) => prevout.txid)]).map(toHex);
      const scripts = transactions.flatMap(({ vout }) => vout.map(({ scriptPubKey }) => toHex(scriptPubKey)));
      const finds = (txid: string | undefined, script: string | undefined) => {
        const watch = {
          wantsTxid: (bytes: Uint8Array, from: number) => toHex(bytes.subarray(from, from + 32)) === txid,
          wantsScript: (bytes: Uint8Array) => toHex(bytes) === script,
        };
        return finish(readOutline(encode(codec, value), format, { watch })).isFound;
      };
      assert.equal(finds(txids[at % txids.length], undefined), true);
      assert.equal(finds(undefined, scripts[at % scripts.length]), true);
      assert.equal(finds('ab'.repeat(32), 'ab'.repeat(400)), false);
      assert.equal(finish(readOutline(encode(codec, value), format)).isFound, undefined);
    }),
  );
});

test('a long transaction with a witness has the same id in the outline', () => {
  const input = {
    prevout: { txid: new Uint8Array(32).fill(3), vout: 0 },
    scriptSig: new Uint8Array(70_000),
    sequence: 0,
    witness: [NONCE],
  };
  const value = blockWith([{ version: 2, vin: [input], vout: [], lockTime: 7 }], true);
  assert.equal(toHex(finish(readOutline(encode(codec, value), format)).txids), toHex(outlineOf(value).txids));
});

test('commitments are checked on an outline as on the block', () => {
  const heights = fc.constantFrom(params.buried.segwit - 1, params.buried.segwit, params.buried.segwit + 1);
  const seen = new Set<string | undefined>();
  fc.assert(
    fc.property(blocks, fc.nat(), fc.integer({ min: 0, max: 255 }), fc.boolean(), heights, (value, at, mask, isAltered, height) => {
      const bytes = encode(codec, value);
      if (isAltered) bytes[at % bytes.length] = (bytes[at % bytes.length] ?? 0) ^ mask;
      const expected = reasonOf(() => checkCommitments(decode(codec, bytes), height, params));
      const reason = outlineReason(bytes, height);
      seen.add(expected);
      // A transaction that does not decode may have an outline, but then its id is another one.
      if (expected === 'no block') assert.ok(reason);
      else assert.equal(reason, expected);
    }),
    { numRuns: 2_000 },
  );
  for (const reason of [undefined, 'no block', 'bad-txnmrklroot', 'unexpected-witness', 'bad-witness-merkle-match'])
    assert.ok(seen.has(reason), reason);
});

test('bytes that end early, end late, or claim more transactions than they can have are refused', () => {
  const bytes = encode(codec, blockWith([], false));
  const { length } = encode(codec, { ...params.genesis, transactions: [] });
  const claims = (...count: number[]) => concatBytes(bytes.subarray(0, length - 1), Uint8Array.from(count), bytes.subarray(length));
  assert.equal(outlineReason(bytes, 1), undefined);
  for (const wrong of [
    bytes.subarray(0, -1),
    concatBytes(bytes, Uint8Array.of(0)),
    claims(0),
    claims(2),
    claims(0xfe, 0xff, 0xff, 0xff, 1),
  ]) {
    assert.throws(() => finish(readOutline(wrong, format)), DecodeError);
  }
});
