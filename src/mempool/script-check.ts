import { TxInvalid } from '../consensus/errors.js';
import type { VerifiedScripts } from '../consensus/script-cache.js';
import { blockScriptFlags } from '../consensus/script-flags.js';
import { checkScripts } from '../consensus/scripts.js';
import type { SignatureCache } from '../consensus/signature-cache.js';
import type { SpentOutput } from '../consensus/transaction.js';
import type { NetworkParams } from '../params/network.js';
import type { Transaction } from '../primitives/transaction.js';
import { STANDARD_FLAGS, type VerifyFlags } from '../script/flags.js';

/** What is remembered of checked scripts. Shared with the chain, which then finds most of a block's work done. */
export interface ScriptMemory {
  readonly signatures: SignatureCache;
  readonly scripts: VerifiedScripts;
}

/** Runs the scripts of transactions that want to enter the pool. */
export class ScriptCheck {
  constructor(
    private readonly params: NetworkParams,
    private readonly memory: ScriptMemory,
  ) {}

  /**
   * Under the rules of relay, then under those of the block at `height`, whose verdict is kept for when that block comes.
   * @throws {TxInvalid} (non-)mandatory-script-verify-flag with what the script failed at
   */
  check(tx: Transaction, spent: readonly SpentOutput[], height: number): void {
    const failure = this.#run(tx, spent, STANDARD_FLAGS);
    if (failure) throw failure;
    const flags = blockScriptFlags(height, this.params);
    if (this.memory.scripts.has(tx, flags)) return;
    const blockFailure = this.#run(tx, spent, flags);
    if (blockFailure) throw blockFailure;
    this.memory.scripts.add(tx, flags);
  }

  #run(tx: Transaction, spent: readonly SpentOutput[], flags: VerifyFlags): TxInvalid | undefined {
    try {
      checkScripts(tx, spent, flags, this.params.txFormat, { verifyNow: this.memory.signatures.verify });
      return undefined;
    } catch (error) {
      if (error instanceof TxInvalid) return error;
      throw error;
    }
  }
}
