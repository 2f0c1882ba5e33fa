import type { SignatureChecker } from './checker.js';
import type { VerifyFlags } from './flags.js';
import { Machine } from './interpreter.js';
import { ScriptError } from './script-error.js';

/** Checker without a transaction: every signature and lock time is refused. */
const REFUSING: SignatureChecker = { checkSignature: () => false, checkLockTime: () => false, checkSequence: () => false };

/**
 * Runs a scriptSig alone, without its transaction.
 * @returns the stack, whose last element is the top; on failure, with the elements up to there
 */
export function runScriptSig(
  scriptSig: Uint8Array,
  flags: VerifyFlags = 0,
): { readonly stack: readonly Uint8Array[]; readonly failed: boolean } {
  const stack: Uint8Array[] = [];
  try {
    new Machine(scriptSig, stack, { flags, checker: REFUSING, version: 'legacy' }).run();
    return { stack, failed: false };
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    return { stack, failed: true };
  }
}
