import { createRequire } from 'node:module';
import type * as Secp256k1 from 'secp256k1';
import type { EcdsaBackend } from './ecdsa-backend.js';

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
        return lib.ecdsaVerify(lib.signatureNormalize(signature), hash, publicKey);
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
