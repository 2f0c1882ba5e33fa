import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as noble from '@noble/secp256k1';

import {
  compressed,
  isPublicKey,
  isSecretKey,
  publicKeyOf,
  recoverCompact,
  signCompact,
  uncompressed,
  verify,
} from '../../../src/crypto/ecdsa.js';
import { nativeBackend } from '../../../src/crypto/ecdsa-native.js';
import { nobleBackend } from '../../../src/crypto/ecdsa-noble.js';
import { sha256 } from '../../../src/crypto/hash.js';
import { concatBytes, EMPTY_BYTES, fromHex, toHex } from '../../../src/util/bytes.js';
import { fc } from '../../property.js';

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const SECRET = fromHex('00000000000000000000000000000000000000000000000000000000000001c8');
const HASH = sha256(Buffer.from('message'));
const BAD_SECRETS = ['00'.repeat(32), ORDER.toString(16), 'ff'.repeat(32), '01'];

function scalar(value: bigint): Uint8Array {
  return fromHex(value.toString(16).padStart(64, '0'));
}
function toScalar(bytes: Uint8Array): bigint {
  return BigInt(`0x${toHex(bytes)}`);
}
/** DER integer, with a sign byte where one is needed and `padding` zero bytes before it. */
function derInteger(bytes: Uint8Array, padding = 0): Uint8Array {
  const sign = ((bytes[0] ?? 0) & 0x80) !== 0 ? 1 : 0;
  return concatBytes(Uint8Array.of(2, bytes.length + sign + padding), new Uint8Array(sign + padding), bytes);
}
function der(...integers: readonly Uint8Array[]): Uint8Array {
  const body = concatBytes(...integers);
  return concatBytes(Uint8Array.of(0x30, body.length), body);
}

test('the public key of 1 is the generator', () => {
  const one = scalar(1n);
  const x = '79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';
  const y = '483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8';
  assert.equal(toHex(publicKeyOf(one)), `02${x}`);
  assert.equal(toHex(publicKeyOf(one, false)), `04${x}${y}`);
});

test('secrets outside the group are rejected', () => {
  for (const hex of BAD_SECRETS) {
    assert.equal(isSecretKey(fromHex(hex)), false, hex);
    assert.throws(() => publicKeyOf(fromHex(hex)), RangeError);
    assert.throws(() => signCompact(HASH, fromHex(hex)), RangeError);
  }
  assert.equal(isSecretKey(scalar(ORDER - 1n)), true);
});

test('the key is recovered from a compact signature, compressed or not', () => {
  for (const compressed of [true, false]) {
    const signature = signCompact(HASH, SECRET, compressed);
    assert.equal(signature.length, 65);
    const recovered = recoverCompact(signature, HASH);
    assert.equal(recovered?.compressed, compressed);
    assert.equal(toHex(recovered?.publicKey ?? new Uint8Array()), toHex(publicKeyOf(SECRET, compressed)));
  }
});

test('only the low three bits of the header byte minus 27 are used', () => {
  const signature = signCompact(HASH, SECRET);
  const key = toHex(publicKeyOf(SECRET));
  const recoveredBy = (header: number) => {
    const changed = Uint8Array.from(signature);
    changed[0] = header & 0xff;
    const recovered = recoverCompact(changed, HASH);
    return recovered && toHex(recovered.publicKey);
  };
  const header = signature[0] as number;
  assert.equal(recoveredBy(header + 8), key);
  assert.equal(recoveredBy(header - 8), key);
  assert.notEqual(recoveredBy(header ^ 1), key);
});

test('a compact signature with a high s recovers the same key', () => {
  const signature = signCompact(HASH, SECRET);
  const flipped = Uint8Array.from(signature);
  flipped.set(scalar(ORDER - toScalar(signature.subarray(33))), 33);
  flipped[0] = ((((signature[0] as number) - 27) ^ 1) + 27) & 0xff;
  assert.equal(toHex(recoverCompact(flipped, HASH)?.publicKey ?? new Uint8Array()), toHex(publicKeyOf(SECRET)));
});

test('no key is recovered from compact signatures of other lengths or with invalid scalars', () => {
  const signature = signCompact(HASH, SECRET);
  assert.equal(recoverCompact(signature.subarray(0, 64), HASH), undefined);
  assert.equal(recoverCompact(concatBytes(signature, Uint8Array.of(0)), HASH), undefined);
  assert.equal(recoverCompact(new Uint8Array(0), HASH), undefined);
  for (const bad of [scalar(0n), scalar(ORDER)]) {
    for (const at of [1, 33]) {
      const changed = Uint8Array.from(signature);
      changed.set(bad, at);
      assert.equal(recoverCompact(changed, HASH), undefined);
    }
  }
});

test('verify accepts lax DER', () => {
  const key = publicKeyOf(SECRET);
  const compact = signCompact(HASH, SECRET).subarray(1);
  const r = compact.subarray(0, 32);
  const s = compact.subarray(32);
  const highS = scalar(ORDER - toScalar(s));
  const body = concatBytes(derInteger(r), derInteger(s));
  const accepted = {
    strict: der(derInteger(r), derInteger(s)),
    'high s': der(derInteger(r), derInteger(highS)),
    'padded integers': der(derInteger(r, 3), derInteger(s, 1)),
    'no sign bytes': concatBytes(Uint8Array.of(0x30, 68, 2, 32), r, Uint8Array.of(2, 32), s),
    'bytes behind': concatBytes(der(derInteger(r), derInteger(s)), Uint8Array.of(1, 2, 3)),
    'wrong sequence length': concatBytes(Uint8Array.of(0x30, 1), body),
    'long form of the sequence length': concatBytes(Uint8Array.of(0x30, 0x82, 0, body.length), body),
    'long form of an integer length': concatBytes(Uint8Array.of(0x30, 70, 2, 0x83, 0, 0, 32), r, derInteger(s)),
  };
  for (const [name, signature] of Object.entries(accepted)) assert.equal(verify(key, signature, HASH), true, name);
  const refused = {
    empty: new Uint8Array(0),
    'no sequence': body,
    'cut off': der(derInteger(r), derInteger(s)).subarray(0, -1),
    'integers swapped': der(derInteger(s), derInteger(r)),
    'r too long': der(derInteger(concatBytes(Uint8Array.of(1), r)), derInteger(s)),
    's beyond the order': der(derInteger(r), derInteger(scalar(ORDER))),
    'r of zero': der(derInteger(scalar(0n)), derInteger(s)),
    'length of four bytes': concatBytes(Uint8Array.of(0x30, 70, 2, 0x84, 1, 0, 0, 32), r, derInteger(s)),
  };
  for (const [name, signature] of Object.entries(refused)) assert.equal(verify(key, signature, HASH), false, name);
  assert.equal(verify(key, accepted.strict, sha256(Buffer.from('another message'))), false);
  assert.equal(verify(publicKeyOf(scalar(7n)), accepted.strict, HASH), false);
});

test('keys are accepted in all three forms, hybrid ones only with the right parity', () => {
  const full = publicKeyOf(SECRET, false);
  const odd = (full[64] as number) & 1;
  const hybrid = (prefix: number) => concatBytes(Uint8Array.of(prefix), full.subarray(1));
  const compact = signCompact(HASH, SECRET).subarray(1);
  const signature = der(derInteger(compact.subarray(0, 32)), derInteger(compact.subarray(32)));
  for (const key of [publicKeyOf(SECRET), full, hybrid(6 + odd)]) {
    assert.equal(isPublicKey(key), true);
    assert.equal(verify(key, signature, HASH), true);
  }
  for (const key of [hybrid(7 - odd), hybrid(5), full.subarray(0, 33), new Uint8Array(33), new Uint8Array(0)]) {
    assert.equal(isPublicKey(key), false);
    assert.equal(verify(key, signature, HASH), false);
  }
});

test('both libraries agree', () => {
  const native = nativeBackend();
  const js = nobleBackend();
  const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });
  const hex = (bytes: Uint8Array | undefined) => bytes && toHex(bytes);
  fc.assert(
    fc.property(
      bytes32,
      bytes32,
      fc.uint8Array({ minLength: 64, maxLength: 64 }),
      fc.nat(3),
      fc.boolean(),
      (seed, hash, random, id, compressed) => {
        assert.equal(native.isSecretKey(seed), js.isSecretKey(seed));
        if (!native.isSecretKey(seed)) return;
        const key = native.publicKeyOf(seed, compressed);
        assert.equal(hex(key), hex(js.publicKeyOf(seed, compressed)));
        const signed = native.sign(hash, seed);
        const other = js.sign(hash, seed);
        assert.deepEqual([hex(signed.signature), signed.recoveryId], [hex(other.signature), other.recoveryId]);
        for (const signature of [signed.signature, random]) {
          assert.equal(hex(native.recover(signature, id, hash, compressed)), hex(js.recover(signature, id, hash, compressed)));
          assert.equal(native.verify(Uint8Array.from(signature), hash, key), js.verify(Uint8Array.from(signature), hash, key));
        }
        assert.equal(native.verify(Uint8Array.from(signed.signature), hash, key), true);
      },
    ),
    { numRuns: 12 },
  );
});

test('a DER signature of another implementation verifies', () => {
  const compact = noble.sign(HASH, SECRET, { prehash: false, format: 'compact' });
  assert.equal(verify(publicKeyOf(SECRET), der(derInteger(compact.subarray(0, 32)), derInteger(compact.subarray(32))), HASH), true);
});

test('adding to a secret and to its public key is the same, with either library', () => {
  const native = nativeBackend();
  const js = nobleBackend();
  const added = fc.oneof(fc.bigInt(0n, ORDER - 1n), fc.constantFrom(0n, 1n, ORDER - 1n));
  fc.assert(
    fc.property(fc.bigInt(1n, ORDER - 1n), added, (secret, more) => {
      const sum = (secret + more) % ORDER;
      fc.pre(sum !== 0n);
      const publicKey = js.publicKeyOf(scalar(secret), true);
      const expected = toHex(js.publicKeyOf(scalar(sum), true));
      for (const { addToSecretKey, addToPublicKey } of [native, js]) {
        assert.equal(toScalar(addToSecretKey(scalar(secret), scalar(more)) ?? new Uint8Array(32)), sum);
        assert.equal(toHex(addToPublicKey(publicKey, scalar(more)) ?? new Uint8Array()), expected);
      }
    }),
    { numRuns: 20 },
  );
});

test('addition returns undefined for a scalar not below the order, a sum of zero, or an invalid key', () => {
  const one = scalar(1n);
  const generator = publicKeyOf(one);
  for (const { addToSecretKey, addToPublicKey } of [nativeBackend(), nobleBackend()]) {
    for (const bad of [ORDER, ORDER - 1n, ORDER + 1n, 2n ** 256n - 1n]) {
      assert.equal(addToSecretKey(one, scalar(bad)), undefined);
      assert.equal(addToPublicKey(generator, scalar(bad)), undefined);
    }
    assert.equal(addToPublicKey(concatBytes(Uint8Array.of(2), new Uint8Array(32).fill(255)), one), undefined);
  }
  assert.equal(toScalar(one), 1n); // The arguments are not modified.
});

test('the forms of a public key', () => {
  const [short, long] = [publicKeyOf(SECRET), publicKeyOf(SECRET, false)];
  const hybrid = concatBytes(Uint8Array.of(6 + ((long[64] ?? 0) & 1)), long.subarray(1));
  for (const key of [short, long, hybrid]) {
    assert.equal(toHex(uncompressed(key) ?? EMPTY_BYTES), toHex(long));
    assert.equal(toHex(compressed(key) ?? EMPTY_BYTES), toHex(short));
  }
  for (const backend of [nativeBackend(), nobleBackend()]) assert.equal(toHex(backend?.uncompressed(short) ?? long), toHex(long));
  assert.equal(uncompressed(concatBytes(Uint8Array.of(2), new Uint8Array(32).fill(0xff))), undefined);
  assert.equal(uncompressed(new Uint8Array(33)), undefined);
});
