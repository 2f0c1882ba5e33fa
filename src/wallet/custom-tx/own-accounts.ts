import { accountOwners, balancesOf } from '../../dfi/accounts/columns.js';
import { type AccountAmounts, compareOwners } from '../../dfi/kernel/amounts.js';
import { masternodes, ownerScript, rewardScript } from '../../dfi/masternodes/columns.js';
import { materialiseRewards } from '../../dfi/rewards/owner-rewards.js';
import { isActive, type NetworkParams } from '../../params/network.js';
import type { WritableView } from '../../storage/view.js';
import { Ownership } from '../keys/ownership.js';
import type { Wallet } from '../wallet.js';

/** Context for reading accounts. Reading materialises rewards, so the view must be a scratch overlay. */
export interface AccountReading {
  readonly view: WritableView;
  /** Height of the next block; rewards are materialised up to it. */
  readonly height: number;
  readonly params: NetworkParams;
}

/** The part of a wallet that decides about ownership. */
export type OwnershipJudge = Pick<Wallet, 'ownershipOf'>;

/** True if the wallet can spend from the account. @see docs/protocol/accounts.md 5.2 */
export function isMine(wallet: OwnershipJudge, owner: Uint8Array): boolean {
  return wallet.ownershipOf(owner) === Ownership.Spendable;
}

/**
 * Materialises rewards of the wallet's masternode scripts, so that their accounts are listed: a coinbase credits an account without
 * listing its owner.
 * @see docs/protocol/accounts.md 5.1
 */
export function listOwnMasternodes(wallet: OwnershipJudge, { view, height, params }: AccountReading): void {
  const late = isActive(params, 'metachain', height);
  for (const [, node] of view.entries(masternodes)) {
    for (const script of [rewardScript(node, late), ownerScript(node)]) {
      if (script.length > 0 && isMine(wallet, script)) materialiseRewards(view, script, { height, params });
    }
  }
}

/** Non-empty accounts that the wallet can spend from, with their balances; shorter scripts first, then by bytes. */
export function ownAccounts(wallet: OwnershipJudge, reading: AccountReading): AccountAmounts {
  const { view } = reading;
  listOwnMasternodes(wallet, reading);
  const found: AccountAmounts[number][] = [];
  for (const owner of [...accountOwners(view)]) {
    if (!isMine(wallet, owner)) continue;
    materialiseRewards(view, owner, reading);
    const balances = [...balancesOf(view, owner)];
    if (balances.length > 0) found.push({ owner, balances });
  }
  return found.sort((a, b) => compareOwners(a.owner, b.owner));
}
