import type { TxOut } from '../primitives/transaction.js';
import { EMPTY_BYTES } from '../util/bytes.js';
import type { ScriptVersion, SignatureChecker, SignatureQuery } from './checker.js';
import { VerifyFlag } from './flags.js';
import { runScriptSig } from './script-sig.js';
import { satisfies, signingFlags } from './sign.js';
import { SignatureData } from './signature-data.js';
import { type ClassifyOptions, classify } from './standard.js';
import type { Spend } from './verify.js';

/** Checker that collects the valid signatures. */
class Collector implements SignatureChecker {
  constructor(
    private readonly inner: SignatureChecker,
    private readonly data: SignatureData,
  ) {}

  checkSignature(query: SignatureQuery): boolean {
    const made = this.inner.checkSignature(query);
    if (made) this.data.addSignature(query.publicKey, query.signature);
    return made;
  }

  checkLockTime(lockTime: number): boolean {
    return this.inner.checkLockTime(lockTime);
  }

  checkSequence(sequence: number): boolean {
    return this.inner.checkSequence(sequence);
  }
}

/**
 * Extracts valid signatures and scripts from an input that is signed in part or in full.
 * @param checker of the transaction and input that contain the signatures
 * @param options.metachain verify spends of outputs to EVM addresses
 */
export function extractSignatures(
  { scriptSig, witness }: Pick<Spend, 'scriptSig' | 'witness'>,
  { scriptPubKey }: Pick<TxOut, 'scriptPubKey'>,
  checker: SignatureChecker,
  options: ClassifyOptions = {},
): SignatureData {
  const data = new SignatureData();
  data.scriptSig = scriptSig;
  data.witness = [...witness];
  const collector = new Collector(checker, data);
  data.complete = satisfies({ scriptSig, witness, scriptPubKey }, collector, signingFlags(options));
  if (!data.complete) matchMultisig(revealScripts(data, scriptPubKey), collector, data);
  return data;
}

/** The innermost script, the stack elements pushed for it, and its signature rules. */
interface Innermost {
  readonly script: Uint8Array;
  readonly pushed: readonly Uint8Array[];
  readonly version: ScriptVersion;
}

/** Unwraps redeem and witness scripts, and records them. */
function revealScripts(data: SignatureData, scriptPubKey: Uint8Array): Innermost {
  let pushed = runScriptSig(data.scriptSig, VerifyFlag.STRICTENC).stack;
  let script = scriptPubKey;
  const redeemScript = pushed.at(-1);
  if (classify(script).type === 'scripthash' && redeemScript?.length) {
    data.redeemScript = redeemScript;
    script = redeemScript;
    pushed = pushed.slice(0, -1);
  }
  const witnessScript = data.witness.at(-1);
  if (classify(script).type === 'witness_v0_scripthash' && witnessScript?.length) {
    data.witnessScript = witnessScript;
    return { script: witnessScript, pushed: data.witness.slice(0, -1), version: 'witness0' };
  }
  return { script, pushed, version: 'legacy' };
}

/** Finds the key of each signature; both are in the same order. */
function matchMultisig({ script, pushed, version }: Innermost, collector: Collector, data: SignatureData): void {
  const { type, solutions } = classify(script);
  if (type !== 'multisig') return;
  let next = 0;
  for (const signature of pushed) {
    for (let i = next; i < solutions.length; i++) {
      const publicKey = solutions[i] ?? EMPTY_BYTES;
      const query = { signature, publicKey, scriptCode: script, version };
      if (!data.hasSignatureOf(publicKey) && !collector.checkSignature(query)) continue;
      next = i + 1;
      break;
    }
  }
}
