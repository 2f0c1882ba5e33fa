import type { SignatureBatch } from '../crypto/verify-pool.js';
import { formatHash } from '../primitives/hash.js';
import type { Transaction, TxFormat } from '../primitives/transaction.js';
import { type SignatureVerifiers, TransactionChecker } from '../script/checker.js';
import { MANDATORY_FLAGS, type VerifyFlags } from '../script/flags.js';
import { ScriptError } from '../script/script-error.js';
import { WitnessHashes } from '../script/sighash.js';
import { verifyScript } from '../script/verify.js';
import { TxInvalid } from './errors.js';
import type { SpentOutput } from './transaction.js';

/**
 * Runs the scripts of every input.
 * @param spent the outputs that are spent, in the order of the inputs
 * @throws {TxInvalid} with what the script failed at, and whether rules failed it that every transaction must keep
 */
export function checkScripts(
  tx: Transaction,
  spent: readonly SpentOutput[],
  flags: VerifyFlags,
  format: TxFormat,
  verifiers: Omit<SignatureVerifiers, 'hashes'> = {},
): void {
  const hashes = new WitnessHashes(tx, format);
  tx.vin.forEach(({ scriptSig, witness }, input) => {
    const { scriptPubKey, value } = (spent[input] as SpentOutput).out;
    const run = (rules: VerifyFlags): ScriptError | undefined => {
      try {
        const checker = new TransactionChecker(tx, format, input, value, { ...verifiers, hashes });
        verifyScript({ scriptSig, witness, scriptPubKey }, rules, checker);
        return undefined;
      } catch (error) {
        if (error instanceof ScriptError) return error;
        throw error;
      }
    };
    const error = run(flags);
    if (!error) return;
    const reason = run(flags & MANDATORY_FLAGS) === undefined ? 'non-mandatory-script-verify-flag' : 'mandatory-script-verify-flag-failed';
    throw new TxInvalid(`${reason} (${error.message})`);
  });
}

/** Transactions whose scripts are known to succeed, by witness id and flags. */
export interface ScriptCache {
  has(tx: Transaction, flags: VerifyFlags): boolean;
}

/** How the scripts of a block are run. */
export interface ScriptHelpers {
  /** Threads that verify beside the one that runs scripts. With them only the end of the block tells that a script failed. */
  readonly batch?: SignatureBatch | undefined;
  readonly cache?: ScriptCache | undefined;
}

interface TrustedTransaction {
  readonly tx: Transaction;
  readonly spent: readonly SpentOutput[];
}

/**
 * The scripts of one block. With threads, signatures that a script cannot do without are taken on trust while it runs and verified
 * together at the end; where that verdict is no, or a script failed because of the trust, scripts are run again without it.
 */
export class BlockScripts {
  readonly #trusted: TrustedTransaction[] = [];
  #failure: TxInvalid | undefined;

  constructor(
    private readonly flags: VerifyFlags,
    private readonly format: TxFormat,
    private readonly helpers: ScriptHelpers = {},
  ) {}

  /** @throws {TxInvalid} if a script fails and there are no threads */
  check(tx: Transaction, spent: readonly SpentOutput[]): void {
    const { batch, cache } = this.helpers;
    if (this.#failure || cache?.has(tx, this.flags)) return;
    if (batch) this.#failure = this.#checkLater(tx, spent, batch);
    else this.#checkNow(tx, spent);
  }

  /** @returns what failed already */
  #checkLater(tx: Transaction, spent: readonly SpentOutput[], batch: SignatureBatch): TxInvalid | undefined {
    const verifyLater: SignatureBatch['add'] = (key, signature, hash) => batch.add(key, signature, hash);
    if (!invalidOf(() => checkScripts(tx, spent, this.flags, this.format, { verifyLater }))) {
      this.#trusted.push({ tx, spent });
      return undefined;
    }
    return invalidOf(() => this.#checkNow(tx, spent));
  }

  /** Without trust. The verdict names the transaction, for those who look for it in the log. */
  #checkNow(tx: Transaction, spent: readonly SpentOutput[]): void {
    try {
      checkScripts(tx, spent, this.flags, this.format);
    } catch (error) {
      if (!(error instanceof TxInvalid)) throw error;
      throw new TxInvalid(error.reason, `CheckInputs on ${formatHash(tx.txid)} failed with ${error.reason}`);
    }
  }

  /** Ends the block. @throws {TxInvalid} if a script fails after all */
  settle(): void {
    const good = this.helpers.batch?.settle() !== false;
    if (this.#failure) throw this.#failure;
    if (good) return;
    for (const { tx, spent } of this.#trusted) this.#checkNow(tx, spent);
  }

  /** Ends a block that is invalid for another reason. */
  abandon(): void {
    this.helpers.batch?.settle();
  }
}

function invalidOf(check: () => void): TxInvalid | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof TxInvalid) return error;
    throw error;
  }
}
