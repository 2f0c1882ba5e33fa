import type { Chain } from '../../chain/chain.js';
import type { Clock } from '../../util/clock.js';
import type { Logger } from '../../util/logger.js';

/** Steps of which each gets one line: 5 %. */
const STEPS = 20;
/** So many blocks behind the best header a node has minutes to catch up, even if its tip is not old. */
const MANY_BLOCKS = 500;
const BAR_INTERVAL_MS = 200;
const BAR_WIDTH = 30;

/** Where a progress bar is drawn. */
export interface Terminal {
  write(text: string): void;
}

export type ProgressChain = Pick<Chain, 'tip' | 'bestHeader' | 'params' | 'isInitialDownload' | 'verificationProgress'>;

export interface SyncProgressDeps {
  readonly chain: ProgressChain;
  readonly clock: Pick<Clock, 'seconds'>;
  readonly log: Logger;
  /** Milliseconds that only grow. */
  readonly nowMs: () => number;
  /** Absent where nobody watches: then there is a line in the log for every 5 %. */
  readonly terminal?: Terminal | undefined;
}

type Phase = 'headers' | 'blocks';

/** Tells how far a node is that has minutes or more to catch up. */
export class SyncProgress {
  readonly #deps: SyncProgressDeps;
  readonly #lastStep: Record<Phase, number> = { headers: -1, blocks: -1 };
  #drawnMs = Number.NEGATIVE_INFINITY;
  #syncing = false;

  constructor(deps: SyncProgressDeps) {
    this.#deps = deps;
  }

  /** To be called when headers or blocks came. */
  update(): void {
    const { chain } = this.#deps;
    const behind = chain.bestHeader.height - chain.tip.height;
    const isSyncing = behind > 0 && (chain.isInitialDownload() || behind > MANY_BLOCKS);
    if (!isSyncing && !this.#syncing) return;
    if (!isSyncing && behind > 0) return;
    this.#syncing = isSyncing;
    const headers = this.headersShare();
    if (isSyncing && headers < 1) this.#show('headers', headers);
    else this.#show('blocks', this.blocksShare());
    if (!isSyncing) this.#finish();
  }

  /** Share of the headers that there should be by now, 0 to 1: one is made every target spacing. */
  headersShare(): number {
    const { chain, clock } = this.#deps;
    const { height, time } = chain.bestHeader;
    const missing = Math.floor(Math.max(clock.seconds() - time, 0) / chain.params.pos.targetSpacing);
    // A day's worth: nobody mints that regularly.
    const tolerated = 86_400 / chain.params.pos.targetSpacing;
    return missing <= tolerated || chain.params.isRegtest ? 1 : height / (height + missing);
  }

  /** Share of the blocks that are validated, 0 to 1; by transactions where the network says how many there are. */
  blocksShare(): number {
    const { chain } = this.#deps;
    if (chain.params.chainTxData.txCount > 0) return chain.verificationProgress();
    return chain.bestHeader.height === 0 ? 1 : chain.tip.height / chain.bestHeader.height;
  }

  #show(phase: Phase, share: number): void {
    const { terminal, log, chain, nowMs } = this.#deps;
    const { height } = chain.tip;
    const headers = chain.bestHeader.height;
    if (terminal) {
      if (nowMs() - this.#drawnMs < BAR_INTERVAL_MS && this.#syncing) return;
      this.#drawnMs = nowMs();
      terminal.write(`\r${bar(share)} ${percent(share)} ${phase} ${phase === 'headers' ? headers : `${height}/${headers}`} `);
      return;
    }
    const step = Math.floor(share * STEPS);
    if (step <= this.#lastStep[phase]) return;
    this.#lastStep[phase] = step;
    log.info(`syncing ${phase}`, { height, headers, progress: percent(step / STEPS) });
  }

  #finish(): void {
    this.#deps.terminal?.write('\n');
    this.#lastStep.headers = -1;
    this.#lastStep.blocks = -1;
  }
}

function percent(share: number): string {
  return `${Math.floor(share * 100)}%`;
}

function bar(share: number): string {
  const filled = Math.round(share * BAR_WIDTH);
  return `[${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}]`;
}
