import { setTimeout as sleep } from 'node:timers/promises';
import type { Chain } from '../chain/chain.js';
import type { PrivateKey } from '../crypto/keys.js';
import type { IdentifiedMasternode } from '../dfi/masternodes/columns.js';
import type { Hash160, Hash256 } from '../primitives/hash.js';
import { toHex } from '../util/bytes.js';
import type { Clock } from '../util/clock.js';
import { errorText } from '../util/errors.js';
import type { Logger } from '../util/logger.js';
import type { Attempt, AttemptOutcome, Forge } from './forge.js';
import { ownMasternodes, payoutScript } from './own-masternodes.js';
import { TimeSearch } from './search.js';

export interface StakerOptions {
  /** Key ids of the masternode operators of this node (`-masternode_operator`). */
  readonly operators: readonly Hash160[];
  /** Reward script unless the masternode's owner set one on the chain (`-rewardaddress`). */
  readonly rewardScript?: Uint8Array | undefined;
  /** Pause between two rounds. */
  readonly pauseMs?: number;
}

export interface StakerDeps {
  readonly chain: Pick<Chain, 'params' | 'state' | 'tip' | 'isInitialDownload' | 'isHalted'>;
  readonly clock: Pick<Clock, 'seconds'>;
  /** Private key of an operator; undefined if this node does not have it. */
  readonly keys: (operator: Hash160) => PrivateKey | undefined;
  readonly forge: Pick<Forge, 'attempt' | 'on'>;
  /** Connected peers; undefined without a network. */
  readonly peers?: { readonly count: number } | undefined;
  readonly log: Logger;
}

const PAUSE_MS = 900;
/** Pause between two parts of a long search, which leaves most of the time to other work. */
const SEARCH_PAUSE_MS = 5;

/**
 * Mints in the background (`-gen`): in each round, all masternodes of this node attempt to mint with all their sub-nodes, in the order
 * of operator keys.
 * @see docs/protocol/chain.md 3.8
 */
export class Staker {
  readonly #options: StakerOptions;
  readonly #deps: StakerDeps;
  /** Searches of block times, by operator. */
  readonly #searches = new Map<string, TimeSearch>();
  /** Times of the last attempts, seconds since 1970, by masternode. */
  readonly #lastAttempts = new Map<string, number>();
  #attempts = 0;
  readonly #keyless = new Set<string>();
  readonly #stopping = new AbortController();
  readonly #unsubscribe: () => void;
  #loop: Promise<void> | undefined;

  constructor(options: StakerOptions, deps: StakerDeps) {
    this.#options = options;
    this.#deps = deps;
    this.#unsubscribe = deps.forge.on('attempted', ({ masternode }) => {
      this.#lastAttempts.set(toHex(masternode), deps.clock.seconds());
      this.#attempts += 1;
    });
  }

  /** True from start to stop. */
  get running(): boolean {
    return this.#loop !== undefined && !this.#stopping.signal.aborted;
  }

  /** Number of attempts of all masternodes so far. */
  get attempts(): number {
    return this.#attempts;
  }

  /** Time of the last attempt of a masternode, seconds since 1970. */
  lastAttempt(masternode: Hash256): number | undefined {
    return this.#lastAttempts.get(toHex(masternode));
  }

  /** Starts the loop, without a pause before the first round. */
  start(): void {
    this.#loop ??= this.#run();
  }

  /** Ends the loop after the current attempt. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#unsubscribe();
    await this.#loop;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    const { pauseMs = PAUSE_MS } = this.#options;
    while (!signal.aborted) {
      try {
        if (this.#mayMint()) await this.#round(signal);
      } catch (error) {
        // The state cannot be read, for example because the database is opened again after a full disk.
        this.#logFailure(error);
      }
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** True if peers would follow a block: there are peers, the node is in sync, and block processing is not halted. */
  #mayMint(): boolean {
    const { chain, peers } = this.#deps;
    if (chain.isHalted) return false;
    if (chain.params.mintWithoutPeers) return true;
    return peers !== undefined && peers.count > 0 && !chain.isInitialDownload();
  }

  async #round(signal: AbortSignal): Promise<void> {
    const { chain } = this.#deps;
    for (const masternode of ownMasternodes(chain.state, this.#options.operators)) {
      if (signal.aborted) return;
      try {
        await this.#try(masternode, signal);
      } catch (error) {
        // An error of one masternode must not end the round.
        this.#logFailure(error);
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  #logFailure(error: unknown): void {
    this.#deps.log.error('minting failed', { error: errorText(error) });
  }

  async #try({ node }: IdentifiedMasternode, signal: AbortSignal): Promise<void> {
    const { keys } = this.#deps;
    const operator = node.operatorKey;
    const id = toHex(operator);
    const key = keys(operator);
    if (!key) {
      this.#reportKeyless(id);
      return;
    }
    this.#keyless.delete(id);
    await this.#mint({ operator, key, payout: payoutScript(node, this.#options.rewardScript), search: this.#searchOf(id) }, signal);
  }

  /** If a block is invalid, a transaction in it must be, and one without transactions is minted: `defid` clears its mempool then. */
  async #mint(attempt: Attempt, signal: AbortSignal): Promise<void> {
    if ((await this.#search(attempt, signal)) === 'invalid') await this.#search({ ...attempt, isBare: true }, signal);
  }

  /** Attempts to mint on one tip; a later tip waits for the next round, so that searches do not slow down a node that catches up. */
  async #search(attempt: Attempt, signal: AbortSignal): Promise<AttemptOutcome> {
    const { chain, forge } = this.#deps;
    const { tip } = chain;
    let outcome = forge.attempt(attempt);
    while (outcome === 'searching') {
      await sleep(SEARCH_PAUSE_MS, undefined, { signal }).catch(() => undefined);
      if (signal.aborted || chain.tip !== tip) break;
      outcome = forge.attempt(attempt);
    }
    return outcome;
  }

  #searchOf(id: string): TimeSearch {
    const search = this.#searches.get(id) ?? new TimeSearch(this.#deps.chain.params);
    this.#searches.set(id, search);
    return search;
  }

  /** Logged once until the key is available, as a wallet may be locked for long. */
  #reportKeyless(operator: string): void {
    if (this.#keyless.has(operator)) return;
    this.#keyless.add(operator);
    this.#deps.log.warn('no private key of a masternode operator', { operator });
  }
}
