import type { Chain } from '../chain/chain.js';
import { TxInvalid } from '../consensus/errors.js';
import { MAX_BLOCK_SIGOPS_COST } from '../consensus/limits.js';
import { sequenceLocksPass } from '../consensus/sequence-locks.js';
import { sigOpsCost } from '../consensus/sigops.js';
import { checkInputs, checkTransaction, isEvmTransaction, isFinal, type SpentOutput } from '../consensus/transaction.js';
import { firstMintedOutput } from '../dfi/accounts/transactions.js';
import { isFeatureOn } from '../dfi/attributes/features.js';
import { collateralRule, isCollateralReleased, makesCollateral } from '../dfi/masternodes/collateral.js';
import { isActive } from '../params/network.js';
import { formatHash, type Hash256 } from '../primitives/hash.js';
import type { OutPoint } from '../primitives/outpoint.js';
import { isCoinbase, type Transaction, type TxOut } from '../primitives/transaction.js';
import { equalBytes } from '../util/bytes.js';
import { type CustomTxGate, EVM_NOT_EXECUTED } from './custom-tx-gate.js';
import type { EntryFacts, MempoolEntry } from './entry.js';
import type { EvmQueue } from './evm-queue.js';
import { feeForSize } from './fee-rate.js';
import { ancestorsWithinLimits, type ChainLimits } from './limits.js';
import { areInputsStandard, checkStandard, isWitnessStandard, MIN_STANDARD_STRIPPED_SIZE, type Policy, policySize } from './policy.js';
import type { Pool } from './pool.js';
import { checkReplacement, signalsReplaceable } from './replacement.js';
import type { RollingFee } from './rolling-fee.js';
import type { ScriptCheck } from './script-check.js';
import { trialOf } from './trial.js';

/** What acceptance asks of the chain. */
export type AcceptanceChain = Pick<Chain, 'params' | 'tip' | 'coin' | 'hasUnspent' | 'state'>;

export interface AcceptanceDeps {
  readonly chain: AcceptanceChain;
  readonly pool: Pool;
  readonly gate: CustomTxGate;
  readonly rollingFee: RollingFee;
  readonly scripts: ScriptCheck;
  readonly evmQueue: Pick<EvmQueue, 'check'>;
}

export interface AcceptanceOptions {
  readonly policy: Policy;
  readonly limits: ChainLimits;
}

/** How a transaction came here, and what may be asked of it. */
export interface AcceptanceRequest {
  /** Seconds since 1970 at which it entered, or would. */
  readonly time: number;
  /** Largest fee in satoshis that is no mistake; 0 for any. */
  readonly absurdFee?: bigint;
  /** It was in a block before: fees and the size of the pool do not matter. */
  readonly bypassLimits?: boolean;
}

/** A transaction that may enter. */
export interface Candidate {
  readonly facts: EntryFacts;
  /** Entries that have to leave for it. */
  readonly replaced: ReadonlySet<MempoolEntry>;
  /** Makes the effects of its custom part count for the next one. */
  readonly keepEffects: () => void;
}

/** Outputs that a transaction spends are unknown: it may be early. */
export class MissingInputs extends Error {
  override name = 'MissingInputs';

  constructor(
    /** Transactions that would have to come first; the first hundred, where there are more. */
    readonly parents: readonly Hash256[],
  ) {
    super('Missing inputs');
  }
}

/** Missing inputs after which a transaction is not looked at any further. */
const MAX_MISSING = 100;
/** Share of a block's signature operations that one transaction may have. */
const MAX_STANDARD_SIGOPS_COST = MAX_BLOCK_SIGOPS_COST / 5;

/** Decides which transactions may enter the pool. The order of the questions is what callers see. @see docs/protocol/chain.md 5.1 */
export class Acceptance {
  constructor(
    private readonly options: AcceptanceOptions,
    private readonly deps: AcceptanceDeps,
  ) {}

  /**
   * @throws {TxInvalid} if it may not enter
   * @throws {MissingInputs} if outputs that it spends are unknown
   */
  check(tx: Transaction, request: AcceptanceRequest): Candidate {
    this.#checkForm(tx);
    this.#checkFinal(tx);
    if (this.deps.pool.get(tx.txid)) throw new TxInvalid('txn-already-in-mempool');
    if (isEvmTransaction(tx)) this.#refuseEvm();
    const conflicts = this.#replaceableConflicts(tx);
    const spent = this.#spentOutputs(tx);
    this.#checkUncreatedCollateral(tx);
    const fee = this.checkInputs(tx, spent, this.#height);
    const { absurdFee = 0n } = request;
    if (absurdFee > 0n && fee > absurdFee) throw new TxInvalid('absurdly-high-fee', `${fee} > ${absurdFee}`);
    // That the inputs are worth less than the fee cannot be: outputs are never negative.
    const keepEffects = this.deps.gate.apply(tx, { height: this.#height, time: request.time, spent, coin: this.findOutput });
    this.#checkSpending(tx, spent);
    const facts = this.#weigh(tx, spent, fee, request);
    const replaced = this.#checkPlace(facts, conflicts, request);
    const { burn } = this.deps.chain.params.scripts;
    if (spent.some((coin) => equalBytes(coin.out.scriptPubKey, burn))) throw new TxInvalid('burnt-output');
    this.deps.scripts.check(tx, spent, this.#height);
    this.deps.evmQueue.check(tx);
    return { facts, replaced, keepEffects };
  }

  /** Height of the block that comes next. */
  get #height(): number {
    return this.deps.chain.tip.height + 1;
  }

  #checkForm(tx: Transaction): void {
    const { policy } = this.options;
    checkTransaction(tx);
    if (isCoinbase(tx)) throw new TxInvalid('coinbase');
    if (policy.requireStandard) {
      const { params, tip } = this.deps.chain;
      checkStandard(tx, policy, params.txFormat, { metachain: isActive(params, 'metachain', tip.height + 1) });
    }
    // Transactions of the size of a merkle node could be taken for one.
    if (tx.strippedSize < MIN_STANDARD_STRIPPED_SIZE) throw new TxInvalid('tx-size-small');
  }

  /** What would happen in the EVM is not known here. @throws {TxInvalid} */
  #refuseEvm(): never {
    const isOn = isFeatureOn(this.deps.gate.state, 'evm');
    throw new TxInvalid(isOn ? EVM_NOT_EXECUTED : 'EVM is not enabled on this block');
  }

  #checkFinal(tx: Transaction): void {
    if (!this.isFinal(tx)) throw new TxInvalid('non-final');
  }

  /** True if its lock time lets it into the next block. */
  isFinal(tx: Transaction): boolean {
    return isFinal(tx, this.#height, this.deps.chain.tip.medianTimePast());
  }

  /** True if its relative lock times let it into the next block. */
  areSequenceLocksOver(tx: Transaction, spent: readonly SpentOutput[]): boolean {
    const heights = spent.map((coin) => coin.height);
    return sequenceLocksPass(tx, heights, this.deps.chain.tip, true);
  }

  /** Entries that it could replace. @throws {TxInvalid} if one of them did not agree to that */
  #replaceableConflicts(tx: Transaction): Set<MempoolEntry> {
    const conflicts = this.deps.pool.conflictsOf(tx);
    for (const conflict of conflicts) if (!signalsReplaceable(conflict.tx)) throw new TxInvalid('txn-mempool-conflict');
    return conflicts;
  }

  #spentOutputs(tx: Transaction): readonly SpentOutput[] {
    const found: SpentOutput[] = [];
    const missing: Hash256[] = [];
    for (const { prevout } of tx.vin) {
      const out = this.#findOne(prevout);
      if (out) found.push(out);
      else missing.push(prevout.txid);
      // A look at the store each: a peer could name thousands of outputs that do not exist.
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

  /** Outputs of the chain and of the pool that a transaction spends; undefined where one is unknown or spent on the chain. */
  findSpent(tx: Transaction): readonly (SpentOutput | undefined)[] {
    return tx.vin.map(({ prevout }) => this.#findOne(prevout));
  }

  /** As {@link findSpent}, of the chain alone. */
  findConfirmed(tx: Transaction): readonly (SpentOutput | undefined)[] {
    return tx.vin.map(({ prevout }) => this.deps.chain.coin(prevout));
  }

  /** An output of the chain that is not spent there, or of the pool. */
  readonly findOutput = (point: OutPoint): TxOut | undefined => {
    const { chain, pool } = this.deps;
    return pool.output(point) ?? chain.coin(point)?.out;
  };

  #checkUncreatedCollateral(tx: Transaction): void {
    for (const { prevout } of tx.vin) {
      const parent = prevout.vout === 1 ? this.deps.pool.get(prevout.txid) : undefined;
      if (!parent || !makesCollateral(parent.tx)) continue;
      const debug = `tried to spend collateral of non-created mn or token ${formatHash(prevout.txid)}`;
      throw new TxInvalid('collateral-locked-in-mempool', debug);
    }
  }

  /** Amounts and maturity at `height`, on the state that the pool makes. @returns the fee. @throws {TxInvalid} */
  checkInputs(tx: Transaction, spent: readonly (SpentOutput | undefined)[], height: number): bigint {
    const { chain, gate } = this.deps;
    const takesEffect = this.#tryMessage(tx, spent, height);
    const canSpendCollateral = takesEffect
      ? collateralRule(gate.state, tx, height, chain.params)
      : (txid: Hash256) => isCollateralReleased(gate.state, txid, height, chain.params);
    return checkInputs(tx, spent, { height, firstMintedOutput: firstMintedOutput(tx), canSpendCollateral });
  }

  /** @returns false if its message fails, where that is looked at so early. @throws {TxInvalid} where it must not */
  #tryMessage(tx: Transaction, spent: readonly (SpentOutput | undefined)[], height: number): boolean {
    const trial = trialOf(tx, height, this.deps.chain.params);
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
    if (requireStandard && !areInputsStandard(tx, spent)) throw new TxInvalid('bad-txns-nonstandard-inputs');
    if (requireStandard && !isWitnessStandard(tx, spent)) throw new TxInvalid('bad-witness-nonstandard');
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

  /** Whether it pays for its place, fits below its ancestors, and may take the place of others. @returns what it replaces */
  #checkPlace(facts: EntryFacts, conflicts: ReadonlySet<MempoolEntry>, { bypassLimits = false }: AcceptanceRequest): Set<MempoolEntry> {
    const { policy, limits } = this.options;
    const { pool } = this.deps;
    const { tx, vsize } = facts;
    const modifiedFee = facts.fee + pool.feeDelta(tx.txid);
    if (!bypassLimits) this.#checkFee(modifiedFee, vsize);
    const ancestors = ancestorsWithinLimits(tx, vsize, pool, limits);
    for (const ancestor of ancestors) {
      if (!conflicts.has(ancestor)) continue;
      const debug = `${formatHash(tx.txid)} spends conflicting transaction ${formatHash(ancestor.tx.txid)}`;
      throw new TxInvalid('bad-txns-spends-conflicting-tx', debug);
    }
    if (conflicts.size === 0) return new Set();
    return checkReplacement({ tx, vsize, modifiedFee, conflicts }, pool, policy.incrementalRelayFeeRate);
  }

  #checkFee(modifiedFee: bigint, vsize: number): void {
    const { rollingFee, pool } = this.deps;
    const poolMinimum = feeForSize(rollingFee.minimum(pool.memoryUsage), vsize);
    if (poolMinimum > 0n && modifiedFee < poolMinimum) {
      throw new TxInvalid('mempool min fee not met', `${modifiedFee} < ${poolMinimum}`);
    }
    const relayMinimum = feeForSize(this.options.policy.minRelayFeeRate, vsize);
    if (modifiedFee < relayMinimum) throw new TxInvalid('min relay fee not met', `${modifiedFee} < ${relayMinimum}`);
  }
}
