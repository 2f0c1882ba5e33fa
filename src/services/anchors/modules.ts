import type { RegtestBitcoin } from '../../bitcoin/regtest-bitcoin.js';

/** Modules for operations on anchors. */
export interface AnchorsModules {
  /** Undefined on other networks than regtest, and with -spv=0. */
  readonly bitcoin: RegtestBitcoin | undefined;
}
