import { workOf } from '../consensus/pos/target.js';
import type { BlockIndexEntry } from './block-index.js';
import type { Chain } from './chain.js';
import type { Warnings } from './warnings.js';

const LARGE_BRANCH = 'Warning: The network does not appear to fully agree! Some miners appear to be experiencing issues.';
const LONGER_CHAIN =
  'Warning: We do not appear to fully agree with our peers! You may need to upgrade, or other nodes may need to upgrade.';

/** Blocks of work above its fork that make a refused branch large. */
const LARGE_BLOCKS = 144n;
/** Blocks of work by which a refused chain must exceed the active one. */
const LONGER_BLOCKS = 120n;
/** A refused branch whose tip is that far below the active one is history. */
const FORGOTTEN_BLOCKS = 1440;

type WatchedChain = Pick<Chain, 'tip' | 'entry' | 'entries' | 'descendants' | 'forkPoint' | 'isInitialDownload' | 'on'>;

/**
 * Warns while others build a long chain on a block that was refused here: this node, or they, may lack a rule. Quiet during initial
 * download, when branches say nothing.
 */
export function warnOfInvalidChains(chain: WatchedChain, warnings: Warnings): void {
  const refused = new RefusedChains(chain);
  let shown = '';
  const look = (): void => {
    if (chain.isInitialDownload()) return;
    const text = refused.warning();
    if (text !== shown) warnings.clear(shown);
    if (text !== '') warnings.warn(text, { alerts: true });
    shown = text;
  };
  for (const entry of chain.entries()) if (entry.invalid) refused.addAll(entry);
  chain.on('checked', ({ hash, error }) => {
    const entry = error && chain.entry(hash);
    if (!entry?.failed) return;
    refused.addAll(entry);
    look();
  });
  chain.on('tip', look);
}

/** Blocks that break a rule or stand on one that does: those that an operator should know of. */
class RefusedChains {
  #mostWork: BlockIndexEntry | undefined;
  #largest: BlockIndexEntry | undefined;

  constructor(private readonly chain: Pick<WatchedChain, 'tip' | 'descendants' | 'forkPoint'>) {}

  /** Adds a refused block with everything above it, which leaves the active chain at one place. */
  addAll(entry: BlockIndexEntry): void {
    const fork = this.chain.forkPoint(entry);
    const large = fork.chainWork + workOf(fork.bits) * LARGE_BLOCKS;
    for (const each of this.chain.descendants(entry)) {
      if (each.chainWork > (this.#mostWork?.chainWork ?? 0n)) this.#mostWork = each;
      if (each.height <= (this.#largest?.height ?? 0) || each.chainWork <= large || this.#isForgotten(each)) continue;
      this.#largest = each;
    }
  }

  /** Empty while all is well. A reconsidered chain counts no more. */
  warning(): string {
    const { tip } = this.chain;
    if (this.#largest && (!this.#largest.failed || this.#isForgotten(this.#largest))) this.#largest = undefined;
    if (this.#mostWork && !this.#mostWork.failed) this.#mostWork = undefined;
    if (this.#largest) return LARGE_BRANCH;
    return this.#mostWork && this.#mostWork.chainWork > tip.chainWork + workOf(tip.bits) * LONGER_BLOCKS ? LONGER_CHAIN : '';
  }

  #isForgotten({ height }: BlockIndexEntry): boolean {
    return this.chain.tip.height - height >= FORGOTTEN_BLOCKS;
  }
}
