import type { SyncPeer } from './sync-peer.js';

const CHECK_MS = 10 * 60_000;
const EVICT_MS = 45_000;
/** A tip that did not change for so long may be stale (docs/protocol/chain.md 7.3). */
const STALE_MS = 300_000;
/** A new connection gets this time to show what it knows. */
const MIN_CONNECTED_MS = 30_000;

export interface StaleTipDeps {
  readonly peers: ReadonlyMap<number, SyncPeer>;
  /** Own connections that are usual. */
  readonly usualOutbound: number;
  /** True if no block is waited for. */
  readonly isIdle: () => boolean;
  readonly tryExtraOutbound: (on: boolean) => void;
}

/**
 * A tip that does not move may mean that all our peers follow the wrong chain, or one that somebody holds back: then one connection
 * more is made, and of all the one is ended that was last to tell of a new block.
 */
export class StaleTip {
  readonly #deps: StaleTipDeps;
  #tipMs: number;
  #nextCheckMs: number;
  #nextEvictMs = 0;

  constructor(deps: StaleTipDeps, nowMs: number) {
    this.#deps = deps;
    this.#tipMs = nowMs;
    this.#nextCheckMs = nowMs + CHECK_MS;
  }

  tipChanged(nowMs: number): void {
    this.#tipMs = nowMs;
  }

  isStale(nowMs: number): boolean {
    return nowMs - this.#tipMs > STALE_MS && this.#deps.isIdle();
  }

  tick(nowMs: number): void {
    if (nowMs >= this.#nextEvictMs) {
      this.#nextEvictMs = nowMs + EVICT_MS;
      this.#evict(nowMs);
    }
    if (nowMs < this.#nextCheckMs) return;
    this.#nextCheckMs = nowMs + CHECK_MS;
    this.#deps.tryExtraOutbound(this.isStale(nowMs));
  }

  #evict(nowMs: number): void {
    const own = [...this.#deps.peers.values()].filter(({ isOfOurChoice }) => isOfOurChoice);
    if (own.length <= this.#deps.usualOutbound) return;
    const candidates = own.filter(({ isProtected }) => !isProtected);
    const worst = candidates.reduce<SyncPeer | undefined>((a, b) => (a && !isWorse(b, a) ? a : b), undefined);
    if (!worst || nowMs - worst.peer.connectedMs <= MIN_CONNECTED_MS || worst.requested.size > 0) return;
    worst.peer.disconnect('told of new blocks later than all others');
    this.#deps.tryExtraOutbound(false);
  }
}

/** Told of a new block longer ago; of equals, the younger connection. */
function isWorse(a: SyncPeer, b: SyncPeer): boolean {
  return a.lastAnnouncementMs !== b.lastAnnouncementMs ? a.lastAnnouncementMs < b.lastAnnouncementMs : a.peer.id > b.peer.id;
}
