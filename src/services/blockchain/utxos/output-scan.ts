import { type Coin, coins } from '../../../chain/coins.js';
import type { OutPoint } from '../../../primitives/outpoint.js';
import { decodeStored, keyBytes } from '../../../storage/cells.js';
import type { StateView } from '../../../storage/view.js';
import { byteText, fromHex } from '../../../util/bytes.js';
import { type Abortable, Slicer } from '../../../util/slicer.js';
import { type ReportWork, WorkReporter } from '../../../util/work-report.js';
import { type CoinRow, scriptAt } from './coin-row.js';

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

/** Coins between two looks at the clock. */
const COINS_PER_LOOK = 16;

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
  async run(view: Pick<StateView, 'rows'>, scripts: Iterable<string>, call?: Abortable): Promise<ScanOutcome> {
    this.#reporter.update(0);
    try {
      return await this.#search(view, new ScriptSet(scripts), new Slicer(call));
    } finally {
      this.#reporter.end();
    }
  }

  async #search(view: Pick<StateView, 'rows'>, scripts: ScriptSet, slicer: Slicer): Promise<ScanOutcome> {
    const found: FoundOutput[] = [];
    let searched = 0;
    if (this.#aborted) return { complete: false, searched, found };
    for (const [key, row] of view.rows(coins)) {
      const paused = searched % COINS_PER_LOOK === 0 ? slicer.pause() : undefined;
      if (paused) {
        this.#position = (key.charCodeAt(0) << 8) | key.charCodeAt(1);
        this.#reporter.update(this.#position / PROGRESS_END);
        await paused;
      }
      if (this.#aborted) return { complete: false, searched, found };
      searched += 1;
      if (scripts.hasThatOf(row)) found.push(outputOf(key, row));
    }
    this.#position = PROGRESS_END;
    this.#reporter.update(1);
    return { complete: true, searched, found };
  }
}

function outputOf(key: string, row: CoinRow): FoundOutput {
  return { point: decodeStored(coins.name, coins.key, keyBytes(key)), coin: decodeStored(coins.name, coins.value, row) };
}

/** Scripts by their lengths, so that most coins are passed over without a look at their scripts. */
class ScriptSet {
  readonly #bySize = new Map<number, Set<string>>();

  /** @param scripts in hex */
  constructor(scripts: Iterable<string>) {
    for (const hex of scripts) {
      const script = fromHex(hex);
      const same = this.#bySize.get(script.length) ?? new Set<string>();
      this.#bySize.set(script.length, same.add(byteText(script)));
    }
  }

  /** True if the script of a coin is in the set. @throws {StoreDamaged} */
  hasThatOf(row: CoinRow): boolean {
    const { start, end } = scriptAt(row);
    return this.#bySize.get(end - start)?.has(byteText(row.subarray(start, end))) ?? false;
  }
}
