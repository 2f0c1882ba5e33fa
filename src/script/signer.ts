import { signLowR } from '../crypto/ecdsa.js';
import type { TransactionFields, TxFormat } from '../primitives/transaction.js';
import { concatBytes } from '../util/bytes.js';
import { type ScriptVersion, type SignatureChecker, TransactionChecker } from './checker.js';
import type { KeySource } from './key-source.js';
import type { WitnessHashes } from './sighash.js';
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
  readonly checker: TransactionChecker;
  readonly #hashType: number;

  constructor(context: SigningContext) {
    const { tx, format, input, value, hashes, hashType = SIGHASH_ALL } = context;
    this.#hashType = hashType;
    this.checker = new TransactionChecker(tx, format, input, value, hashes && { hashes });
  }

  sign(keys: KeySource, keyId: Uint8Array, scriptCode: Uint8Array, version: ScriptVersion): Uint8Array | undefined {
    const key = keys.privateKey(keyId);
    // Witnesses with uncompressed keys are not relayed.
    if (!key || (version === 'witness0' && !key.compressed)) return undefined;
    const hash = this.checker.signatureHash(scriptCode, this.#hashType, version);
    return concatBytes(signLowR(hash, key.secret), Uint8Array.of(this.#hashType));
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
