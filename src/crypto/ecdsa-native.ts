import { createRequire } from 'node:module';
import type * as Secp256k1 from 'secp256k1';
import type { EcdsaBackend } from './ecdsa-backend.js';

/** Position of s in a signature. */
const S_OFFSET = 32;
/** An s that begins with a lower byte is below half of the group order, which begins with this one. */
const LOW_S_FIRST_BYTE = 0x7f;

/**
 * Backend with libsecp256k1. Loads the native binding directly, as the package's main module would silently fall back to slow JavaScript.
 * @throws if there is no binary for this platform
 */
export function nativeBackend(): EcdsaBackend {
  const lib = createRequire(import.meta.url)('secp256k1/bindings.js') as typeof Secp256k1;
  return {
    verify(signature, hash, publicKey) {
      try {
        // The library rejects high-S signatures, but the chain contains them.
        const lowS = (signature[S_OFFSET] as number) < LOW_S_FIRST_BYTE ? signature : lib.signatureNormalize(signature);
        return lib.ecdsaVerify(lowS, hash, publicKey);
      } catch {
        return false;
      }
    },
    recover(signature, recoveryId, hash, compressed) {
      try {
        return lib.ecdsaRecover(signature, recoveryId, hash, compressed);
      } catch {
        return undefined;
      }
    },
    sign(hash, secretKey, extraData) {
      const { signature, recid } = lib.ecdsaSign(hash, secretKey, extraData && { data: extraData });
      return { signature, recoveryId: recid };
    },
    isSecretKey: (secretKey) => lib.privateKeyVerify(secretKey),
    publicKeyOf: (secretKey, compressed) => lib.publicKeyCreate(secretKey, compressed),
    addToSecretKey(secretKey, scalar) {
      try {
        return lib.privateKeyTweakAdd(Uint8Array.from(secretKey), scalar);
      } catch {
        return undefined;
      }
    },
    addToPublicKey(publicKey, scalar) {
      try {
        return lib.publicKeyTweakAdd(publicKey, scalar, true);
      } catch {
        return undefined;
      }
    },
    uncompressed(publicKey) {
      try {
        return lib.publicKeyConvert(publicKey, false);
      } catch {
        return undefined;
      }
    },
    isPublicKey: (publicKey) => lib.publicKeyVerify(publicKey),
  };
}
