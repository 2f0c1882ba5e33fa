import type { Chain } from '../../chain/chain.js';
import type { Clock } from '../../util/clock.js';
import type { Logger } from '../../util/logger.js';

/** Number of steps that are logged, 5 % each. */
const STEPS = 20;
/** Blocks behind the best header from which on progress is shown, even outside of initial download: they take minutes. */
const MANY_BLOCKS = 500;
const BAR_INTERVAL_MS = 200;
const BAR_WIDTH = 30;

/** Output of the progress bar. */
export interface Terminal {
  write(text: string): void;
}

export type ProgressChain = Pick<Chain, 'tip' | 'bestHeader' | 'params' | 'isInitialDownload' | 'verificationProgress'>;

export interface SyncProgressDeps {
  readonly chain: ProgressChain;
  readonly clock: Pick<Clock, 'seconds'>;
  readonly log: Logger;
  /** Monotonic clock, ms. */
  readonly nowMs: () => number;
  /** Terminal for a progress bar; without one, every 5 % is logged. */
  readonly terminal?: Terminal | undefined;
}

type Phase = 'headers' | 'blocks';

/** Shows the progress of a node that needs minutes or more to catch up. */
export class SyncProgress {
  readonly #deps: SyncProgressDeps;
  readonly #lastStep: Record<Phase, number> = { headers: -1, blocks: -1 };
  #drawnMs = Number.NEGATIVE_INFINITY;
  #syncing = false;

  constructor(deps: SyncProgressDeps) {
    this.#deps = deps;
  }

  /** Must be called after headers or blocks were accepted. */
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
