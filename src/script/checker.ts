import { verify } from '../crypto/ecdsa.js';
import type { Hash256 } from '../primitives/hash.js';
import type { TransactionFields, TxFormat } from '../primitives/transaction.js';
import { legacySignatureHash, WitnessHashes, witnessSignatureHash } from './sighash.js';

/** Rules of the script that is run: outside a witness, or in a version 0 one. */
export type ScriptVersion = 'legacy' | 'witness0';

/** What a script asks about the transaction that runs it. */
export interface SignatureChecker {
  /** @param signature DER with the hash type behind it */
  checkSignature(signature: Uint8Array, publicKey: Uint8Array, scriptCode: Uint8Array, version: ScriptVersion): boolean;
  /** BIP65 */
  checkLockTime(lockTime: number): boolean;
  /** BIP112 */
  checkSequence(sequence: number): boolean;
}

/** Verifies one signature; a cache or a pool may stand in for it. */
export type VerifySignature = (publicKey: Uint8Array, derSignature: Uint8Array, hash: Hash256) => boolean;

const LOCKTIME_THRESHOLD = 500_000_000;
const SEQUENCE_FINAL = 0xffffffff;
const SEQUENCE_DISABLED = 0x80000000;
const SEQUENCE_BY_TIME = 0x00400000;
const SEQUENCE_MASK = 0x0000ffff;

/** Answers for one input of a transaction. */
export class TransactionChecker implements SignatureChecker {
  readonly #hashes: WitnessHashes;
  readonly #verify: VerifySignature;

  constructor(
    private readonly tx: TransactionFields,
    private readonly format: TxFormat,
    private readonly input: number,
    /** Satoshis of the spent output. */
    private readonly value: bigint,
    {
      hashes = new WitnessHashes(tx, format),
      verifySignature = verify,
    }: { readonly hashes?: WitnessHashes; readonly verifySignature?: VerifySignature } = {},
  ) {
    this.#hashes = hashes;
    this.#verify = verifySignature;
  }

  checkSignature(signature: Uint8Array, publicKey: Uint8Array, scriptCode: Uint8Array, version: ScriptVersion): boolean {
    const hashType = signature[signature.length - 1];
    if (hashType === undefined) return false;
    const { tx, format, input, value } = this;
    const hash =
      version === 'witness0'
        ? witnessSignatureHash(this.#hashes, input, { scriptCode, value, hashType })
        : legacySignatureHash({ tx, format, input }, scriptCode, hashType);
    return this.#verify(publicKey, signature.subarray(0, -1), hash);
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
