import { workOf } from '../consensus/pos/target.js';
import type { BlockIndexEntry } from './block-index.js';
import type { Chain } from './chain.js';
import type { Warnings } from './warnings.js';

const LARGE_BRANCH = 'Warning: The network does not appear to fully agree! Some miners appear to be experiencing issues.';
const LONGER_CHAIN =
  'Warning: We do not appear to fully agree with our peers! You may need to upgrade, or other nodes may need to upgrade.';

/** Work above its fork from which an invalid branch counts as large, in blocks. */
const LARGE_BLOCKS = 144n;
/** Work by which an invalid chain must exceed the active chain for a warning, in blocks. */
const LONGER_BLOCKS = 120n;
/** Distance of its tip below the active one from which an invalid branch is ignored. */
const IGNORED_BLOCKS = 1440;

type WatchedChain = Pick<Chain, 'tip' | 'entry' | 'entries' | 'descendants' | 'forkPoint' | 'isInitialDownload' | 'on'>;

/**
 * Warns while other nodes build a long chain on a block that is invalid here: this node or they may lack a rule. No warnings are given
 * during initial download, when branches mean nothing.
 */
export function warnOfInvalidChains(chain: WatchedChain, warnings: Warnings): void {
  const invalid = new InvalidChains(chain);
  let shown = '';
  const update = (): void => {
    if (chain.isInitialDownload()) return;
    const text = invalid.warning();
    if (text !== shown) warnings.clear(shown);
    if (text !== '') warnings.warn(text, { alerts: true });
    shown = text;
  };
  for (const entry of chain.entries()) if (entry.invalid) invalid.addAll(entry);
  chain.on('checked', ({ hash, error }) => {
    const entry = error && chain.entry(hash);
    if (!entry?.failed) return;
    invalid.addAll(entry);
    update();
  });
  chain.on('tip', update);
}

/** Invalid branches that concern the operator. */
class InvalidChains {
  #mostWork: BlockIndexEntry | undefined;
  #largest: BlockIndexEntry | undefined;

  constructor(private readonly chain: Pick<WatchedChain, 'tip' | 'descendants' | 'forkPoint'>) {}

  /** Adds an invalid block with all known blocks above it; they have the same fork. */
  addAll(entry: BlockIndexEntry): void {
    const fork = this.chain.forkPoint(entry);
    const large = fork.chainWork + workOf(fork.bits) * LARGE_BLOCKS;
    for (const each of this.chain.descendants(entry)) {
      if (each.chainWork > (this.#mostWork?.chainWork ?? 0n)) this.#mostWork = each;
      if (each.height <= (this.#largest?.height ?? 0) || each.chainWork <= large || this.#isOutdated(each)) continue;
      this.#largest = each;
    }
  }

  /** Text of the warning; empty if there is none. Chains that were reconsidered no longer count. */
  warning(): string {
    const { tip } = this.chain;
    if (this.#largest && (!this.#largest.failed || this.#isOutdated(this.#largest))) this.#largest = undefined;
    if (this.#mostWork && !this.#mostWork.failed) this.#mostWork = undefined;
    if (this.#largest) return LARGE_BRANCH;
    return this.#mostWork && this.#mostWork.chainWork > tip.chainWork + workOf(tip.bits) * LONGER_BLOCKS ? LONGER_CHAIN : '';
  }

  #isOutdated({ height }: BlockIndexEntry): boolean {
    return this.chain.tip.height - height >= IGNORED_BLOCKS;
  }
}
