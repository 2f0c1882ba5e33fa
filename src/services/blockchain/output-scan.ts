import { type Coin, coins } from '../../chain/coins.js';
import type { OutPoint } from '../../primitives/outpoint.js';
import type { StateView } from '../../storage/view.js';
import { toHex } from '../../util/bytes.js';
import { Slicer } from '../../util/slicer.js';

export interface FoundOutput {
  readonly point: OutPoint;
  readonly coin: Coin;
}

export interface ScanOutcome {
  /** False if it was aborted: then what was found until then is told. */
  readonly complete: boolean;
  readonly searched: number;
  /** By txid bytes, then index. */
  readonly found: readonly FoundOutput[];
}

/** The first two bytes of a txid tell how far a walk in order of txids has come. */
const PROGRESS_END = 0x1_0000;

/** One search of all unspent outputs for scripts. It can be watched and aborted while it runs. */
export class OutputScan {
  #position = 0;
  #aborted = false;

  /** Per cent, rounded. */
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
   * Walks in slices, so the node lives on meanwhile.
   * @param scripts hex of those to look for
   * @throws the signal's reason once the caller is gone
   */
  async run(view: StateView, scripts: Pick<ReadonlySet<string>, 'has'>, signal?: AbortSignal): Promise<ScanOutcome> {
    const slicer = new Slicer(signal);
    const found: FoundOutput[] = [];
    let searched = 0;
    if (this.#aborted) return { complete: false, searched, found };
    for (const [point, coin] of view.entries(coins)) {
      const paused = slicer.pause();
      if (paused) {
        this.#position = ((point.txid[0] ?? 0) << 8) | (point.txid[1] ?? 0);
        await paused;
      }
      if (this.#aborted) return { complete: false, searched, found };
      searched += 1;
      if (scripts.has(toHex(coin.out.scriptPubKey))) found.push({ point, coin });
    }
    this.#position = PROGRESS_END;
    return { complete: true, searched, found };
  }
}
