import type { SyncPeer } from './sync-peer.js';

const CHECK_MS = 10 * 60_000;
const EVICT_MS = 45_000;
/** A tip that has not changed for this time may be stale (docs/protocol/chain.md 7.3). */
const STALE_MS = 300_000;
/** Newer connections are not evicted. */
const MIN_CONNECTED_MS = 30_000;

/** Parts of the node that `StaleTip` uses. */
export interface StaleTipDeps {
  readonly peers: () => readonly SyncPeer[];
  /** Outbound connections in normal operation. */
  readonly usualOutbound: number;
  /** Returns true if no requested block is awaited. */
  readonly isIdle: () => boolean;
  readonly tryExtraOutbound: (on: boolean) => void;
}

/**
 * Handles a stale tip. If the tip does not change, all outbound peers may be on a wrong chain or withhold blocks: one extra outbound
 * connection is made, and then the outbound peer that announced a new block least recently is disconnected.
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
    const outbound = this.#deps.peers().filter(({ isOutbound }) => isOutbound);
    if (outbound.length <= this.#deps.usualOutbound) return;
    const candidates = outbound.filter(({ isProtected }) => !isProtected);
    const worst = candidates.reduce<SyncPeer | undefined>((a, b) => (a && !isWorse(b, a) ? a : b), undefined);
    if (!worst || nowMs - worst.peer.connectedMs <= MIN_CONNECTED_MS || worst.requested.size > 0) return;
    worst.peer.disconnect('extra outbound peer with the oldest block announcement');
    this.#deps.tryExtraOutbound(false);
  }
}

/** Orders by the last block announcement, oldest first; of equals, the younger connection. */
function isWorse(a: SyncPeer, b: SyncPeer): boolean {
  return a.lastAnnouncementMs !== b.lastAnnouncementMs ? a.lastAnnouncementMs < b.lastAnnouncementMs : a.peer.id > b.peer.id;
}
