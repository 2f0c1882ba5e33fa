import type { RegtestBitcoin } from '../../bitcoin/regtest-bitcoin.js';
import type { Wallets } from '../../wallet/wallets/manager.js';

/** Modules for the Bitcoin wallet of regtest. */
export interface BitcoinModules {
  /** Undefined on other networks, and with -spv=0. */
  readonly bitcoin: RegtestBitcoin | undefined;
  /** Undefined in a node without wallets. */
  readonly wallets: Pick<Wallets, 'find'> | undefined;
}
