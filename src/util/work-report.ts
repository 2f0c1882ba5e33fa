/** State of long work. */
export interface WorkReport {
  /** Name of the work, such as `reindexing blocks`. */
  readonly work: string;
  /** Wallet whose blocks are scanned; undefined for other work. */
  readonly wallet?: string | undefined;
  /** Share that is done, rounded down. */
  readonly percent: number;
  /** True in the last report: the work is done, or was aborted. */
  readonly isOver: boolean;
}

export type ReportWork = (report: WorkReport) => void;

/** Least step between two reports, percent. */
const STEP = 5;

/** Reports the progress of one piece of work: its start, each step of 5 percent, and its end. */
export class WorkReporter {
  #percent = 0;
  #step = -1;

  constructor(
    private readonly about: Pick<WorkReport, 'work' | 'wallet'>,
    private readonly report: ReportWork | undefined,
  ) {}

  /** To be called as often as convenient. @param share 0 to 1 */
  update(share: number): void {
    this.#percent = Math.floor(share * 100);
    const step = Math.floor(this.#percent / STEP);
    if (step <= this.#step) return;
    this.#step = step;
    this.#send(false);
  }

  /** The next update begins other work. Nothing is reported if there was no update. */
  end(): void {
    if (this.#step >= 0) this.#send(true);
    this.#step = -1;
  }

  #send(isOver: boolean): void {
    this.report?.({ ...this.about, percent: this.#percent, isOver });
  }
}
