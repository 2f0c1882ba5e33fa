import { recoverCompact, signCompact } from '../crypto/ecdsa.js';
import { hash160, sha256d } from '../crypto/hash.js';
import type { PrivateKey } from '../crypto/keys.js';
import { ByteWriter, varBytes } from '../primitives/codec.js';
import { equalBytes } from '../util/bytes.js';

/** Prefix of signed messages, so that no signature of a message is valid for a transaction. */
const PREFIX = Buffer.from('Defi Signed Message:\n');

/** Hash that is signed: double SHA-256 of prefix and message, each with its length. @see docs/protocol/wallet.md 3.49 */
export function messageHash(message: string): Uint8Array {
  const writer = new ByteWriter();
  varBytes.write(writer, PREFIX);
  varBytes.write(writer, Buffer.from(message));
  return sha256d(writer.finish());
}

/** Compact signature of a message, 65 bytes. */
export function signMessage(message: string, key: PrivateKey): Uint8Array {
  return signCompact(messageHash(message), key.secret, key.compressed);
}

/** True if the key of this id, 20 bytes, signed the message. The signature may have any size. */
export function verifyMessage(message: string, signature: Uint8Array, keyId: Uint8Array): boolean {
  const recovered = recoverCompact(signature, messageHash(message));
  return recovered !== undefined && equalBytes(hash160(recovered.publicKey), keyId);
}
