import { sha256 } from '../crypto/hash.js';
import type { WitnessStack } from '../primitives/witness.js';
import { EMPTY_BYTES, equalBytes } from '../util/bytes.js';
import type { SignatureChecker } from './checker.js';
import { keccakScript } from './erc55.js';
import { VerifyFlag, type VerifyFlags } from './flags.js';
import { isImpersonation } from './impersonation.js';
import { type Execution, Machine } from './interpreter.js';
import { isValidKeySpend } from './key-spend.js';
import { Op } from './opcodes.js';
import { buildScript, isPayToScriptHash, isPushOnly, type WitnessProgram, witnessProgram } from './script.js';
import { ScriptError } from './script-error.js';
import { isTrue } from './values.js';

/** Scripts and witness of a spend. */
export interface Spend {
  readonly scriptSig: Uint8Array;
  readonly witness: WitnessStack;
  readonly scriptPubKey: Uint8Array;
}

const MAX_WITNESS_ELEMENT = 520;
const ETHEREUM_VERSION = 16;

/**
 * Verifies a spend under the given flags.
 * @throws {ScriptError} if it does not satisfy the output script
 */
export function verifyScript(spend: Spend, flags: VerifyFlags, checker: SignatureChecker): void {
  if ((flags & VerifyFlag.IMPERSONATION) !== 0 && isImpersonation(spend)) return;
  if (!isValidKeySpend(spend, flags, checker)) runScripts(spend, flags, checker);
}

/** Verifies a spend with the interpreter. @throws {ScriptError} */
export function runScripts({ scriptSig, witness, scriptPubKey }: Spend, flags: VerifyFlags, checker: SignatureChecker): void {
  const has = (flag: number) => (flags & flag) !== 0;
  const legacy = { flags, checker, version: 'legacy' } as const;
  if (has(VerifyFlag.SIGPUSHONLY) && !isPushOnly(scriptSig)) throw new ScriptError('SIG_PUSHONLY');
  const stack: Uint8Array[] = [];
  new Machine(scriptSig, stack, legacy).run();
  const pushed = [...stack];
  new Machine(scriptPubKey, stack, legacy).run();
  requireTrue(stack);
  let hadWitness = false;
  let left = stack.length;
  const program = has(VerifyFlag.WITNESS) ? witnessProgram(scriptPubKey) : undefined;
  if (program) {
    if (scriptSig.length > 0) throw new ScriptError('WITNESS_MALLEATED');
    verifyWitness(program, witness, flags, checker);
    hadWitness = true;
    left = 1;
  }
  if (has(VerifyFlag.P2SH) && isPayToScriptHash(scriptPubKey)) {
    if (!isPushOnly(scriptSig)) throw new ScriptError('SIG_PUSHONLY');
    const redeemScript = pushed.pop() ?? EMPTY_BYTES;
    new Machine(redeemScript, pushed, legacy).run();
    requireTrue(pushed);
    left = pushed.length;
    const nested = has(VerifyFlag.WITNESS) ? witnessProgram(redeemScript) : undefined;
    if (nested) {
      if (!equalBytes(scriptSig, buildScript(redeemScript))) throw new ScriptError('WITNESS_MALLEATED_P2SH');
      verifyWitness(nested, witness, flags, checker);
      hadWitness = true;
      left = 1;
    }
  }
  if (has(VerifyFlag.CLEANSTACK) && left !== 1) throw new ScriptError('CLEANSTACK');
  if (has(VerifyFlag.WITNESS) && !hadWitness && witness.length > 0) throw new ScriptError('WITNESS_UNEXPECTED');
}

function requireTrue(stack: readonly Uint8Array[]): void {
  const top = stack[stack.length - 1];
  if (!top || !isTrue(top)) throw new ScriptError('EVAL_FALSE');
}

/** @see BIP141 */
function verifyWitness({ version, program }: WitnessProgram, witness: WitnessStack, flags: VerifyFlags, checker: SignatureChecker): void {
  if (version === ETHEREUM_VERSION && (flags & VerifyFlag.METACHAIN) !== 0) {
    runWitness(keccakScriptOf(program, witness), { flags, checker, version: 'witness16' });
  } else if (version !== 0) {
    if ((flags & VerifyFlag.DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM) !== 0) throw new ScriptError('DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM');
  } else runWitness(witnessScriptOf(program, witness), { flags, checker, version: 'witness0' });
}

/**
 * Items of a stack that can matter: a script fails after its first opcode if more than 1,000 are left, of which an opcode takes at most 43,
 * and without opcodes it leaves all.
 */
const MAX_USED_ITEMS = 1_100;

interface WitnessScript {
  readonly script: Uint8Array;
  readonly stack: Uint8Array[];
}

function runWitness({ script, stack }: WitnessScript, execution: Execution): void {
  if (stack.some((element) => element.length > MAX_WITNESS_ELEMENT)) throw new ScriptError('PUSH_SIZE');
  new Machine(script, stack, execution).run();
  if (stack.length !== 1) throw new ScriptError('CLEANSTACK');
  requireTrue(stack);
}

function witnessScriptOf(program: Uint8Array, witness: WitnessStack): { readonly script: Uint8Array; readonly stack: Uint8Array[] } {
  if (program.length === 32) {
    const script = witness.at(-1);
    if (!script) throw new ScriptError('WITNESS_PROGRAM_WITNESS_EMPTY');
    if (!equalBytes(sha256(script), program)) throw new ScriptError('WITNESS_PROGRAM_MISMATCH');
    return { script, stack: [...witness.slice(-MAX_USED_ITEMS - 1, -1)] };
  }
  if (program.length !== 20) throw new ScriptError('WITNESS_PROGRAM_WRONG_LENGTH');
  if (witness.length !== 2) throw new ScriptError('WITNESS_PROGRAM_MISMATCH');
  return { script: buildScript(Op.DUP, Op.HASH160, program, Op.EQUALVERIFY, Op.CHECKSIG), stack: [...witness] };
}

/** Script of a witness program of version 16, a payment to an EVM address. @see docs/protocol/chain.md 2.7 */
function keccakScriptOf(program: Uint8Array, witness: WitnessStack): WitnessScript {
  if (program.length !== 20) throw new ScriptError('WITNESS_PROGRAM_WRONG_LENGTH');
  if (witness.length !== 2) throw new ScriptError('WITNESS_PROGRAM_MISMATCH');
  return { script: keccakScript(program), stack: [...witness] };
}
