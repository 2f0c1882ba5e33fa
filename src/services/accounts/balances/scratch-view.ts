import type { ChainBlock } from '../../../dfi/rewards/known-rewards.js';
import { materialiseRewards } from '../../../dfi/rewards/owner-rewards.js';
import type { CallContext } from '../../../rpc/handler.js';
import { Overlay } from '../../../storage/overlay.js';
import type { StateView } from '../../../storage/view.js';
import type { Steps } from '../../../util/slicer.js';
import type { AccountReading } from '../../../wallet/custom-tx/own-accounts.js';
import type { Wallet } from '../../../wallet/wallet.js';
import type { AccountsModules } from '../modules.js';

/** Scratch view on a state, at the next block's height: reads materialise rewards in it, and it is dropped afterwards. */
export function readingOf(state: StateView, { tip, params }: Pick<AccountsModules['chain'], 'tip' | 'params'>): AccountReading {
  return { view: new Overlay(state), height: tip.height + 1, params };
}

/** Materialises the rewards of an owner in a scratch view. @param tip block whose state the view has */
export function materialiserOf(
  { knownRewards }: Pick<AccountsModules, 'knownRewards'>,
  reading: AccountReading,
  tip: ChainBlock,
): (owner: Uint8Array) => Steps<void> {
  const { view, params } = reading;
  const known = knownRewards?.at(view, tip, params);
  if (known) return (owner) => known.materialise(owner);
  // biome-ignore lint/correctness/useYield: a single step
  return function* materialiseAll(owner) {
    materialiseRewards(view, owner, reading);
  };
}

/**
 * Wallet for "mine". Undefined if the caller names none and none is loaded: then no account is "mine".
 * @throws {NodeError} if the named wallet is not loaded, or none is named and several are loaded
 */
export function readingWallet({ wallets }: Pick<AccountsModules, 'wallets'>, { wallet }: CallContext): Wallet | undefined {
  if (!wallets || (wallet === undefined && [...wallets.loaded()].length === 0)) return undefined;
  return wallets.find(wallet);
}
