import type { Chain } from '../../chain/chain.js';
import type { Clock } from '../../util/clock.js';
import type { Logger } from '../../util/logger.js';
import { Progress, type Terminal } from '../../util/progress.js';

/** Blocks behind the best header from which on progress is shown, even outside of initial download: they take minutes. */
const MANY_BLOCKS = 500;

export type ProgressChain = Pick<Chain, 'tip' | 'bestHeader' | 'params' | 'isInitialDownload' | 'verificationProgress' | 'headerWindow'>;

export interface SyncProgressDeps {
  readonly chain: ProgressChain;
  readonly clock: Pick<Clock, 'seconds'>;
  readonly log: Logger;
  /** Monotonic clock, ms. */
  readonly nowMs: () => number;
  /** Terminal for a progress bar; without one, every 5 % is logged. */
  readonly terminal?: Terminal | undefined;
}

/** Shows the progress of a node that needs minutes or more to catch up. */
export class SyncProgress {
  readonly #deps: SyncProgressDeps;
  readonly #headers: Progress;
  readonly #blocks: Progress;
  #syncing = false;

  constructor(deps: SyncProgressDeps) {
    this.#deps = deps;
    const { log, terminal, nowMs } = deps;
    const out = { log, terminal, nowMs, quietMs: 0 };
    this.#headers = new Progress('syncing headers', out);
    this.#blocks = new Progress('syncing blocks', out);
  }

  /** Must be called after headers or blocks were accepted. */
  update(): void {
    const { chain } = this.#deps;
    const behind = chain.bestHeader.height - chain.tip.height;
    const isSyncing = behind > 0 && (chain.isInitialDownload() || behind > MANY_BLOCKS);
    if (!isSyncing && !this.#syncing) return;
    if (!isSyncing && behind > 0) return;
    this.#syncing = isSyncing;
    const { height } = chain.tip;
    const headers = chain.bestHeader.height;
    const share = this.headersShare();
    if (isSyncing && share < 1 && chain.headerWindow.needsMore(chain.bestHeader))
      this.#headers.update({ share, blocks: headers, facts: { height, headers } });
    else this.#blocks.update({ share: this.blocksShare(), blocks: height, facts: { height, headers } });
    if (isSyncing) return;
    this.#headers.end();
    this.#blocks.end();
  }

  /** Share of the headers expected by now, 0 to 1, if one is minted every target spacing. */
  headersShare(): number {
    const { chain, clock } = this.#deps;
    const { height, time } = chain.bestHeader;
    const missing = Math.floor(Math.max(clock.seconds() - time, 0) / chain.params.pos.targetSpacing);
    // Blocks of one day, because minting is irregular.
    const tolerated = 86_400 / chain.params.pos.targetSpacing;
    return missing <= tolerated || chain.params.isRegtest ? 1 : height / (height + missing);
  }

  /** Share of the blocks that are validated, 0 to 1; weighted by transactions if the parameters of the network have their number. */
  blocksShare(): number {
    const { chain } = this.#deps;
    if (chain.params.chainTxData.txCount > 0) return chain.verificationProgress();
    return chain.bestHeader.height === 0 ? 1 : chain.tip.height / chain.bestHeader.height;
  }
}
