import { setTimeout as sleep } from 'node:timers/promises';
import type { PrivateKey } from '../crypto/keys.js';
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
  /** Key ids of the operators that this node mints for (`-masternode_operator`). */
  readonly operators: readonly Hash160[];
}

export interface MinterDeps {
  readonly chain: ForgeChain;
  readonly clock: Clock;
  /** The secret of an operator, where this node has it. */
  readonly keys: (operator: Hash160) => PrivateKey | undefined;
  readonly log: Logger;
  /** What blocks are put together by; by default one that knows no pool. */
  readonly assembler?: BlockAssembler;
  /** What makes the blocks, where it is shared with the staker. */
  readonly forge?: Forge;
}

const PAUSE_MS = 2;

/** Makes blocks on request for the masternodes that this node operates. */
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

  /** The block that was put together last, for whatever purpose; undefined before the first. */
  get lastAssembled(): LastAssembled | undefined {
    return this.#assembler.last;
  }

  /** The registered masternodes of the configured operators, by operator key bytes, then id. */
  masternodes(): IdentifiedMasternode[] {
    return ownMasternodes(this.#deps.chain.state, this.operators);
  }

  /** Ends every loop after the attempt that it makes. */
  stop(): void {
    this.#stopping.abort();
  }

  /**
   * Mints blocks whose coinbases pay a script. The first attempt is made before anything is counted, so asking for no blocks mints one.
   * @param maxTries attempts to make at most; -1 for any number
   * @param signal ends the loop early
   * @returns how many blocks were minted; fewer than asked for when tries ran out or a block turned out to be invalid
   * @throws {NodeError} if this node has no masternode to mint with
   * @see docs/protocol/chain.md 3.8
   */
  async mintTo(scriptPubKey: Uint8Array, count: number, maxTries: number, signal?: AbortSignal): Promise<number> {
    const operator = this.#chooseMasternode(scriptPubKey).node.operatorKey;
    const key = this.#deps.keys(operator);
    if (!key) throw new NodeError('not-found', 'Error: masternode operator private key not found');
    const ended = signal ? AbortSignal.any([signal, this.#stopping.signal]) : this.#stopping.signal;
    const attempt: Attempt = { operator, key, payout: scriptPubKey, search: this.#search };
    let minted = 0;
    for (let tried = 1; ; tried++) {
      const outcome = this.#forge.attempt(attempt);
      if (outcome === 'invalid') break;
      if (outcome === 'minted') minted += 1;
      if (minted >= count || (maxTries !== -1 && tried >= maxTries) || ended.aborted) break;
      await this.#pause(outcome, ended);
      if (ended.aborted) break;
    }
    return minted;
  }

  /** Lets other work run; without a block also lets some time pass, for the clock may have to move on. */
  async #pause(outcome: AttemptOutcome, ended: AbortSignal): Promise<void> {
    if (outcome === 'minted') return new Promise((resolve) => setImmediate(resolve));
    await sleep(PAUSE_MS, undefined, { signal: ended }).catch(() => undefined);
  }

  /** The rules differ between releases: the later one also knows owners, and wants the masternode to be active. */
  #chooseMasternode(scriptPubKey: Uint8Array): IdentifiedMasternode {
    const own = this.masternodes();
    const [first] = own;
    if (!first) throw new NodeError('not-found', 'Error: I am not masternode operator');
    const destination = destinationOf(scriptPubKey);
    const keyId = destination?.type === 'pkh' || destination?.type === 'wpkh' ? destination.hash : undefined;
    const operated = own.find(({ node }) => keyId && equalBytes(node.operatorKey, keyId));
    const { params, tip } = this.#deps.chain;
    if (!isActive(params, 'metachain', tip.height + 1)) return operated ?? first;
    // Whether the first is active decides for an operator's address too.
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
