import type { Chain } from '../chain/chain.js';
import { evmTip } from '../dfi/evm/blocks.js';

interface Source extends Pick<Chain, 'state'> {
  readonly tip: { readonly height: number };
  readonly bestHeader: { readonly height: number };
}

/** EVM block numbers of a synchronisation. */
export interface SyncProgress {
  /** Last block when the service started; 0 if there was none. */
  readonly starting: number;
  readonly current: number;
  /** Expected number of the last block, as every missing DVM block holds an EVM block. */
  readonly highest: number;
}

/** Synchronisation of the chain, counted in EVM blocks. @see docs/protocol/evm-engine.md 10.3 */
export class SyncStatus {
  readonly #starting: number;

  constructor(private readonly chain: Source) {
    this.#starting = evmTip(chain.state)?.number ?? 0;
  }

  /** True while the best header is above the tip. */
  get isBehind(): boolean {
    return this.#missing > 0;
  }

  /** Undefined before the first EVM block. */
  progress(): SyncProgress | undefined {
    const current = evmTip(this.chain.state)?.number;
    if (current === undefined) return undefined;
    return { starting: this.#starting, current, highest: current + this.#missing };
  }

  /** Blocks between the tip and the best header. */
  get #missing(): number {
    return Math.max(this.chain.bestHeader.height - this.chain.tip.height, 0);
  }
}
