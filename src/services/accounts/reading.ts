import type { CallContext } from '../../rpc/handler.js';
import { Overlay } from '../../storage/overlay.js';
import type { StateView } from '../../storage/view.js';
import type { AccountReading } from '../../wallet/own-accounts.js';
import type { Wallet } from '../../wallet/wallet.js';
import type { AccountsModules } from './modules.js';

/** A scratch view for the next block's height above a state: reads settle rewards there, and nothing is kept. */
export function readingOf(state: StateView, { tip, params }: Pick<AccountsModules['chain'], 'tip' | 'params'>): AccountReading {
  return { view: new Overlay(state), height: tip.height + 1, params };
}

/**
 * The wallet that "mine" means. Undefined where none is named and none is loaded: then nothing is mine.
 * @throws {NodeError} if the named one is not loaded, or several are and none is named
 */
export function readingWallet({ wallets }: Pick<AccountsModules, 'wallets'>, { wallet }: CallContext): Wallet | undefined {
  if (!wallets || (wallet === undefined && [...wallets.loaded()].length === 0)) return undefined;
  return wallets.find(wallet);
}
