import type { WitnessStack } from '../primitives/witness.js';
import { isSmallInteger, Op, smallIntegerOf } from './opcodes.js';
import { isPayToScriptHash, isPushOnly, isWitnessProgram, opEnd, scriptOps } from './script.js';

/** Count of a CHECKMULTISIG of unknown number of keys. */
const MAX_PUBKEYS_PER_MULTISIG = 20;

/**
 * Signature operations of a script, executed or not; counting ends at a truncated push.
 * @param accurate count a CHECKMULTISIG by the number before it instead of as 20
 */
export function countSigOps(script: Uint8Array, accurate: boolean): number {
  let count = 0;
  let previous: number = Op.INVALIDOPCODE;
  for (let at = 0; at < script.length; ) {
    const opcode = script[at] as number;
    at = opEnd(script, at);
    if (at < 0) break;
    if (opcode === Op.CHECKSIG || opcode === Op.CHECKSIGVERIFY) count += 1;
    else if (opcode === Op.CHECKMULTISIG || opcode === Op.CHECKMULTISIGVERIFY) {
      count += accurate && isSmallInteger(previous) ? smallIntegerOf(previous) : MAX_PUBKEYS_PER_MULTISIG;
    }
    previous = opcode;
  }
  return count;
}

/** Signature operations of the script that a P2SH input reveals; 0 for every other output. */
export function countP2shSigOps(scriptPubKey: Uint8Array, scriptSig: Uint8Array): number {
  const redeemScript = isPayToScriptHash(scriptPubKey) ? lastPush(scriptSig) : undefined;
  return redeemScript ? countSigOps(redeemScript, true) : 0;
}

/** Signature operations of the witness of an input, bare or inside P2SH (BIP141). */
export function countWitnessSigOps(scriptPubKey: Uint8Array, scriptSig: Uint8Array, witness: WitnessStack): number {
  if (isWitnessProgram(scriptPubKey)) return programSigOps(scriptPubKey, witness);
  const redeemScript = isPayToScriptHash(scriptPubKey) ? lastPush(scriptSig) : undefined;
  return redeemScript && isWitnessProgram(redeemScript) ? programSigOps(redeemScript, witness) : 0;
}

/** Bytes before the hash in a witness program: version and push. */
const PROGRAM_HEAD = 2;

/** @param program script of a witness program */
function programSigOps(program: Uint8Array, witness: WitnessStack): number {
  if (program[0] !== Op.ZERO) return 0;
  const hashSize = program.length - PROGRAM_HEAD;
  if (hashSize === 20) return 1;
  const script = witness.at(-1);
  return hashSize === 32 && script ? countSigOps(script, true) : 0;
}

/** Data of the last push; undefined if the script is not push-only. */
function lastPush(script: Uint8Array): Uint8Array | undefined {
  if (!isPushOnly(script)) return undefined;
  let data: Uint8Array | undefined;
  for (const op of scriptOps(script)) data = op.data ?? new Uint8Array(0);
  return data;
}
