import { verify as verifySignature } from '../crypto/ecdsa.js';
import type { Hash256 } from '../primitives/hash.js';
import type { TransactionFields, TxFormat } from '../primitives/transaction.js';
import {
  LOCKTIME_THRESHOLD,
  SEQUENCE_FINAL,
  SEQUENCE_LOCKTIME_BY_TIME,
  SEQUENCE_LOCKTIME_DISABLED,
  SEQUENCE_LOCKTIME_MASK,
} from '../primitives/transaction.js';
import { equalBytes } from '../util/bytes.js';
import { legacySignatureHash, WitnessHashes, witnessSignatureHash } from './sighash.js';

/** Signature rules: outside a witness, or in a witness of version 0 or 16 (EVM addresses), which share the signature hash. */
export type ScriptVersion = 'legacy' | 'witness0' | 'witness16';

/** Query whether a signature by a key is valid for the transaction. */
export interface SignatureQuery {
  /** DER, followed by the hash type byte. */
  readonly signature: Uint8Array;
  readonly publicKey: Uint8Array;
  readonly scriptCode: Uint8Array;
  readonly version: ScriptVersion;
}

/** Checks of a script against the transaction that spends the output. */
export interface SignatureChecker {
  checkSignature(query: SignatureQuery): boolean;
  /** BIP65 */
  checkLockTime(lockTime: number): boolean;
  /** BIP112 */
  checkSequence(sequence: number): boolean;
}

/** Verifies one signature. */
export type VerifySignature = (publicKey: Uint8Array, derSignature: Uint8Array, hash: Hash256) => boolean;

/** Parts of a checker that its caller may provide. */
export interface SignatureVerifiers {
  readonly hashes?: WitnessHashes;
  readonly verify?: VerifySignature;
}

interface SignedHash {
  readonly hashType: number;
  readonly scriptCode: Uint8Array;
  readonly version: ScriptVersion;
  readonly hash: Hash256;
}

/** Checker for one input of a transaction. */
export class TransactionChecker implements SignatureChecker {
  readonly #hashes: WitnessHashes;
  readonly #verify: VerifySignature;
  /**
   * Last signature hash by hash type: the next signature often has the same one, as when several keys sign or are tried. A script
   * can ask 200 times, and a hash is over the whole transaction.
   */
  #known: SignedHash[] | undefined;

  constructor(
    private readonly tx: TransactionFields,
    private readonly format: TxFormat,
    private readonly input: number,
    /** Satoshis of the spent output. */
    private readonly value: bigint,
    { hashes = new WitnessHashes(tx, format), verify = verifySignature }: SignatureVerifiers = {},
  ) {
    this.#hashes = hashes;
    this.#verify = verify;
  }

  checkSignature({ signature, publicKey, scriptCode, version }: SignatureQuery): boolean {
    const hashType = signature[signature.length - 1];
    if (hashType === undefined) return false;
    return this.#verify(publicKey, signature.subarray(0, -1), this.signatureHash(scriptCode, hashType, version));
  }

  /** Hash that a signature of this input signs. */
  signatureHash(scriptCode: Uint8Array, hashType: number, version: ScriptVersion): Hash256 {
    const known = this.#known?.find((one) => one.hashType === hashType);
    if (known && known.version === version && equalBytes(known.scriptCode, scriptCode)) return known.hash;
    const { tx, format, input, value } = this;
    const hash =
      version !== 'legacy'
        ? witnessSignatureHash(this.#hashes, input, { scriptCode, value, hashType })
        : legacySignatureHash({ tx, format, input }, scriptCode, hashType, this.#hashes);
    const signed = { hashType, scriptCode, version, hash };
    if (!this.#known) this.#known = [signed];
    else if (known) this.#known[this.#known.indexOf(known)] = signed;
    else this.#known.push(signed);
    return hash;
  }

  checkLockTime(lockTime: number): boolean {
    const own = this.tx.lockTime;
    if (own < LOCKTIME_THRESHOLD !== lockTime < LOCKTIME_THRESHOLD || lockTime > own) return false;
    return this.tx.vin[this.input]?.sequence !== SEQUENCE_FINAL;
  }

  checkSequence(sequence: number): boolean {
    const own = this.tx.vin[this.input]?.sequence ?? SEQUENCE_FINAL;
    if (this.tx.version >>> 0 < 2 || (own & SEQUENCE_LOCKTIME_DISABLED) !== 0) return false;
    const mask = SEQUENCE_LOCKTIME_BY_TIME | SEQUENCE_LOCKTIME_MASK;
    // Bitwise operators work on 32 bits, but the script's number may have 40.
    const required = (sequence % 2 ** 32) & mask;
    const has = own & mask;
    if (has < SEQUENCE_LOCKTIME_BY_TIME !== required < SEQUENCE_LOCKTIME_BY_TIME) return false;
    return required <= has;
  }
}
