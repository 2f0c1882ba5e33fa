import type { WitnessStack } from '../primitives/witness.js';
import { equalBytes, toHex } from '../util/bytes.js';
import { buildScript } from './script.js';

/**
 * Reserved `scriptSig` that stands for the signatures of an impersonated owner, without a witness. It satisfies no script that needs a
 * signature, so it is invalid wherever `VerifyFlag.IMPERSONATION` is not set.
 */
export const IMPERSONATION: Uint8Array = buildScript(Uint8Array.from(Buffer.from('DfIm', 'latin1')));

/** True for an input in the reserved form. */
export function isImpersonation({ scriptSig, witness }: { readonly scriptSig: Uint8Array; readonly witness: WitnessStack }): boolean {
  return witness.length === 0 && equalBytes(scriptSig, IMPERSONATION);
}

/** Owners that the node impersonates, until it stops. Only networks that allow it have such a list. */
export class ImpersonatedOwners {
  readonly #scripts = new Set<string>();

  /** @param script output script of the owner, on either side */
  has(script: Uint8Array): boolean {
    return this.#scripts.size > 0 && this.#scripts.has(toHex(script));
  }

  set(script: Uint8Array, isImpersonated: boolean): void {
    if (isImpersonated) this.#scripts.add(toHex(script));
    else this.#scripts.delete(toHex(script));
  }
}
