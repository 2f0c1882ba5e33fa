import { hash160 } from '../crypto/hash.js';
import type { KeyOrigin } from '../crypto/key-path.js';
import { EMPTY_BYTES, toHex } from '../util/bytes.js';

/** A signature with its hash type behind it, and the key that made it. */
export interface KeySignature {
  readonly publicKey: Uint8Array;
  readonly signature: Uint8Array;
}

/** A key and where it comes from. */
export interface KnownKey {
  readonly publicKey: Uint8Array;
  readonly origin: KeyOrigin;
}

/** What one attempt to sign lacked. Ids are HASH160, 20 bytes. */
export interface Missing {
  readonly publicKeys: Uint8Array[];
  /** Ids of keys that made no signature. */
  readonly signatures: Uint8Array[];
  redeemScript: Uint8Array | undefined;
  /** SHA-256 of the script, 32 bytes. */
  witnessScript: Uint8Array | undefined;
}

/**
 * All that is gathered to spend one output. It grows: signatures found in other versions of the transaction and those that are
 * made go in, until `complete` says that `scriptSig` and `witness` satisfy the output. Maps are by hex of key id; a script of no
 * bytes is one that is not known.
 */
export class SignatureData {
  complete = false;
  /** The output is spent by a witness, nested or not. */
  isWitness = false;
  scriptSig: Uint8Array = EMPTY_BYTES;
  witness: readonly Uint8Array[] = [];
  redeemScript: Uint8Array = EMPTY_BYTES;
  witnessScript: Uint8Array = EMPTY_BYTES;
  readonly signatures = new Map<string, KeySignature>();
  readonly keys = new Map<string, KnownKey>();
  readonly missing: Missing = { publicKeys: [], signatures: [], redeemScript: undefined, witnessScript: undefined };

  /** The first signature of a key counts. */
  addSignature(publicKey: Uint8Array, signature: Uint8Array): void {
    const id = toHex(hash160(publicKey));
    if (!this.signatures.has(id)) this.signatures.set(id, { publicKey, signature });
  }

  hasSignatureOf(publicKey: Uint8Array): boolean {
    return this.signatures.has(toHex(hash160(publicKey)));
  }

  /** The first word about a key counts. */
  addKey(publicKey: Uint8Array, origin: KeyOrigin): void {
    const id = toHex(hash160(publicKey));
    if (!this.keys.has(id)) this.keys.set(id, { publicKey, origin });
  }

  /** Takes over what another version of the transaction has. The first complete one is kept as it is. */
  merge(other: SignatureData): void {
    if (this.complete) return;
    if (other.complete) {
      this.complete = true;
      this.scriptSig = other.scriptSig;
      this.witness = other.witness;
    }
    if (this.redeemScript.length === 0) this.redeemScript = other.redeemScript;
    if (this.witnessScript.length === 0) this.witnessScript = other.witnessScript;
    for (const { publicKey, signature } of other.signatures.values()) this.addSignature(publicKey, signature);
  }
}
