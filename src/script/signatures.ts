import { isLowS } from '../crypto/der.js';
import { COMPRESSED_KEY_SIZE, UNCOMPRESSED_KEY_SIZE } from '../crypto/ecdsa.js';
import { asBuffer, equalBytes } from '../util/bytes.js';
import { VerifyFlag } from './flags.js';
import type { Machine } from './interpreter.js';
import { opEnd, pushData } from './script.js';
import { ScriptError } from './script-error.js';
import { isDefinedHashType, isStrictDerSignature } from './signature-encoding.js';

const MAX_MULTISIG_KEYS = 20;

/** OP_CHECKSIG: signature, key -> validity. */
export function checkSig(m: Machine): void {
  m.require(2);
  const signature = m.peek(1);
  const key = m.peek(0);
  const scriptCode = scriptCodeWithout(m, [signature]);
  checkSignatureEncoding(m, signature);
  checkKeyEncoding(m, key);
  const { version } = m.execution;
  const made = m.execution.checker.checkSignature({ signature, publicKey: key, scriptCode, version });
  if (!made && m.has(VerifyFlag.NULLFAIL) && signature.length > 0) throw new ScriptError('NULLFAIL');
  m.stack.length -= 2;
  m.pushBool(made);
}

/**
 * OP_CHECKMULTISIG: dummy, signatures, their count, keys, their count -> true if each signature is valid for a key, both in the same
 * order. The dummy is a bug of Bitcoin kept by consensus: one element too many is popped.
 */
export function checkMultiSig(m: Machine): void {
  const keyCount = m.number(m.peek(0));
  if (keyCount < 0 || keyCount > MAX_MULTISIG_KEYS) throw new ScriptError('PUBKEY_COUNT');
  m.countOperations(keyCount);
  const signatureCount = m.number(m.peek(keyCount + 1));
  if (signatureCount < 0 || signatureCount > keyCount) throw new ScriptError('SIG_COUNT');
  const size = keyCount + signatureCount + 3;
  m.require(size);
  // Both from the top down, so the last signature and the last key come first.
  const keys = Array.from({ length: keyCount }, (_, i) => m.peek(1 + i));
  const signatures = Array.from({ length: signatureCount }, (_, i) => m.peek(keyCount + 2 + i));
  const made = allMade(m, signatures, keys, scriptCodeWithout(m, signatures));
  if (!made && m.has(VerifyFlag.NULLFAIL) && signatures.some((signature) => signature.length > 0)) throw new ScriptError('NULLFAIL');
  if (m.has(VerifyFlag.NULLDUMMY) && m.peek(size - 1).length > 0) throw new ScriptError('SIG_NULLDUMMY');
  m.stack.length -= size;
  m.pushBool(made);
}

function allMade(m: Machine, signatures: readonly Uint8Array[], keys: readonly Uint8Array[], scriptCode: Uint8Array): boolean {
  const { version } = m.execution;
  let next = 0;
  for (let i = 0; next < signatures.length; i++) {
    if (signatures.length - next > keys.length - i) return false;
    const signature = signatures[next] as Uint8Array;
    const key = keys[i] as Uint8Array;
    checkSignatureEncoding(m, signature);
    checkKeyEncoding(m, key);
    if (m.execution.checker.checkSignature({ signature, publicKey: key, scriptCode, version })) next += 1;
  }
  return true;
}

/** Script code for the signature hash. A signature cannot sign itself, so its pushes are removed from legacy scripts. */
function scriptCodeWithout(m: Machine, signatures: readonly Uint8Array[]): Uint8Array {
  let code = m.script.subarray(m.codeStart);
  if (m.execution.version !== 'legacy') return code;
  for (const signature of signatures) {
    const rest = withoutPush(code, pushData(signature));
    if (rest.length < code.length && m.has(VerifyFlag.CONST_SCRIPTCODE)) throw new ScriptError('SIG_FINDANDDELETE');
    code = rest;
  }
  return code;
}

/** Removes each occurrence that starts at an operation of the script (`FindAndDelete`). A script can ask for it 200 times. */
function withoutPush(script: Uint8Array, push: Uint8Array): Uint8Array {
  if (asBuffer(script).indexOf(push) < 0) return script;
  const kept: Uint8Array[] = [];
  const first = push[0];
  let from = 0;
  for (let at = 0; at >= 0 && at < script.length; at = opEnd(script, at)) {
    while (script[at] === first && push.length <= script.length - at && equalBytes(script.subarray(at, at + push.length), push)) {
      kept.push(script.subarray(from, at));
      at += push.length;
      from = at;
    }
    if (at >= script.length) break;
  }
  if (kept.length === 0) return script;
  kept.push(script.subarray(from));
  return Buffer.concat(kept);
}

function checkSignatureEncoding(m: Machine, signature: Uint8Array): void {
  if (signature.length === 0) return;
  const strict = VerifyFlag.DERSIG | VerifyFlag.LOW_S | VerifyFlag.STRICTENC;
  if (m.has(strict) && !isStrictDerSignature(signature)) throw new ScriptError('SIG_DER');
  if (m.has(VerifyFlag.LOW_S) && !isLowS(signature.subarray(0, -1))) throw new ScriptError('SIG_HIGH_S');
  if (m.has(VerifyFlag.STRICTENC) && !isDefinedHashType(signature[signature.length - 1] as number)) throw new ScriptError('SIG_HASHTYPE');
}

function checkKeyEncoding(m: Machine, key: Uint8Array): void {
  const compressed = key.length === COMPRESSED_KEY_SIZE && (key[0] === 2 || key[0] === 3);
  const uncompressed = key.length === UNCOMPRESSED_KEY_SIZE && key[0] === 4;
  if (m.has(VerifyFlag.STRICTENC) && !compressed && !uncompressed) throw new ScriptError('PUBKEYTYPE');
  if (!m.has(VerifyFlag.WITNESS_PUBKEYTYPE)) return;
  if (m.execution.version === 'witness0' && !compressed) throw new ScriptError('WITNESS_PUBKEYTYPE');
  if (m.execution.version === 'witness16' && compressed) throw new ScriptError('WITNESS_PUBKEYTYPE_ETH');
}
