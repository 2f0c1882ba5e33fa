import { setTimeout as sleep } from 'node:timers/promises';
import type { Chain } from '../chain/chain.js';
import type { PrivateKey } from '../crypto/keys.js';
import type { DevelopmentChange } from '../dfi/development/changes.js';
import { type IdentifiedMasternode, isActiveMasternode } from '../dfi/masternodes/columns.js';
import { isActive } from '../params/network.js';
import type { Hash160 } from '../primitives/hash.js';
import { destinationOf } from '../script/address.js';
import { equalBytes } from '../util/bytes.js';
import type { Clock } from '../util/clock.js';
import { NodeError } from '../util/errors.js';
import type { Logger } from '../util/logger.js';
import { BlockAssembler, DEFAULT_ASSEMBLY, type LastAssembled } from './assembler.js';
import { type Attempt, type AttemptOutcome, Forge, type ForgeChain } from './forge.js';
import { ownMasternodes } from './own-masternodes.js';
import { TimeSearch } from './search.js';

export interface MinterOptions {
  /** Key ids of the masternode operators of this node (`-masternode_operator`). */
  readonly operators: readonly Hash160[];
}

export interface MinterDeps {
  readonly chain: ForgeChain & Pick<Chain, 'persist'>;
  readonly clock: Clock;
  /** Private key of an operator; undefined if this node does not have it. */
  readonly keys: (operator: Hash160) => PrivateKey | undefined;
  readonly log: Logger;
  /** Block assembler; by default one without mempool. */
  readonly assembler?: BlockAssembler;
  /** Forge, if shared with the staker. */
  readonly forge?: Forge;
}

const PAUSE_MS = 2;

/** Mints blocks on request for the masternodes of this node. */
export class Minter {
  readonly operators: readonly Hash160[];
  readonly #deps: MinterDeps;
  readonly #assembler: BlockAssembler;
  readonly #forge: Forge;
  readonly #search: TimeSearch;
  readonly #stopping = new AbortController();

  constructor({ operators }: MinterOptions, deps: MinterDeps) {
    this.operators = operators;
    this.#deps = deps;
    this.#assembler = deps.assembler ?? new BlockAssembler(DEFAULT_ASSEMBLY, deps);
    this.#forge = deps.forge ?? new Forge({ ...deps, assembler: this.#assembler });
    this.#search = new TimeSearch(deps.chain.params);
  }

  /** Figures of the last assembled block, including templates; undefined before the first. */
  get lastAssembled(): LastAssembled | undefined {
    return this.#assembler.last;
  }

  /** The registered masternodes of the configured operators, by operator key bytes, then id. */
  masternodes(): IdentifiedMasternode[] {
    return ownMasternodes(this.#deps.chain.state, this.operators);
  }

  /** Ends all loops after their current attempt. */
  stop(): void {
    this.#stopping.abort();
  }

  /**
   * Mints blocks whose coinbases pay to a script. The count is checked after the first attempt: a request for 0 blocks mints one.
   * @param maxTries maximum number of attempts; -1 for no limit
   * @param signal ends the loop early
   * @param changes of a development network, which each block carries
   * @returns number of minted blocks; lower than requested if `maxTries` is reached or a block is invalid
   * @throws {NodeError} if this node has no masternode for minting
   * @see docs/protocol/chain.md 3.8
   */
  async mintTo(
    scriptPubKey: Uint8Array,
    count: number,
    maxTries: number,
    signal?: AbortSignal,
    changes?: readonly DevelopmentChange[],
  ): Promise<number> {
    const operator = this.#chooseMasternode(scriptPubKey).node.operatorKey;
    const key = this.#deps.keys(operator);
    if (!key) throw new NodeError('not-found', 'Error: masternode operator private key not found');
    const attempt: Attempt = { operator, key, payout: scriptPubKey, search: this.#search, isPersistedLater: true, changes };
    try {
      return await this.#mint(attempt, count, maxTries, signal ? [signal, this.#stopping.signal] : [this.#stopping.signal]);
    } finally {
      await this.#deps.chain.persist();
    }
  }

  async #mint(attempt: Attempt, count: number, maxTries: number, ends: readonly AbortSignal[]): Promise<number> {
    const isEnded = (): boolean => ends.some(({ aborted }) => aborted);
    let minted = 0;
    for (let tried = 1; ; tried++) {
      const outcome = await this.#attempt(attempt, isEnded);
      if (outcome === 'invalid') break;
      if (outcome === 'minted') minted += 1;
      if (minted >= count || (maxTries !== -1 && tried >= maxTries) || isEnded()) break;
      await this.#pause(outcome, ends);
      if (isEnded()) break;
    }
    return minted;
  }

  /** One attempt, which yields to other work during a long search. */
  async #attempt(attempt: Attempt, isEnded: () => boolean): Promise<AttemptOutcome> {
    let outcome = this.#forge.attempt(attempt);
    while (outcome === 'searching' && !isEnded()) {
      await nextTurn();
      outcome = this.#forge.attempt(attempt);
    }
    return outcome;
  }

  /** Yields to other work; after an attempt without a block it also waits, since the clock may have to advance. */
  async #pause(outcome: AttemptOutcome, ends: readonly AbortSignal[]): Promise<void> {
    if (outcome === 'minted') return nextTurn();
    // Made for this wait alone, because joining signals costs as much as many parts of a block.
    const ended = AbortSignal.any([...ends]);
    await sleep(PAUSE_MS, undefined, { signal: ended }).catch(() => undefined);
  }

  /**
   * Chooses a masternode for a payout script. From the Metachain height on, as in `defid` 4.2.5, owner keys match too and the masternode
   * must be active.
   */
  #chooseMasternode(scriptPubKey: Uint8Array): IdentifiedMasternode {
    const own = this.masternodes();
    const [first] = own;
    if (!first) throw new NodeError('not-found', 'Error: I am not masternode operator');
    const destination = destinationOf(scriptPubKey);
    const keyId = destination?.type === 'pkh' || destination?.type === 'wpkh' ? destination.hash : undefined;
    const operated = own.find(({ node }) => keyId && equalBytes(node.operatorKey, keyId));
    const { params, tip } = this.#deps.chain;
    if (!isActive(params, 'metachain', tip.height + 1)) return operated ?? first;
    // The first masternode must be active even if an operator address selects another one.
    if (operated && this.#isActive(first)) return operated;
    const owned = own.find((one) => keyId && equalBytes(one.node.ownerKey, keyId) && this.#isActive(one));
    if (owned) return owned;
    if (!this.#isActive(first)) throw new NodeError('not-found', 'Error: masternode not active');
    return first;
  }

  #isActive({ node }: IdentifiedMasternode): boolean {
    const { state, tip, params } = this.#deps.chain;
    return isActiveMasternode(state, node, tip.height + 1, params);
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
