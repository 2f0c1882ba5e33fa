import { type Coin, coins } from '../../../chain/coins.js';
import type { OutPoint } from '../../../primitives/outpoint.js';
import type { StateView } from '../../../storage/view.js';
import { toHex } from '../../../util/bytes.js';
import { type Abortable, Slicer } from '../../../util/slicer.js';
import { type ReportWork, WorkReporter } from '../../../util/work-report.js';

/** Unspent output that matches a scan. */
export interface FoundOutput {
  readonly point: OutPoint;
  readonly coin: Coin;
}

/** Result of a scan. */
export interface ScanOutcome {
  /** False if the scan was aborted; `found` then has the outputs up to that point. */
  readonly complete: boolean;
  readonly searched: number;
  /** Ordered by txid bytes, then index. */
  readonly found: readonly FoundOutput[];
}

/** One more than the largest value of a txid's first two bytes, by which a walk in txid order measures its progress. */
const PROGRESS_END = 0x1_0000;

/** One search of all unspent outputs for scripts. Progress can be read, and the search aborted, while it runs. */
export class OutputScan {
  readonly #reporter: WorkReporter;
  #position = 0;
  #aborted = false;

  /** @param report receiver of the progress */
  constructor(report?: ReportWork) {
    this.#reporter = new WorkReporter({ work: 'scanning unspent outputs' }, report);
  }

  /** Percent, rounded. */
  get progress(): number {
    return Math.round((this.#position * 100) / PROGRESS_END);
  }

  abort(): void {
    this.#aborted = true;
  }

  get aborted(): boolean {
    return this.#aborted;
  }

  /**
   * Walks over the outputs in slices, so that the event loop is not blocked.
   * @param scripts scripts to find, in hex
   * @throws the signal's reason if the caller disconnects
   */
  async run(view: StateView, scripts: Pick<ReadonlySet<string>, 'has'>, call?: Abortable): Promise<ScanOutcome> {
    this.#reporter.update(0);
    try {
      return await this.#search(view, scripts, new Slicer(call));
    } finally {
      this.#reporter.end();
    }
  }

  async #search(view: StateView, scripts: Pick<ReadonlySet<string>, 'has'>, slicer: Slicer): Promise<ScanOutcome> {
    const found: FoundOutput[] = [];
    let searched = 0;
    if (this.#aborted) return { complete: false, searched, found };
    for (const [point, coin] of view.entries(coins)) {
      const paused = slicer.pause();
      if (paused) {
        this.#position = ((point.txid[0] ?? 0) << 8) | (point.txid[1] ?? 0);
        this.#reporter.update(this.#position / PROGRESS_END);
        await paused;
      }
      if (this.#aborted) return { complete: false, searched, found };
      searched += 1;
      if (scripts.has(toHex(coin.out.scriptPubKey))) found.push({ point, coin });
    }
    this.#position = PROGRESS_END;
    this.#reporter.update(1);
    return { complete: true, searched, found };
  }
}
