import { hash160 } from '../crypto/hash.js';
import type { KeyOrigin } from '../crypto/key-path.js';
import { EMPTY_BYTES, toHex } from '../util/bytes.js';

/** A signature with hash type byte, and its public key. */
export interface KeySignature {
  readonly publicKey: Uint8Array;
  readonly signature: Uint8Array;
}

/** A public key and its origin. */
export interface KnownKey {
  readonly publicKey: Uint8Array;
  readonly origin: KeyOrigin;
}

/** Parts missing in one attempt to sign. Ids are HASH160, 20 bytes. */
export interface Missing {
  readonly publicKeys: Uint8Array[];
  /** Ids of keys whose signature is missing. */
  readonly signatures: Uint8Array[];
  redeemScript: Uint8Array | undefined;
  /** SHA-256 of the script, 32 bytes. */
  witnessScript: Uint8Array | undefined;
}

/**
 * Data collected to spend one output: signatures of other versions of the transaction and new ones are added until `complete` is
 * true, that is, `scriptSig` and `witness` satisfy the output. Maps are by hex of key id; a script of no
 * bytes is one that is not known.
 */
export class SignatureData {
  complete = false;
  /** True if the output is spent with a witness, nested in P2SH or not. */
  isWitness = false;
  scriptSig: Uint8Array = EMPTY_BYTES;
  witness: readonly Uint8Array[] = [];
  redeemScript: Uint8Array = EMPTY_BYTES;
  witnessScript: Uint8Array = EMPTY_BYTES;
  readonly signatures = new Map<string, KeySignature>();
  readonly keys = new Map<string, KnownKey>();
  readonly missing: Missing = { publicKeys: [], signatures: [], redeemScript: undefined, witnessScript: undefined };

  /** Adds a signature; the first one of a key is kept. */
  addSignature(publicKey: Uint8Array, signature: Uint8Array): void {
    const id = toHex(hash160(publicKey));
    if (!this.signatures.has(id)) this.signatures.set(id, { publicKey, signature });
  }

  hasSignatureOf(publicKey: Uint8Array): boolean {
    return this.signatures.has(toHex(hash160(publicKey)));
  }

  /** Adds a key; the first origin of a key is kept. */
  addKey(publicKey: Uint8Array, origin: KeyOrigin): void {
    const id = toHex(hash160(publicKey));
    if (!this.keys.has(id)) this.keys.set(id, { publicKey, origin });
  }

  /** Merges the data of another version of the transaction. The first complete one is kept unchanged. */
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
