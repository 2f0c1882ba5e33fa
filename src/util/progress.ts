import type { Logger } from './logger.js';
import { type ReportWork, WorkReporter } from './work-report.js';

/** Output of a progress bar. */
export interface Terminal {
  write(text: string): void;
}

/** Output of progress. */
export interface ProgressOutput {
  readonly log: Pick<Logger, 'info'>;
  /** Terminal for a bar; without one, progress is logged. */
  readonly terminal?: Terminal | undefined;
  /** Receiver of the progress, also of short work. */
  readonly report?: ReportWork | undefined;
  /** Name of the wallet that the work is for, for the receiver. */
  readonly wallet?: string | undefined;
  /** Monotonic clock, ms. */
  readonly nowMs?: () => number;
  /** Time before anything is shown, because shorter work needs no progress. */
  readonly quietMs?: number;
}

/** State of work under way. */
export interface ProgressState {
  /** 0 to 1. */
  readonly share: number;
  /** Blocks so far, for the rate. */
  readonly blocks: number;
  /** Further members of a log line. */
  readonly facts?: Readonly<Record<string, unknown>>;
}

/** Steps that are logged, 5 % each. */
const STEPS = 20;
/** Time after which progress is logged even if no step is complete. */
const LOG_MS = 60_000;
const QUIET_MS = 2_000;
const BAR_INTERVAL_MS = 200;
const BAR_WIDTH = 30;
/** Least time over which the rate is measured; it is at most twice that. */
const RATE_MS = 10_000;
const ERASE_REST = '\x1b[K';

interface Sample extends ProgressState {
  readonly atMs: number;
}

/** Shows long work with blocks, as a bar on a terminal or as lines of the log, with its rate and the remaining time. */
export class Progress {
  readonly #title: string;
  readonly #out: ProgressOutput;
  readonly #reporter: WorkReporter;
  readonly #nowMs: () => number;
  readonly #startMs: number;
  #older: Sample | undefined;
  #newer: Sample | undefined;
  #last: Sample | undefined;
  #step = -1;
  #shownMs: number;
  #isDrawn = false;

  /** @param title of the bar and of log lines, e.g. `reindexing blocks` */
  constructor(title: string, out: ProgressOutput) {
    const { nowMs = () => performance.now(), quietMs = QUIET_MS } = out;
    this.#title = title;
    this.#out = out;
    this.#reporter = new WorkReporter({ work: title, wallet: out.wallet }, out.report);
    this.#nowMs = nowMs;
    this.#startMs = nowMs() + quietMs;
    this.#shownMs = this.#startMs - BAR_INTERVAL_MS;
  }

  /** To be called after each block or more often. */
  update(state: ProgressState): void {
    this.#reporter.update(state.share);
    const now = this.#measure(state);
    if (now.atMs < this.#startMs) return;
    if (this.#out.terminal) {
      if (now.atMs - this.#shownMs >= BAR_INTERVAL_MS) this.#draw(now);
      return;
    }
    const step = Math.floor(now.share * STEPS);
    if (step <= this.#step && now.atMs - this.#shownMs < LOG_MS) return;
    this.#step = Math.max(step, this.#step);
    this.#shownMs = now.atMs;
    this.#out.log.info(this.#title, { ...now.facts, progress: percent(now.share), ...this.#speed(now) });
  }

  /** Completes the bar. The next update begins another one. */
  end(): void {
    this.#reporter.end();
    if (this.#isDrawn && this.#last) {
      this.#draw(this.#last);
      this.#out.terminal?.write('\n');
    }
    this.#isDrawn = false;
    this.#step = -1;
    this.#older = undefined;
    this.#newer = undefined;
  }

  #measure(state: ProgressState): Sample {
    const now = { ...state, atMs: this.#nowMs() };
    this.#older ??= now;
    this.#newer ??= now;
    if (now.atMs - this.#newer.atMs >= RATE_MS) {
      this.#older = this.#newer;
      this.#newer = now;
    }
    this.#last = now;
    return now;
  }

  /** Blocks per second and remaining time, once there is a basis for them. */
  #speed(now: Sample): { readonly perSecond?: number; readonly left?: string } {
    const { atMs, blocks, share } = this.#older ?? now;
    const seconds = (now.atMs - atMs) / 1000;
    if (seconds < 1 || now.blocks <= blocks) return {};
    const perSecond = Math.round(((now.blocks - blocks) / seconds) * 10) / 10;
    if (now.share <= share) return { perSecond };
    return { perSecond, left: duration(((1 - now.share) * seconds) / (now.share - share)) };
  }

  #draw(now: Sample): void {
    this.#isDrawn = true;
    this.#shownMs = now.atMs;
    const { perSecond, left } = this.#speed(now);
    const rate = perSecond === undefined ? '' : `, ${perSecond} blocks/s${left === undefined ? '' : `, ${left} left`}`;
    this.#out.terminal?.write(`\r${bar(now.share)} ${percent(now.share)} ${this.#title} ${now.blocks}${rate} ${ERASE_REST}`);
  }
}

function percent(share: number): string {
  return `${Math.floor(share * 100)}%`;
}

function bar(share: number): string {
  const filled = Math.min(BAR_WIDTH, Math.round(share * BAR_WIDTH));
  return `[${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}]`;
}

/** `40 s`, `12 min`, `3 h 20 min`, `2 d 4 h`. */
function duration(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}
