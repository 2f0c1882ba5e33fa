import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sha256d } from '../../../src/crypto/hash.js';
import { ByteReader, DecodeError, decode, encode } from '../../../src/primitives/codec.js';
import { merkleRoot } from '../../../src/primitives/merkle.js';
import {
  buildPartialMerkleTree,
  merkleBlock,
  type PartialMerkleTree,
  partialMerkleTree,
  readPartialMerkleTree,
} from '../../../src/primitives/partial-merkle.js';
import { fromHex, toHex } from '../../../src/util/bytes.js';
import { fc } from '../../property.js';

function leavesOf(count: number): Uint8Array[] {
  return Array.from({ length: count }, (_, i) => sha256d(Uint8Array.of(i, i >> 8)));
}

test('a proof contains exactly the requested leaves, under the root of the whole tree', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 60 }), (proven) => {
      const leaves = leavesOf(proven.length);
      const tree = decode(partialMerkleTree, encode(partialMerkleTree, buildPartialMerkleTree(leaves, proven)));
      const read = readPartialMerkleTree(tree);
      assert.ok(read);
      assert.equal(toHex(read.root), toHex(merkleRoot(leaves).root));
      assert.deepEqual(read.leaves.map(toHex), leaves.filter((_, i) => proven[i]).map(toHex));
      const positions = [...leaves.keys()].filter((i) => proven[i]);
      assert.deepEqual(read.positions, positions);
    }),
  );
});

test('random bytes are rejected with DecodeError, or are a well-formed proof', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      try {
        const tree = partialMerkleTree.read(new ByteReader(bytes));
        const read = readPartialMerkleTree(tree);
        if (read) assert.ok(read.leaves.length <= tree.leafCount);
      } catch (error) {
        assert.ok(error instanceof DecodeError);
      }
    }),
  );
});

test('flags and hashes of a seven-leaf tree that proves its last leaf', () => {
  const leaves = leavesOf(7);
  const tree = buildPartialMerkleTree(leaves, [false, false, false, false, false, false, true]);
  // Root 1, left half 0, right half 1, its left pair 0, its right node 1, the leaf 1: lowest bit first.
  assert.equal(toHex(tree.flags), '35');
  assert.equal(tree.hashes.length, 3);
  assert.equal(toHex(tree.hashes[2] as Uint8Array), toHex(leaves[6] as Uint8Array));
});

const good = buildPartialMerkleTree(leavesOf(4), [false, true, false, false]);
const [a, b, right] = good.hashes as [Uint8Array, Uint8Array, Uint8Array];
const malformed: readonly { readonly name: string; readonly tree: PartialMerkleTree }[] = [
  { name: 'no leaves', tree: { ...good, leafCount: 0 } },
  { name: 'more leaves than a block holds', tree: { ...good, leafCount: 266_667 } },
  { name: 'more hashes than leaves', tree: { ...good, leafCount: 2 } },
  { name: 'more hashes than flags', tree: { leafCount: 100, hashes: leavesOf(9), flags: Uint8Array.of(0xff) } },
  { name: 'a hash left over', tree: { ...good, hashes: [a, b, right, right] } },
  { name: 'a hash missing', tree: { ...good, hashes: [a, b] } },
  { name: 'a byte of flags left over', tree: { ...good, flags: Uint8Array.of(good.flags[0] as number, 0) } },
  { name: 'flags that run out', tree: { leafCount: 256, hashes: leavesOf(8), flags: Uint8Array.of(0xff) } },
  { name: 'equal halves', tree: { leafCount: 2, hashes: [a, a], flags: Uint8Array.of(0b011) } },
];
for (const { name, tree } of malformed) test(`malformed: ${name}`, () => assert.equal(readPartialMerkleTree(tree), undefined));

test('the base of the malformed trees is well formed', () => assert.ok(readPartialMerkleTree(good)));

test('gettxoutproof of defid: header and tree', () => {
  // Regtest, block 50 of the recorded chain rpc_blockchain.
  const text =
    '0000002094118cb706078f50b58726de583ba3871567b9b36d92faead2704ac473e6905ff087ff0bdeaa5ba7fc9501bb9bc29566ef38846636cfcc6037' +
    'ccaae78ee71b62a2c31e5effff7f205b19a24141987b477ad9f4805d7a6551eabd0ed78e3905cf1361f416d244b3ab3200000000000000010000000000' +
    '0000411f093431a477c12f5ffca59173e60f0d7d333fb6060abe307cfddc2d96c06f603448eaefc80b63e977eda8386ac39314670d1842fd3aadd1261d' +
    '49929d9701e4940100000001f087ff0bdeaa5ba7fc9501bb9bc29566ef38846636cfcc6037ccaae78ee71b620101';
  const proof = decode(merkleBlock, fromHex(text));
  assert.equal(proof.tree.leafCount, 1);
  assert.equal(toHex(readPartialMerkleTree(proof.tree)?.root ?? new Uint8Array()), toHex(proof.header.merkleRoot));
  assert.equal(toHex(encode(merkleBlock, proof)), text);
});
