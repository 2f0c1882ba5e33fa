import * as noble from '@noble/secp256k1';
import { concatBytes, fromHex, toHex } from '../util/bytes.js';
import type { EcdsaBackend } from './ecdsa-backend.js';
import { hmacSha256, sha256 } from './hash.js';

noble.hashes.sha256 = (message) => Uint8Array.from(sha256(message));
noble.hashes.hmacSha256 = (key, message) => Uint8Array.from(hmacSha256(key, message));

/** Converts a hybrid key, whose prefix repeats the parity of y, to the uncompressed form: the library does not support hybrid keys. */
function withoutHybrid(publicKey: Uint8Array): Uint8Array | undefined {
  const prefix = publicKey[0];
  if (prefix !== 6 && prefix !== 7) return publicKey;
  const last = publicKey[64];
  if (last === undefined || (last & 1) !== (prefix & 1)) return undefined;
  return concatBytes(Uint8Array.of(4), publicKey.subarray(1));
}

function toNumber(bytes: Uint8Array): bigint {
  return BigInt(`0x${toHex(bytes)}`);
}

/** Backend in JavaScript: about 60 times slower, without native code, and the oracle of the tests. */
export function nobleBackend(): EcdsaBackend {
  return {
    verify(signature, hash, publicKey) {
      const key = withoutHybrid(publicKey);
      try {
        return key !== undefined && noble.verify(signature, hash, key, { prehash: false, lowS: false });
      } catch {
        return false;
      }
    },
    recover(signature, recoveryId, hash, compressed) {
      try {
        const recoverable = concatBytes(Uint8Array.of(recoveryId), signature);
        return noble.recoverPublicKey(recoverable, hash, { prehash: false, isCompressed: compressed });
      } catch {
        return undefined;
      }
    },
    sign(hash, secretKey, extraData) {
      const signed = noble.sign(hash, secretKey, { prehash: false, format: 'recovered', ...(extraData && { extraEntropy: extraData }) });
      return { signature: signed.subarray(1), recoveryId: signed[0] as number };
    },
    isSecretKey: (secretKey) => noble.utils.isValidSecretKey(secretKey),
    publicKeyOf: (secretKey, compressed) => noble.getPublicKey(secretKey, compressed),
    addToSecretKey(secretKey, scalar) {
      const { n } = noble.Point.CURVE();
      const added = toNumber(scalar);
      const sum = (toNumber(secretKey) + added) % n;
      return added < n && sum !== 0n ? fromHex(sum.toString(16).padStart(64, '0')) : undefined;
    },
    addToPublicKey(publicKey, scalar) {
      const key = withoutHybrid(publicKey);
      const added = toNumber(scalar);
      try {
        const point = key && noble.Point.fromBytes(key);
        // The library rejects multiplication by zero.
        const sum = added === 0n ? point : point?.add(noble.Point.BASE.multiply(added));
        return sum?.is0() ? undefined : sum?.toBytes(true);
      } catch {
        return undefined;
      }
    },
    uncompressed(publicKey) {
      const key = withoutHybrid(publicKey);
      try {
        return key && noble.Point.fromBytes(key).toBytes(false);
      } catch {
        return undefined;
      }
    },
    isPublicKey(publicKey) {
      const key = withoutHybrid(publicKey);
      return key !== undefined && noble.utils.isValidPublicKey(key);
    },
  };
}
