import { sha256 } from '../../../crypto/hash.js';
import { Lru } from '../../../util/lru.js';
import type { ScanOutcome } from './output-scan.js';

/** Outcomes with more outputs are not kept. */
const MAX_OUTPUTS = 1_000;
const MAX_OUTCOMES = 100;

/** Outcomes of complete scans of the coins of one tip. */
export class KnownScans {
  #outcomes = new Lru<string, ScanOutcome>(MAX_OUTCOMES);
  #tip: object | undefined;

  /** @param tip block whose coins are searched @param scripts in hex */
  get(tip: object, scripts: readonly string[]): ScanOutcome | undefined {
    return tip === this.#tip ? this.#outcomes.get(digestOf(scripts)) : undefined;
  }

  /** Keeps an outcome, and drops those of another tip. */
  set(tip: object, scripts: readonly string[], outcome: ScanOutcome): void {
    if (tip !== this.#tip) this.#outcomes = new Lru(MAX_OUTCOMES);
    this.#tip = tip;
    if (outcome.found.length <= MAX_OUTPUTS) this.#outcomes.set(digestOf(scripts), outcome);
  }
}

function digestOf(scripts: readonly string[]): string {
  return Buffer.from(sha256(Buffer.from(scripts.join(' ')))).toString('hex');
}
