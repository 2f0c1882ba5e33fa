import { formatHash } from '../primitives/hash.js';
import type { Transaction, TxFormat, TxIn, TxOut } from '../primitives/transaction.js';
import { type SignatureVerifiers, TransactionChecker } from '../script/checker.js';
import { MANDATORY_FLAGS, type VerifyFlags } from '../script/flags.js';
import { ScriptError } from '../script/script-error.js';
import { WitnessHashes } from '../script/sighash.js';
import { verifyScript } from '../script/verify.js';
import type { Steps } from '../util/slicer.js';
import { TxInvalid } from './errors.js';
import type { ScriptJob } from './script-jobs.js';
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

/** True if the scripts of a range of inputs are valid. @param hashes of the transaction, shared by its ranges */
export function areScriptsValid(
  { tx, spent, flags, format }: ScriptJob,
  { from, to }: { readonly from: number; readonly to: number },
  hashes: WitnessHashes,
): boolean {
  for (let input = from; input < to; input++) {
    const { out } = spent[input] as SpentOutput;
    if (scriptError(tx, input, out, flags, format, { hashes })) return false;
  }
  return true;
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

/** Scripts that other threads verify while a block is connected. */
export interface ScriptBatch {
  /** Adds the scripts of a transaction. @returns false if it is too large, and must be verified by the caller */
  add(job: ScriptJob): boolean;
  /** Adds the scripts of a transaction if there is room now. @returns false if there is none */
  addIfRoom(job: ScriptJob): boolean;
  /** Verifies some of the added scripts that wait. @returns false if none waits */
  help(): boolean;
  /** Waits for the results and ends the batch. @returns true if all added scripts are known to be valid */
  finish(): boolean;
  /** Ends the batch without its results. */
  discard(): void;
}

/** Threads that verify scripts. */
export interface ScriptThreads {
  open(): ScriptBatch;
}

/** Helpers for the scripts of a block. */
export interface ScriptHelpers {
  /** Threads that verify scripts. With them, an invalid script is reported only at the end of the block. */
  readonly threads?: ScriptThreads | undefined;
  readonly cache?: ScriptCache | undefined;
}

/** Verification of the scripts of one block. If a batch fails, its scripts are run again, in order. */
export class BlockScripts {
  readonly #batch: ScriptBatch | undefined;
  /** Transactions whose scripts were queued before their turn. */
  readonly #queued = new Set<Transaction>();
  /** Verified by the threads, in the order of the block. */
  readonly #deferred: ScriptJob[] = [];
  #failure: TxInvalid | undefined;

  constructor(
    private readonly flags: VerifyFlags,
    private readonly format: TxFormat,
    private readonly helpers: ScriptHelpers = {},
  ) {
    this.#batch = helpers.threads?.open();
  }

  /**
   * Lets the threads verify a transaction before its turn, if there is room and all spent outputs are known. Scripts depend on nothing but the
   * transaction and these outputs, so the result holds whatever the block does before.
   */
  queue(tx: Transaction, spent: readonly (SpentOutput | undefined)[]): void {
    const { flags, format } = this;
    if (!this.#batch || spent.includes(undefined) || this.helpers.cache?.has(tx, flags)) return;
    if (this.#batch.addIfRoom({ tx, spent: spent as readonly SpentOutput[], flags, format })) this.#queued.add(tx);
  }

  /** True if the threads verify the transaction before its turn. */
  isQueued(tx: Transaction): boolean {
    return this.#queued.has(tx);
  }

  /** Verifies a transaction, or defers that. @throws {TxInvalid} if a script fails and there are no threads */
  check(tx: Transaction, spent: readonly SpentOutput[]): void {
    const { flags, format } = this;
    const isQueued = this.isQueued(tx);
    if (this.#failure || (!isQueued && this.helpers.cache?.has(tx, flags))) return;
    const job = { tx, spent, flags, format };
    if (isQueued) this.#deferred.push(job);
    else if (!this.#batch) checkNow(job);
    else if (this.#batch.add(job)) this.#deferred.push(job);
    else this.#failure = invalidOf(() => checkNow(job));
  }

  /** Verifies scripts that wait for a thread, in steps. */
  *help(): Steps<void> {
    while (this.#batch?.help()) yield;
  }

  /** Waits for the deferred scripts at the end of the block. @throws {TxInvalid} if a script fails */
  verifyDeferred(): void {
    const good = this.#batch?.finish() !== false;
    if (!good) for (const job of this.#deferred) checkNow(job);
    if (this.#failure) throw this.#failure;
  }

  /** Discards the deferred scripts of a block that is invalid for another reason. */
  abandon(): void {
    this.#batch?.discard();
  }
}

/** Verifies immediately. The debug text names the transaction, for the log. */
function checkNow({ tx, spent, flags, format }: ScriptJob): void {
  try {
    checkScripts(tx, spent, flags, format);
  } catch (error) {
    if (!(error instanceof TxInvalid)) throw error;
    throw new TxInvalid(error.reason, `CheckInputs on ${formatHash(tx.txid)} failed with ${error.reason}`);
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
