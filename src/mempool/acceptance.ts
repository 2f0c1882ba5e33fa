import type { Chain } from '../chain/chain.js';
import { TxInvalid } from '../consensus/errors.js';
import { MAX_BLOCK_SIGOPS_COST } from '../consensus/limits.js';
import { sequenceLocksPass } from '../consensus/sequence-locks.js';
import { sigOpsCost } from '../consensus/sigops.js';
import {
  checkInputs,
  checkSize,
  checkTransaction,
  isEvmTransaction,
  isFinal,
  type SpentOutput,
  spendsOutputs,
} from '../consensus/transaction.js';
import { firstMintedOutput } from '../dfi/accounts/transactions.js';
import { failureConsequenceOf } from '../dfi/execution/input-trial.js';
import { collateralRule, isCollateralReleased, makesCollateral } from '../dfi/masternodes/collateral.js';
import { isActive } from '../params/network.js';
import { formatHash, type Hash256 } from '../primitives/hash.js';
import type { OutPoint } from '../primitives/outpoint.js';
import { hasWitness, isCoinbase, type Transaction, type TxOut, transactionWeight } from '../primitives/transaction.js';
import { equalBytes } from '../util/bytes.js';
import { TracelessError } from '../util/errors.js';
import type { CustomTxGate } from './custom-tx-gate.js';
import type { EntryFacts, MempoolEntry } from './entry.js';
import type { EvmIndex } from './evm-index.js';
import { pooledEvm } from './evm-tip.js';
import { feeForSize } from './fee-rate.js';
import { ancestorsWithinLimits, type ChainLimits } from './limits.js';
import {
  areInputsStandard,
  isWitnessStandard,
  MAX_STANDARD_WEIGHT,
  MIN_STANDARD_STRIPPED_SIZE,
  nonstandardReason,
  PAYS_EVM_ADDRESS,
  type Policy,
  policySize,
} from './policy.js';
import type { Pool } from './pool.js';
import { checkReplacement, signalsReplaceable } from './replacement.js';
import type { RollingFee } from './rolling-fee.js';
import type { ScriptCheck } from './script-check.js';

/** The part of the chain that acceptance reads. */
export type AcceptanceChain = Pick<Chain, 'params' | 'tip' | 'coin' | 'hasUnspent' | 'state'>;

export interface AcceptanceDeps {
  readonly chain: AcceptanceChain;
  readonly pool: Pool;
  readonly gate: CustomTxGate;
  readonly rollingFee: RollingFee;
  readonly scripts: ScriptCheck;
  readonly evmIndex: Pick<EvmIndex, 'check'>;
}

export interface AcceptanceOptions {
  readonly policy: Policy;
  readonly limits: ChainLimits;
}

/** Options of a submission, some of which skip checks. */
export interface AcceptanceRequest {
  /** Time of entry, seconds since 1970. */
  readonly time: number;
  /** Maximum fee in satoshis, against mistakes of the caller; 0 for no limit. */
  readonly absurdFee?: bigint;
  /** Skips the checks of fees and pool size: for transactions of a disconnected block. */
  readonly bypassLimits?: boolean;
}

/** A transaction that passed all checks. */
export interface Candidate {
  readonly facts: EntryFacts;
  /** Entries that it replaces: by BIP125, descendants included, and the one with the same EVM sender and nonce. */
  readonly replaced: ReadonlySet<MempoolEntry>;
  /** Commits the effects of its custom transaction, so that the next transaction is checked on top of them. */
  readonly commitEffects: () => void;
}

/** Some inputs are unknown: the transaction may be an orphan. */
export class MissingInputs extends TracelessError {
  override name = 'MissingInputs';

  constructor(
    /** Txids of the missing parents, at most 100. */
    readonly parents: readonly Hash256[],
  ) {
    super('Missing inputs');
  }
}

/** The lookup of inputs stops after this many missing ones. */
const MAX_MISSING = 100;
/** Maximum signature operations cost of a relayed transaction: a fifth of a block's. */
const MAX_STANDARD_SIGOPS_COST = MAX_BLOCK_SIGOPS_COST / 5;

/**
 * Checks whether transactions may enter the pool. The order of the checks decides the reason that callers see.
 * @see docs/protocol/chain.md 5.1
 */
export class Acceptance {
  constructor(
    private readonly options: AcceptanceOptions,
    private readonly deps: AcceptanceDeps,
  ) {}

  /**
   * @throws {TxInvalid} if the transaction is rejected
   * @throws {MissingInputs} if an input is neither in the coin view nor in the pool
   */
  check(tx: Transaction, request: AcceptanceRequest): Candidate {
    this.#checkForm(tx);
    this.#checkFinal(tx);
    if (this.deps.pool.get(tx.txid)) throw new TxInvalid('txn-already-in-mempool');
    const conflicts = this.#replaceableConflicts(tx);
    const spent = this.#spentOutputs(tx);
    const fee = this.checkInputs(tx, spent, this.#height);
    const { absurdFee = 0n } = request;
    if (absurdFee > 0n && fee > absurdFee) throw new TxInvalid('absurdly-high-fee', `${fee} > ${absurdFee}`);
    // The fee cannot exceed the value of the inputs: outputs are never negative.
    const commitEffects = this.deps.gate.apply(tx, { height: this.#height, time: request.time, spent, coin: this.findOutput });
    this.#checkSpending(tx, spent);
    const facts = this.#weigh(tx, spent, fee, request);
    const replaced = this.#checkPlace(facts, conflicts, request);
    const { burn } = this.deps.chain.params.scripts;
    if (spent.some((coin) => equalBytes(coin.out.scriptPubKey, burn))) throw new TxInvalid('burnt-output');
    if (spendsOutputs(tx)) this.deps.scripts.check(tx, spent, this.#height);
    const evm = pooledEvm(tx, this.deps.gate.state, this.deps.chain.params);
    const sameNonce = evm && this.deps.evmIndex.check(evm);
    if (sameNonce) replaced.add(sameNonce);
    return { facts: { ...facts, evm }, replaced, commitEffects };
  }

  /** Height of the next block. */
  get #height(): number {
    return this.deps.chain.tip.height + 1;
  }

  /** True if the rules of the Metachain upgrade hold in the next block. */
  get #metachain(): boolean {
    return isActive(this.deps.chain.params, 'metachain', this.#height);
  }

  #checkForm(tx: Transaction): void {
    const { policy } = this.options;
    const isTooLong = policy.requireStandard && transactionWeight(tx) > MAX_STANDARD_WEIGHT && !isCoinbase(tx);
    // It is rejected in any case. The checks of its parts would take a second for the longest transaction that a peer may send.
    if (isTooLong) checkSize(tx);
    else checkTransaction(tx, { metachain: this.#metachain });
    if (isCoinbase(tx)) throw new TxInvalid('coinbase');
    const reason = nonstandardReason(tx, policy, this.deps.chain.params.txFormat, { metachain: this.#metachain });
    if (reason !== undefined && (policy.requireStandard || reason === PAYS_EVM_ADDRESS)) throw new TxInvalid(reason);
    // A transaction of 64 bytes could be passed off as an inner node of a merkle tree (CVE-2017-12842).
    if (tx.strippedSize < MIN_STANDARD_STRIPPED_SIZE) throw new TxInvalid('tx-size-small');
  }

  #checkFinal(tx: Transaction): void {
    if (!this.isFinal(tx)) throw new TxInvalid('non-final');
  }

  /** True if the lock time permits the next block. */
  isFinal(tx: Transaction): boolean {
    return isFinal(tx, this.#height, this.deps.chain.tip.medianTimePast());
  }

  /** True if the relative lock times (BIP68) permit the next block. */
  areSequenceLocksOver(tx: Transaction, spent: readonly SpentOutput[]): boolean {
    if (!spendsOutputs(tx)) return true;
    return sequenceLocksPass(tx, spent, this.deps.chain.tip, true);
  }

  /** Entries with a common input. @throws {TxInvalid} if one of them does not signal BIP125 */
  #replaceableConflicts(tx: Transaction): Set<MempoolEntry> {
    const conflicts = this.deps.pool.conflictsOf(tx);
    for (const conflict of conflicts) if (!signalsReplaceable(conflict.tx)) throw new TxInvalid('txn-mempool-conflict');
    return conflicts;
  }

  #spentOutputs(tx: Transaction): readonly SpentOutput[] {
    const found: SpentOutput[] = [];
    const missing: Hash256[] = [];
    for (const { prevout } of inputsOf(tx)) {
      const out = this.#findOne(prevout);
      if (out) found.push(out);
      else missing.push(prevout.txid);
      // `defid` stops at the first missing input, so it does not notice the collateral of a later one.
      if (missing.length === 0) this.#checkUncreatedCollateral(prevout);
      // Each is a database read, and a peer could name thousands of outputs that do not exist.
      if (missing.length === MAX_MISSING) break;
    }
    if (missing.length === 0) return found;
    if (this.deps.chain.hasUnspent(tx.txid)) throw new TxInvalid('txn-already-known');
    throw new MissingInputs(missing);
  }

  #findOne(prevout: OutPoint): SpentOutput | undefined {
    const out = this.deps.pool.output(prevout);
    return out ? { out, height: this.#height, coinbase: false } : this.deps.chain.coin(prevout);
  }

  /** Outputs that the inputs spend, by input, from the pool or the chain; undefined for one that is unknown or spent on the chain. */
  findSpent(tx: Transaction): readonly (SpentOutput | undefined)[] {
    return inputsOf(tx).map(({ prevout }) => this.#findOne(prevout));
  }

  /** Like {@link findSpent}, but confirmed outputs only. */
  findConfirmed(tx: Transaction): readonly (SpentOutput | undefined)[] {
    return inputsOf(tx).map(({ prevout }) => this.deps.chain.coin(prevout));
  }

  /** An output of a pooled transaction, or a coin of the chain. */
  readonly findOutput = (point: OutPoint): TxOut | undefined => {
    const { chain, pool } = this.deps;
    return pool.output(point) ?? chain.coin(point)?.out;
  };

  #checkUncreatedCollateral({ txid, vout }: OutPoint): void {
    const parent = vout === 1 ? this.deps.pool.get(txid) : undefined;
    if (!parent || !makesCollateral(parent.tx)) return;
    // The 3.x releases of `defid` add the question, and clients see it.
    const question = this.#metachain ? '' : ', cheater?';
    const debug = `tried to spend collateral of non-created mn or token ${formatHash(txid)}${question}`;
    throw new TxInvalid('collateral-locked-in-mempool', debug);
  }

  /**
   * Checks amounts, maturity and collateral locks at `height`, on the state with pooled effects.
   * @returns the fee, satoshis
   * @throws {TxInvalid}
   */
  checkInputs(tx: Transaction, spent: readonly (SpentOutput | undefined)[], height: number): bigint {
    if (!spendsOutputs(tx)) return 0n;
    const { chain, gate } = this.deps;
    const takesEffect = this.#tryMessage(tx, spent, height);
    const canSpendCollateral = takesEffect
      ? collateralRule(gate.state, tx, height, chain.params)
      : (txid: Hash256) => isCollateralReleased(gate.state, txid, height, chain.params);
    return checkInputs(tx, spent, { height, firstMintedOutput: firstMintedOutput(tx), canSpendCollateral });
  }

  /**
   * Applies the messages that are tried before the inputs (`failureConsequenceOf`).
   * @returns false on a harmless failure
   * @throws {TxInvalid} on a fatal one
   */
  #tryMessage(tx: Transaction, spent: readonly (SpentOutput | undefined)[], height: number): boolean {
    const trial = failureConsequenceOf(tx, height, this.deps.chain.params);
    if (!trial || spent.includes(undefined)) return true;
    try {
      this.deps.gate.apply(tx, { height, time: 0, spent: spent as readonly SpentOutput[], coin: this.findOutput });
      return true;
    } catch (error) {
      if (!(error instanceof TxInvalid)) throw error;
      if (trial === 'fatal') throw new TxInvalid('bad-txns-customtx', error.reason);
      return false;
    }
  }

  #checkSpending(tx: Transaction, spent: readonly SpentOutput[]): void {
    const { requireStandard } = this.options.policy;
    if (!this.areSequenceLocksOver(tx, spent)) throw new TxInvalid('non-BIP68-final');
    if (!requireStandard) return;
    const spends = spendsOutputs(tx);
    if (spends && !areInputsStandard(tx, spent, { metachain: this.#metachain })) throw new TxInvalid('bad-txns-nonstandard-inputs');
    // Null inputs are no witness programs, so any witness is nonstandard.
    if (spends ? !isWitnessStandard(tx, spent) : hasWitness(tx)) throw new TxInvalid('bad-witness-nonstandard');
  }

  #weigh(tx: Transaction, spent: readonly SpentOutput[], fee: bigint, { time }: AcceptanceRequest): EntryFacts {
    const cost = sigOpsCost(tx, spent, true);
    if (cost > MAX_STANDARD_SIGOPS_COST) throw new TxInvalid('bad-txns-too-many-sigops', `${cost}`);
    return {
      tx,
      fee,
      vsize: policySize(tx, cost, this.options.policy),
      sigOpsCost: cost,
      time,
      height: this.deps.chain.tip.height,
      spendsCoinbase: spent.some((coin) => coin.coinbase),
    };
  }

  /** Checks fee rate, limits of ancestors and descendants, and replacement rules. @returns entries that it replaces */
  #checkPlace(facts: EntryFacts, conflicts: ReadonlySet<MempoolEntry>, { bypassLimits = false }: AcceptanceRequest): Set<MempoolEntry> {
    const { policy, limits } = this.options;
    const { pool } = this.deps;
    const { tx, vsize } = facts;
    const modifiedFee = facts.fee + pool.feeDelta(tx.txid);
    if (!bypassLimits) this.#checkFee(modifiedFee, vsize, !isEvmTransaction(tx));
    const ancestors = ancestorsWithinLimits(tx, vsize, pool, limits);
    for (const ancestor of ancestors) {
      if (!conflicts.has(ancestor)) continue;
      const debug = `${formatHash(tx.txid)} spends conflicting transaction ${formatHash(ancestor.tx.txid)}`;
      throw new TxInvalid('bad-txns-spends-conflicting-tx', debug);
    }
    if (conflicts.size === 0) return new Set();
    return checkReplacement({ tx, vsize, modifiedFee, conflicts }, pool, policy.incrementalRelayFeeRate);
  }

  #checkFee(modifiedFee: bigint, vsize: number, paysRelayFee: boolean): void {
    const { rollingFee, pool } = this.deps;
    const poolMinimum = feeForSize(rollingFee.minimum(pool.memoryUsage), vsize);
    if (poolMinimum > 0n && modifiedFee < poolMinimum) {
      throw new TxInvalid('mempool min fee not met', `${modifiedFee} < ${poolMinimum}`);
    }
    // The fee of an EVM transaction is paid in the EVM.
    if (!paysRelayFee) return;
    const relayMinimum = feeForSize(this.options.policy.minRelayFeeRate, vsize);
    if (modifiedFee < relayMinimum) throw new TxInvalid('min relay fee not met', `${modifiedFee} < ${relayMinimum}`);
  }
}

/** Inputs that spend outputs: none of a transaction that only carries an EVM transaction. */
function inputsOf(tx: Transaction): Transaction['vin'] {
  return spendsOutputs(tx) ? tx.vin : [];
}
