import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sha256d } from '../../../src/crypto/hash.js';
import { formatHash, type Hash256, NULL_HASH, parseHash256 } from '../../../src/primitives/hash.js';
import { merkleRoot, merkleSteps } from '../../../src/primitives/merkle.js';
import { concatBytes, fromHex, toHex } from '../../../src/util/bytes.js';
import { fc } from '../../property.js';

const leaf = (n: number): Hash256 => sha256d(Uint8Array.of(n));
const leaves = (count: number) => Array.from({ length: count }, (_, n) => leaf(n));
const join = (a: Hash256, b: Hash256) => sha256d(concatBytes(a, b));

test('no leaves give the null hash, one leaf is its own root', () => {
  assert.deepEqual(merkleRoot([]), { root: NULL_HASH, mutated: false });
  assert.equal(toHex(merkleRoot([leaf(7)]).root), toHex(leaf(7)));
});

test('the tree of three and of five leaves', () => {
  const [a, b, c, d, e] = leaves(5) as [Hash256, Hash256, Hash256, Hash256, Hash256];
  assert.equal(toHex(merkleRoot([a, b, c]).root), toHex(join(join(a, b), join(c, c))));
  const right = join(join(e, e), join(e, e));
  assert.equal(toHex(merkleRoot([a, b, c, d, e]).root), toHex(join(join(join(a, b), join(c, d)), right)));
});

test('the root of a known block of four transactions', () => {
  // Bitcoin's block 100,000.
  const txids = [
    '8c14f0db3df150123e6f3dbbf30f8b955a8249b62ac1d1ff16284aefa3d06d87',
    'fff2525b8931402dd09222c50775608f75787bd2b87e56995a7bdd30f79702c4',
    '6359f0868171b1d194cbee1af2f16ea598ae8fad666d9b012c8ed2b79a236ec4',
    'e9a66845e05d5abc0ad04ec80f774a7e585c6e8db975962d069a522137b80c1d',
  ].map(parseHash256);
  assert.equal(formatHash(merkleRoot(txids).root), 'f3e94742aca4b5ef85488dc37c06c3282295ffec960994b2c0d5ac2a25a95766');
});

test('lists with a repeated tail have the same root and are detected as mutated', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), (count) => {
      const plain = leaves(count);
      assert.equal(merkleRoot(plain).mutated, false);
      // Repeat the leaves below the last node of the lowest level that is odd.
      let width = count;
      let size = 1;
      while (width > 1 && width % 2 === 0) {
        width /= 2;
        size *= 2;
      }
      if (width === 1) return;
      const repeated = merkleRoot([...plain, ...plain.slice(-size)]);
      assert.equal(toHex(repeated.root), toHex(merkleRoot(plain).root));
      assert.equal(repeated.mutated, true);
    }),
  );
});

test('hash text is the bytes reversed', () => {
  const text = '00112233445566778899aabbccddeeff00112233445566778899aabbccddee01';
  assert.equal(formatHash(parseHash256(text)), text);
  assert.equal(toHex(parseHash256(text)), toHex(fromHex(text).reverse()));
  for (const bad of ['', text.slice(2), `${text}00`, `${text.slice(2)}xx`, ` ${text.slice(1)}`])
    assert.throws(() => parseHash256(bad), TypeError);
});

test('the root of many leaves is computed in steps', () => {
  const leaves = Array.from({ length: 2_000 }, (_, i) => leaf(i % 251));
  const steps = merkleSteps(leaves);
  let yields = 0;
  for (let next = steps.next(); ; next = steps.next()) {
    if (next.done) {
      assert.deepEqual(next.value, merkleRoot(leaves));
      break;
    }
    yields += 1;
  }
  // A step is of 64 hashes within a level, and the levels have 1,000, 500, 250, 125 and so on.
  assert.equal(yields, 15 + 7 + 3 + 1);
});
