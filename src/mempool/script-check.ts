import { TxInvalid } from '../consensus/errors.js';
import type { VerifiedScripts } from '../consensus/script-cache.js';
import { blockScriptFlags, impersonationFlag } from '../consensus/script-flags.js';
import { checkScripts } from '../consensus/scripts.js';
import type { SignatureCache } from '../consensus/signature-cache.js';
import type { SpentOutput } from '../consensus/transaction.js';
import type { NetworkParams } from '../params/network.js';
import type { Transaction } from '../primitives/transaction.js';
import { STANDARD_FLAGS, VerifyFlag, type VerifyFlags } from '../script/flags.js';

/** Caches of verified signatures and scripts. Shared with the chain, so that most scripts of a block need no verification. */
export interface ScriptMemory {
  readonly signatures: SignatureCache;
  readonly scripts: VerifiedScripts;
}

/** Verifies the input scripts of transactions for acceptance. */
export class ScriptCheck {
  constructor(
    private readonly params: NetworkParams,
    private readonly memory: ScriptMemory,
  ) {}

  /**
   * Verifies under the flags of relay, then under those of a block at `height`; success of the latter is cached for that block.
   * @throws {TxInvalid} (non-)mandatory-script-verify-flag with the script error
   */
  check(tx: Transaction, spent: readonly SpentOutput[], height: number): void {
    const flags = blockScriptFlags(height, this.params);
    // No policy but a rule of the 4.x releases: OP_KECCAK and witness version 16 are relayed once blocks may contain them.
    const failure = this.#run(tx, spent, STANDARD_FLAGS | (flags & VerifyFlag.METACHAIN) | impersonationFlag(this.params));
    if (failure) throw failure;
    if (this.memory.scripts.has(tx, flags)) return;
    const blockFailure = this.#run(tx, spent, flags);
    if (blockFailure) throw blockFailure;
    this.memory.scripts.add(tx, flags);
  }

  #run(tx: Transaction, spent: readonly SpentOutput[], flags: VerifyFlags): TxInvalid | undefined {
    try {
      checkScripts(tx, spent, flags, this.params.txFormat, { verify: this.memory.signatures.verify });
      return undefined;
    } catch (error) {
      if (error instanceof TxInvalid) return error;
      throw error;
    }
  }
}
