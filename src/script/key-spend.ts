import { isLowS } from '../crypto/der.js';
import { COMPRESSED_KEY_SIZE } from '../crypto/ecdsa.js';
import { hash160 } from '../crypto/hash.js';
import type { SignatureChecker } from './checker.js';
import { VerifyFlag, type VerifyFlags } from './flags.js';
import { Op } from './opcodes.js';
import { isDefinedHashType, isStrictDerSignature } from './signature-encoding.js';
import type { Spend } from './verify.js';

const HASH_SIZE = 20;
const WITNESS_SCRIPT_SIZE = 2 + HASH_SIZE;
const KEY_SCRIPT_SIZE = 5 + HASH_SIZE;
const SCRIPT_HASH_SIZE = 3 + HASH_SIZE;

/**
 * Verifies the common spends without the interpreter: P2PKH, P2WPKH and P2SH-P2WPKH with a compressed key and a signature in strict DER.
 * @returns false if the interpreter has to decide
 */
export function isValidKeySpend({ scriptSig, witness, scriptPubKey }: Spend, flags: VerifyFlags, checker: SignatureChecker): boolean {
  if (witness.length === 0) return isKeyScript(scriptPubKey) && isValidLegacySpend(scriptSig, scriptPubKey, flags, checker);
  const [signature, publicKey] = witness;
  if (witness.length !== 2 || !signature || !publicKey || (flags & VerifyFlag.WITNESS) === 0) return false;
  const keyHash = isNested(scriptSig, scriptPubKey, flags)
    ? scriptSig.subarray(3)
    : isWitnessScript(scriptPubKey, 0) && scriptSig.length === 0
      ? scriptPubKey.subarray(2)
      : undefined;
  if (!keyHash || !isUsualPair(signature, publicKey, flags) || !isAt(hash160(publicKey), keyHash, 0)) return false;
  return checker.checkSignature({ signature, publicKey, scriptCode: keyScriptOf(keyHash), version: 'witness0' });
}

/** True for OP_0 and a push of 20 bytes, up to the end. */
function isWitnessScript(script: Uint8Array, at: number): boolean {
  return script.length === at + WITNESS_SCRIPT_SIZE && script[at] === Op.ZERO && script[at + 1] === HASH_SIZE;
}

/** True for a P2SH output whose input script is the push of the redeem script of a P2WPKH. */
function isNested(scriptSig: Uint8Array, output: Uint8Array, flags: VerifyFlags): boolean {
  if (scriptSig[0] !== WITNESS_SCRIPT_SIZE || !isWitnessScript(scriptSig, 1) || (flags & VerifyFlag.P2SH) === 0) return false;
  if (output.length !== SCRIPT_HASH_SIZE || output[0] !== Op.HASH160 || output[1] !== HASH_SIZE) return false;
  return output[SCRIPT_HASH_SIZE - 1] === Op.EQUAL && isAt(hash160(scriptSig.subarray(1)), output, 2);
}

function isKeyScript(script: Uint8Array): boolean {
  if (script.length !== KEY_SCRIPT_SIZE || script[0] !== Op.DUP || script[1] !== Op.HASH160 || script[2] !== HASH_SIZE) return false;
  return script[KEY_SCRIPT_SIZE - 2] === Op.EQUALVERIFY && script[KEY_SCRIPT_SIZE - 1] === Op.CHECKSIG;
}

/** Script of a P2PKH output. */
function keyScriptOf(keyHash: Uint8Array): Uint8Array {
  const script = Buffer.allocUnsafe(KEY_SCRIPT_SIZE);
  script[0] = Op.DUP;
  script[1] = Op.HASH160;
  script[2] = HASH_SIZE;
  for (let i = 0; i < HASH_SIZE; i++) script[3 + i] = keyHash[i] as number;
  script[KEY_SCRIPT_SIZE - 2] = Op.EQUALVERIFY;
  script[KEY_SCRIPT_SIZE - 1] = Op.CHECKSIG;
  return script;
}

function isValidLegacySpend(scriptSig: Uint8Array, output: Uint8Array, flags: VerifyFlags, checker: SignatureChecker): boolean {
  const size = scriptSig[0] ?? 0;
  if (scriptSig.length !== size + COMPRESSED_KEY_SIZE + 2 || scriptSig[1 + size] !== COMPRESSED_KEY_SIZE) return false;
  const signature = scriptSig.subarray(1, 1 + size);
  const publicKey = scriptSig.subarray(2 + size);
  // A signature of the size of a hash could occur in the output script, from which its push would have to be removed.
  if (size === HASH_SIZE || !isUsualPair(signature, publicKey, flags) || !isAt(hash160(publicKey), output, 3)) return false;
  return checker.checkSignature({ signature, publicKey, scriptCode: output, version: 'legacy' });
}

function isUsualPair(signature: Uint8Array, publicKey: Uint8Array, flags: VerifyFlags): boolean {
  const prefix = publicKey[0];
  if (publicKey.length !== COMPRESSED_KEY_SIZE || (prefix !== 2 && prefix !== 3) || !isStrictDerSignature(signature)) return false;
  if ((flags & VerifyFlag.LOW_S) !== 0 && !isLowS(signature.subarray(0, -1))) return false;
  return (flags & VerifyFlag.STRICTENC) === 0 || isDefinedHashType(signature[signature.length - 1] as number);
}

/** True if the 20 bytes are at that position. */
function isAt(hash: Uint8Array, bytes: Uint8Array, at: number): boolean {
  for (let i = 0; i < HASH_SIZE; i++) if (hash[i] !== bytes[at + i]) return false;
  return true;
}
