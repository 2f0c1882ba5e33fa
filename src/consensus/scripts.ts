import type { SignatureBatch } from '../crypto/verify-pool.js';
import { formatHash } from '../primitives/hash.js';
import type { Transaction, TxFormat, TxIn, TxOut } from '../primitives/transaction.js';
import { type SignatureVerifiers, TransactionChecker } from '../script/checker.js';
import { MANDATORY_FLAGS, type VerifyFlags } from '../script/flags.js';
import { ScriptError } from '../script/script-error.js';
import { WitnessHashes } from '../script/sighash.js';
import { verifyScript } from '../script/verify.js';
import { TxInvalid } from './errors.js';
import type { SpentOutput } from './transaction.js';

/**
 * Verifies the scripts of all inputs.
 * @param spent the spent outputs, in the order of the inputs
 * @throws {TxInvalid} with the script error; `mandatory-` if the script also fails under the mandatory flags
 */
export function checkScripts(
  tx: Transaction,
  spent: readonly SpentOutput[],
  flags: VerifyFlags,
  format: TxFormat,
  verifiers: Omit<SignatureVerifiers, 'hashes'> = {},
): void {
  const all: SignatureVerifiers = { ...verifiers, hashes: new WitnessHashes(tx, format) };
  for (let input = 0; input < tx.vin.length; input++) {
    const { out } = spent[input] as SpentOutput;
    const error = scriptError(tx, input, out, flags, format, all);
    if (!error) continue;
    const isMandatory = scriptError(tx, input, out, flags & MANDATORY_FLAGS, format, all) !== undefined;
    const reason = isMandatory ? 'mandatory-script-verify-flag-failed' : 'non-mandatory-script-verify-flag';
    throw new TxInvalid(`${reason} (${error.message})`);
  }
}

function scriptError(
  tx: Transaction,
  input: number,
  { scriptPubKey, value }: TxOut,
  flags: VerifyFlags,
  format: TxFormat,
  verifiers: SignatureVerifiers,
): ScriptError | undefined {
  const { scriptSig, witness } = tx.vin[input] as TxIn;
  try {
    verifyScript({ scriptSig, witness, scriptPubKey }, flags, new TransactionChecker(tx, format, input, value, verifiers));
    return undefined;
  } catch (error) {
    if (error instanceof ScriptError) return error;
    throw error;
  }
}

/** Transactions whose scripts are known to be valid, by witness id and flags. */
export interface ScriptCache {
  has(tx: Transaction, flags: VerifyFlags): boolean;
}

/** Helpers for the scripts of a block. */
export interface ScriptHelpers {
  /** Threads that verify signatures in parallel. With them, an invalid script is reported only at the end of the block. */
  readonly batch?: SignatureBatch | undefined;
  readonly cache?: ScriptCache | undefined;
}

interface DeferredTransaction {
  readonly tx: Transaction;
  readonly spent: readonly SpentOutput[];
}

/**
 * Verification of the scripts of one block. With threads, required signatures are assumed valid while scripts run, and verified as a
 * batch. If the batch fails, or a script fails under the assumption, scripts are run again with immediate verification.
 */
export class BlockScripts {
  readonly #deferred: DeferredTransaction[] = [];
  #failure: TxInvalid | undefined;

  constructor(
    private readonly flags: VerifyFlags,
    private readonly format: TxFormat,
    private readonly helpers: ScriptHelpers = {},
  ) {}

  /** Verifies a transaction, or defers its signatures. @throws {TxInvalid} if a script fails and there are no threads */
  check(tx: Transaction, spent: readonly SpentOutput[]): void {
    const { batch, cache } = this.helpers;
    if (this.#failure || cache?.has(tx, this.flags)) return;
    if (batch) this.#failure = this.#checkLater(tx, spent, batch);
    else this.#checkNow(tx, spent);
  }

  /** @returns a failure that is already certain */
  #checkLater(tx: Transaction, spent: readonly SpentOutput[], batch: SignatureBatch): TxInvalid | undefined {
    const verifyLater: SignatureBatch['add'] = (key, signature, hash) => batch.add(key, signature, hash);
    if (!invalidOf(() => checkScripts(tx, spent, this.flags, this.format, { verifyLater }))) {
      this.#deferred.push({ tx, spent });
      return undefined;
    }
    return invalidOf(() => this.#checkNow(tx, spent));
  }

  /** Verifies immediately. The debug text names the transaction, for the log. */
  #checkNow(tx: Transaction, spent: readonly SpentOutput[]): void {
    try {
      checkScripts(tx, spent, this.flags, this.format);
    } catch (error) {
      if (!(error instanceof TxInvalid)) throw error;
      throw new TxInvalid(error.reason, `CheckInputs on ${formatHash(tx.txid)} failed with ${error.reason}`);
    }
  }

  /** Waits for the deferred signatures at the end of the block. @throws {TxInvalid} if a script fails */
  verifyDeferred(): void {
    const good = this.helpers.batch?.finish() !== false;
    if (this.#failure) throw this.#failure;
    if (good) return;
    for (const { tx, spent } of this.#deferred) this.#checkNow(tx, spent);
  }

  /** Discards the deferred signatures of a block that is invalid for another reason. */
  abandon(): void {
    this.helpers.batch?.finish();
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
