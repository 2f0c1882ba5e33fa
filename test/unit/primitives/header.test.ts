import assert from 'node:assert/strict';
import { test } from 'node:test';
import { block, blockSizes } from '../../../src/primitives/block.js';
import { DecodeError, decode, encode } from '../../../src/primitives/codec.js';
import { formatHash } from '../../../src/primitives/hash.js';
import { type BlockHeader, blockHash, blockHeader, hashToSign } from '../../../src/primitives/header.js';
import { fromHex, toHex } from '../../../src/util/bytes.js';
import { fc } from '../../property.js';

// The first block of a recorded regtest chain: signed header, one coinbase with a witness.
const HEADER =
  '0000002001cd14788d1b4a9fa21ef5b34252a7ce40ba70ba9120ba8ed063b21509f09100e38b162b3c7d8f4528e2e58980db8c2d60bcbe45333ff32936a978a3f9f22129e7f9006bffff7f20f18014878e8f34fcb187769e8b2f7f46961f1834f57753750c8a7835b4a0704501000000000000000100000000000000411f4a0f6952b7d59a782c60d8d1cc6d7fecc9adc4506ea7c01fd78c04373587ba487f6cb67ff9ddb1774d276c691bce6f29675160a977aae18edd85c2e4cd110608';
const COINBASE =
  '01020000000001010000000000000000000000000000000000000000000000000000000000000000ffffffff025100ffffffff0200f2052a010000001976a914c2700426e3b889b602df089a4d53aef05fe6316a88ac0000000000000000266a24aa21a9ede2f61c3f71d1defd3fa999dfa36953755c690689799962b48bebd836974e8cf90120000000000000000000000000000000000000000000000000000000000000000000000000';

test('a signed header: 190 bytes, its fields, its hash', () => {
  const header = decode(blockHeader, fromHex(HEADER));
  assert.equal(fromHex(HEADER).length, 190);
  assert.equal(header.version, 0x20000000);
  assert.equal(formatHash(header.prevHash), '0091f00915b263d08eba2091ba70ba40cea75242b3f51ea29f4a1b8d7814cd01');
  assert.deepEqual([header.time, header.bits, header.height, header.mintedBlocks], [1_795_226_087, 0x207fffff, 1n, 1n]);
  assert.equal(header.signature.length, 65);
  assert.equal(formatHash(blockHash(header)), 'dbc834ac51ddf919001069b65deba771a2ab76b6c3dcd0493ff188dd17b7b532');
  assert.equal(toHex(encode(blockHeader, header)), HEADER);
});

test('hashToSign covers every field except the signature', () => {
  const header = decode(blockHeader, fromHex(HEADER));
  const signed = toHex(hashToSign(header));
  const other = Buffer.alloc(32, 9);
  const changes: readonly Partial<BlockHeader>[] = [
    { version: 1 },
    { prevHash: other },
    { merkleRoot: other },
    { time: 1 },
    { bits: 1 },
    { stakeModifier: other },
    { height: 2n },
    { mintedBlocks: 2n },
  ];
  for (const change of changes) assert.notEqual(toHex(hashToSign({ ...header, ...change })), signed, Object.keys(change).join());
  assert.equal(toHex(hashToSign({ ...header, signature: new Uint8Array(0) })), signed);
});

test('a block and its sizes', () => {
  const format = { tokenIds: true };
  const bytes = fromHex(HEADER + COINBASE);
  const value = decode(block(format), bytes);
  assert.equal(toHex(encode(block(format), value)), toHex(bytes));
  assert.equal(formatHash(value.hash), 'dbc834ac51ddf919001069b65deba771a2ab76b6c3dcd0493ff188dd17b7b532');
  // The witness takes 36 bytes: marker, flag, and one stack of one 32-byte item.
  assert.deepEqual(blockSizes(value), { size: bytes.length, strippedSize: bytes.length - 36, weight: 4 * bytes.length - 3 * 36 });
});

test('headers round-trip; random bytes are rejected with DecodeError', () => {
  const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });
  const u64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
  const u32 = fc.integer({ min: 0, max: 0xffffffff });
  const headers = fc.record({
    version: fc.integer({ min: -0x80000000, max: 0x7fffffff }),
    prevHash: bytes32,
    merkleRoot: bytes32,
    time: u32,
    bits: u32,
    stakeModifier: bytes32,
    height: u64,
    mintedBlocks: u64,
    signature: fc.uint8Array({ maxLength: 100 }),
  });
  const refusal = (codec: Parameters<typeof decode>[0], bytes: Uint8Array) => {
    try {
      decode(codec, bytes);
    } catch (error) {
      assert.ok(error instanceof DecodeError, String(error));
    }
  };
  fc.assert(
    fc.property(headers, fc.uint8Array({ maxLength: 300 }), fc.nat(), (header, random, cut) => {
      const bytes = encode(blockHeader, header);
      assert.equal(toHex(encode(blockHeader, decode(blockHeader, bytes))), toHex(bytes));
      assert.throws(() => decode(blockHeader, bytes.subarray(0, cut % bytes.length)), DecodeError);
      refusal(blockHeader, random);
      refusal(block({ tokenIds: true }), Buffer.concat([bytes, random]));
    }),
  );
});
