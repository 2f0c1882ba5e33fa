import { recoverCompact, signCompact } from '../crypto/ecdsa.js';
import { hash160, sha256d } from '../crypto/hash.js';
import type { PrivateKey } from '../crypto/keys.js';
import { ByteWriter, varBytes } from '../primitives/codec.js';
import { equalBytes } from '../util/bytes.js';

/** Stands before every signed text, so that a signature of a text can never be one of a transaction. */
const PREFIX = Buffer.from('Defi Signed Message:\n');

/** What is signed of a text: double SHA-256 of the prefix and the text, each with its length. @see docs/protocol/wallet.md 3.49 */
export function messageHash(message: string): Uint8Array {
  const writer = new ByteWriter();
  varBytes.write(writer, PREFIX);
  varBytes.write(writer, Buffer.from(message));
  return sha256d(writer.finish());
}

/** Compact signature of a text, 65 bytes. */
export function signMessage(message: string, key: PrivateKey): Uint8Array {
  return signCompact(messageHash(message), key.secret, key.compressed);
}

/** Whether the key of this id, 20 bytes, signed the text. Anything may be passed for the signature. */
export function verifyMessage(message: string, signature: Uint8Array, keyId: Uint8Array): boolean {
  const recovered = recoverCompact(signature, messageHash(message));
  return recovered !== undefined && equalBytes(hash160(recovered.publicKey), keyId);
}
