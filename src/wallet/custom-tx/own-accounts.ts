import { accountOwners, balancesOf } from '../../dfi/accounts/columns.js';
import { type AccountAmounts, compareOwners } from '../../dfi/kernel/amounts.js';
import { type Masternode, masternodes, P2PKH, rewardScript } from '../../dfi/masternodes/columns.js';
import { materialiseRewards } from '../../dfi/rewards/owner-rewards.js';
import { isActive, type NetworkParams } from '../../params/network.js';
import { scriptOf } from '../../script/address.js';
import type { WritableView } from '../../storage/view.js';
import { Ownership } from '../keys/ownership.js';
import type { Wallet } from '../wallet.js';

/** Where accounts are read: rewards are brought up to a height, so the view is a scratch one. */
export interface AccountReading {
  readonly view: WritableView;
  /** That of the next block. */
  readonly height: number;
  readonly params: NetworkParams;
}

/** What decides whose an account is. */
export type OwnershipJudge = Pick<Wallet, 'ownershipOf'>;

/** Whether the wallet can spend from an account. @see docs/protocol/accounts.md 5.2 */
export function isMine(wallet: OwnershipJudge, owner: Uint8Array): boolean {
  return wallet.ownershipOf(owner) === Ownership.Spendable;
}

/**
 * Lists what the wallet's masternodes earn among the accounts: coinbases credit accounts without that.
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

function ownerScript({ ownerType, ownerKey }: Masternode): Uint8Array {
  return scriptOf({ type: ownerType === P2PKH ? 'pkh' : 'wpkh', hash: ownerKey });
}

/** The accounts that the wallet can spend from and what they hold, shorter scripts first; those that hold nothing are left out. */
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
