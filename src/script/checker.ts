import { verify } from '../crypto/ecdsa.js';
import type { Hash256 } from '../primitives/hash.js';
import type { TransactionFields, TxFormat } from '../primitives/transaction.js';
import { equalBytes } from '../util/bytes.js';
import { legacySignatureHash, WitnessHashes, witnessSignatureHash } from './sighash.js';

/** Rules of the script that is run: outside a witness, in a version 0 one, or in one of version 16, which signs alike. */
export type ScriptVersion = 'legacy' | 'witness0' | 'witness16';

/** Whether a key signed the transaction that runs a script. */
export interface SignatureQuery {
  /** DER with the hash type behind it. */
  readonly signature: Uint8Array;
  readonly publicKey: Uint8Array;
  readonly scriptCode: Uint8Array;
  readonly version: ScriptVersion;
  /** The script goes on either way, as where several keys are tried: no answer may be taken on trust. */
  readonly decides: boolean;
}

/** What a script asks about the transaction that runs it. */
export interface SignatureChecker {
  checkSignature(query: SignatureQuery): boolean;
  /** BIP65 */
  checkLockTime(lockTime: number): boolean;
  /** BIP112 */
  checkSequence(sequence: number): boolean;
}

/** Verifies one signature. */
export type VerifySignature = (publicKey: Uint8Array, derSignature: Uint8Array, hash: Hash256) => boolean;

/** How signatures are verified: now, or taken on trust to be verified with others later. */
export interface SignatureVerifiers {
  readonly hashes?: WitnessHashes;
  readonly verifyNow?: VerifySignature;
  /** For signatures without which the script fails. */
  readonly verifyLater?: VerifySignature;
}

interface SignedHash {
  readonly scriptCode: Uint8Array;
  readonly version: ScriptVersion;
  readonly hash: Hash256;
}

const LOCKTIME_THRESHOLD = 500_000_000;
const SEQUENCE_FINAL = 0xffffffff;
const SEQUENCE_DISABLED = 0x80000000;
const SEQUENCE_BY_TIME = 0x00400000;
const SEQUENCE_MASK = 0x0000ffff;

/** Answers for one input of a transaction. */
export class TransactionChecker implements SignatureChecker {
  readonly #hashes: WitnessHashes;
  readonly #verifyNow: VerifySignature;
  readonly #verifyLater: VerifySignature;
  /**
   * What the last signature of a hash type signed: the next one often signs the same, as where several keys sign or are tried. A script
   * can ask 200 times, and a hash is over the whole transaction.
   */
  readonly #known: (SignedHash | undefined)[] = [];

  constructor(
    private readonly tx: TransactionFields,
    private readonly format: TxFormat,
    private readonly input: number,
    /** Satoshis of the spent output. */
    private readonly value: bigint,
    { hashes = new WitnessHashes(tx, format), verifyNow = verify, verifyLater = verifyNow }: SignatureVerifiers = {},
  ) {
    this.#hashes = hashes;
    this.#verifyNow = verifyNow;
    this.#verifyLater = verifyLater;
  }

  checkSignature({ signature, publicKey, scriptCode, version, decides }: SignatureQuery): boolean {
    const hashType = signature[signature.length - 1];
    if (hashType === undefined) return false;
    const verifySignature = decides ? this.#verifyNow : this.#verifyLater;
    return verifySignature(publicKey, signature.subarray(0, -1), this.#signedHash(scriptCode, hashType, version));
  }

  #signedHash(scriptCode: Uint8Array, hashType: number, version: ScriptVersion): Hash256 {
    const known = this.#known[hashType];
    if (known && known.version === version && equalBytes(known.scriptCode, scriptCode)) return known.hash;
    const { tx, format, input, value } = this;
    const hash =
      version !== 'legacy'
        ? witnessSignatureHash(this.#hashes, input, { scriptCode, value, hashType })
        : legacySignatureHash({ tx, format, input }, scriptCode, hashType, this.#hashes);
    this.#known[hashType] = { scriptCode, version, hash };
    return hash;
  }

  checkLockTime(lockTime: number): boolean {
    const own = this.tx.lockTime;
    if (own < LOCKTIME_THRESHOLD !== lockTime < LOCKTIME_THRESHOLD || lockTime > own) return false;
    return this.tx.vin[this.input]?.sequence !== SEQUENCE_FINAL;
  }

  checkSequence(sequence: number): boolean {
    const own = this.tx.vin[this.input]?.sequence ?? SEQUENCE_FINAL;
    if (this.tx.version >>> 0 < 2 || (own & SEQUENCE_DISABLED) !== 0) return false;
    const mask = SEQUENCE_BY_TIME | SEQUENCE_MASK;
    // Bit operations see 32 bits, and the sequence of a script may have 40.
    const wanted = (sequence % 2 ** 32) & mask;
    const has = own & mask;
    if (has < SEQUENCE_BY_TIME !== wanted < SEQUENCE_BY_TIME) return false;
    return wanted <= has;
  }
}
