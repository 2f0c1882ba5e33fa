import type { Chain } from '../chain/chain.js';
import { TxInvalid } from '../consensus/errors.js';
import type { SpentOutput } from '../consensus/transaction.js';
import { isFeatureOn } from '../dfi/attributes/features.js';
import { isStillValid } from '../dfi/evm/evm-transaction.js';
import { hasOversizedData } from '../dfi/execution/apply.js';
import { isActive } from '../params/network.js';
import { Op } from '../script/opcodes.js';
import type { Acceptance } from './acceptance.js';
import { CustomTxFailure, type CustomTxGate } from './custom-tx-gate.js';
import type { MempoolEntry } from './entry.js';
import { inTimeOrder } from './order.js';
import type { Pool, RemovalReason } from './pool.js';

export interface ReplayDeps {
  readonly chain: Pick<Chain, 'params' | 'tip' | 'state'>;
  readonly pool: Pool;
  readonly gate: CustomTxGate;
  readonly acceptance: Acceptance;
}

interface ReplayScope {
  /** Height of the block in which the transactions are applied. */
  readonly height: number;
  /** True to check the inputs of all entries; otherwise only custom transactions are checked. */
  readonly everyEntry: boolean;
  /** True if inputs must be confirmed, so that children of unconfirmed transactions are removed. */
  readonly confirmedInputs: boolean;
}

/**
 * Keeps the gate's state consistent with the pool: after an entry was removed, the remaining ones are re-applied before the next check.
 * A disconnected block alone does not cause that. Effects of pooled transactions stay on top of the rolled back state, and transactions
 * that return to the pool are checked on top of them: `defid` rejects the creation of a masternode whose resignation is pooled.
 * @see docs/protocol/chain.md 5.5
 */
export class CustomTxReplay {
  /** True if an entry was removed since the last replay. */
  #isStale = false;
  /** True if a custom transaction was removed since the last replay. */
  #hasLostCustom = false;
  /** True if a reorganisation ended since the last replay. */
  #hasReorganised = false;
  #last: { readonly tip: Chain['tip']; readonly height: number } | undefined;

  constructor(private readonly deps: ReplayDeps) {
    deps.pool.on('removed', ({ entry, reason }) => this.#noteRemoval(entry, reason));
  }

  #noteRemoval(entry: MempoolEntry, reason: RemovalReason): void {
    // A replaced EVM transaction leaves no effects; without this, each replacement would cost a check of the whole pool.
    if (entry.isEvmOnly && reason === 'replaced') return;
    this.#isStale = true;
    this.#hasLostCustom ||= entry.isCustom;
    if (reason === 'cleared') this.#hasReorganised = false;
  }

  /** To be called at the end of a reorganisation: the next block re-checks the pool even if nothing was removed. */
  reorganised(): void {
    this.#hasReorganised = true;
  }

  /** Re-applies the pool's custom transactions as of a block at `height`, if stale; removes those that fail, with their descendants. */
  refresh(height: number): void {
    if (!this.#isStale) return;
    if (this.#isUpToDate(height)) this.#isStale = false;
    else this.#replay({ height, everyEntry: false, confirmedInputs: false });
  }

  /**
   * {@link refresh} after the block at `height` was connected. Below the Metachain height inputs must be confirmed, as in `defid` 3.2.8.
   * @param isReorganisation true before the transactions of disconnected blocks are back in the pool; their children are removed
   */
  blockConnected(height: number, isReorganisation: boolean): void {
    if (!this.#isStale && !this.#hasReorganised) return;
    const confirmedInputs = !isActive(this.deps.chain.params, 'metachain', height);
    this.#replay({ height, everyEntry: confirmedInputs || isReorganisation || this.#hasReorganised, confirmedInputs });
  }

  /** True if a replay would change nothing: no effects were lost, and state and height are those of the last replay. */
  #isUpToDate(height: number): boolean {
    const { params, tip } = this.deps.chain;
    // Below the Metachain height a replay applies messages with time 0, so it can fail where acceptance did not.
    if (this.#hasLostCustom || !isActive(params, 'metachain', height)) return false;
    return this.#last?.tip === tip && this.#last.height === height;
  }

  #replay(scope: ReplayScope): void {
    const { chain, pool, gate } = this.deps;
    gate.reset();
    const checked = [...pool.entries()].filter((entry) => scope.everyEntry || entry.isCustom || hasData(entry));
    for (const entry of inTimeOrder(checked)) {
      if (pool.has(entry) && !this.#isStillValid(entry, scope)) pool.removeWithDescendants([entry], 'block');
    }
    this.#isStale = false;
    this.#hasLostCustom = false;
    this.#hasReorganised = false;
    this.#last = { tip: chain.tip, height: scope.height };
  }

  #isStillValid(entry: MempoolEntry, scope: ReplayScope): boolean {
    const { chain, gate } = this.deps;
    const { params } = chain;
    // The gate checks the size of custom transactions.
    const isSized = entry.isEvmOnly || !entry.isCustom;
    if (isSized && hasOversizedData(entry.tx, { height: scope.height, params }, gate.state)) return false;
    if (entry.isEvmOnly) return this.#canPay(entry);
    try {
      if (scope.everyEntry || entry.isCustom) this.#apply(entry, scope);
      return true;
    } catch (error) {
      // Before Dakota most failing messages do not make a block invalid: `defid` keeps such an entry, without effects.
      if (error instanceof CustomTxFailure) return !error.fatal;
      if (error instanceof TxInvalid) return false;
      throw error;
    }
  }

  /** Checks the decoded EVM transaction of an entry against the state at the tip. It has no effects on the state. */
  #canPay({ evm }: MempoolEntry): boolean {
    return evm === undefined || isStillValid(this.deps.chain.state, evm.signed);
  }

  #apply({ tx, isCustom, time: entered }: MempoolEntry, { height, confirmedInputs }: ReplayScope): void {
    const { chain, gate, acceptance } = this.deps;
    const spent = confirmedInputs ? acceptance.findConfirmed(tx) : acceptance.findSpent(tx);
    acceptance.checkInputs(tx, spent, height);
    if (!isCustom) return;
    // `defid` 3.2.8 applies the messages with time 0, 4.2.5 with the time of entry.
    const time = isActive(chain.params, 'metachain', height) ? entered : 0;
    // Pooled changes of governance count for a new entry only.
    const evmEnabled = isFeatureOn(chain.state, 'evm');
    gate.apply(tx, { height, time, spent: spent as readonly SpentOutput[], coin: acceptance.findOutput, evmEnabled })();
  }
}

function hasData({ tx }: MempoolEntry): boolean {
  return tx.vout.some(({ scriptPubKey }) => scriptPubKey[0] === Op.RETURN);
}
