import { signLowR } from '../crypto/ecdsa.js';
import type { TransactionFields, TxFormat } from '../primitives/transaction.js';
import { concatBytes } from '../util/bytes.js';
import { type ScriptVersion, type SignatureChecker, TransactionChecker } from './checker.js';
import type { KeySource } from './key-source.js';
import { legacySignatureHash, WitnessHashes, witnessSignatureHash } from './sighash.js';
import { SIGHASH_ALL } from './signature-encoding.js';

/** Makes and checks signatures for one input. */
export interface Signer {
  readonly checker: SignatureChecker;
  /** Signature with hash type byte. @returns undefined if the private key is missing */
  sign(keys: KeySource, keyId: Uint8Array, scriptCode: Uint8Array, version: ScriptVersion): Uint8Array | undefined;
}

/** The input to sign. */
export interface SigningContext {
  readonly tx: TransactionFields;
  readonly format: TxFormat;
  readonly input: number;
  /** Satoshis of the spent output. */
  readonly value: bigint;
  readonly hashType?: number;
  /** Shared by the inputs of a transaction. */
  readonly hashes?: WitnessHashes;
}

/** Signer with private keys. */
export class TransactionSigner implements Signer {
  readonly checker: SignatureChecker;
  readonly #context: SigningContext;
  readonly #hashes: WitnessHashes;

  constructor(context: SigningContext) {
    const { tx, format, input, value, hashes = new WitnessHashes(tx, format) } = context;
    this.#context = context;
    this.#hashes = hashes;
    this.checker = new TransactionChecker(tx, format, input, value, { hashes });
  }

  sign(keys: KeySource, keyId: Uint8Array, scriptCode: Uint8Array, version: ScriptVersion): Uint8Array | undefined {
    const key = keys.privateKey(keyId);
    // Witnesses with uncompressed keys are not relayed.
    if (!key || (version === 'witness0' && !key.compressed)) return undefined;
    const { hashType = SIGHASH_ALL, input, value } = this.#context;
    const hash =
      version === 'witness0'
        ? witnessSignatureHash(this.#hashes, input, { scriptCode, value, hashType })
        : legacySignatureHash(this.#context, scriptCode, hashType, this.#hashes);
    return concatBytes(signLowR(hash, key.secret), Uint8Array.of(hashType));
  }
}

/** Bytes of r and of s in a typical signature. */
const SCALAR_SIZE = 32;
const DUMMY_SIGNATURE = dummySignature();

function dummySignature(): Uint8Array {
  const integer = [0x02, SCALAR_SIZE, 0x01, ...new Uint8Array(SCALAR_SIZE - 1)];
  return Uint8Array.from([0x30, 2 * integer.length, ...integer, ...integer, SIGHASH_ALL]);
}

/** Signer with dummy signatures of 71 bytes for all keys, to estimate sizes. */
export const dummySigner: Signer = {
  checker: { checkSignature: () => true, checkLockTime: () => false, checkSequence: () => false },
  sign: () => DUMMY_SIGNATURE,
};
