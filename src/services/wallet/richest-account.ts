import { accountOwners, balanceOf } from '../../dfi/accounts/columns.js';
import type { Balances } from '../../dfi/kernel/amounts.js';
import { heldAmount } from '../../dfi/kernel/held-amounts.js';
import { settleRewards } from '../../dfi/rewards/owner-rewards.js';
import { Overlay } from '../../storage/overlay.js';
import { NodeError } from '../../util/errors.js';
import { Ownership } from '../../wallet/ownership.js';
import type { Wallet } from '../../wallet/wallet.js';

/** Stands for whichever account of the wallet has enough. */
export const ANY_ACCOUNT = '*';

/**
 * The account of the wallet that has all these amounts, rewards of pools included; of several the one that has the most of the first.
 * @throws {NodeError} `invalid-request` if none has
 */
export function richestAccount(wallet: Wallet, wanted: Balances): Uint8Array {
  const { chain } = wallet.deps;
  const view = new Overlay(chain.state);
  const at = { height: chain.tip.height + 1, params: chain.params };
  const [first] = wanted;
  let richest: { readonly owner: Uint8Array; readonly balance: bigint } | undefined;
  for (const owner of [...accountOwners(view)]) {
    if (wallet.ownershipOf(owner) !== Ownership.Spendable) continue;
    settleRewards(view, owner, at);
    const balances = wanted.map(({ tokenId }) => ({ tokenId, amount: balanceOf(view, owner, tokenId) }));
    if (wanted.some(({ tokenId, amount }) => heldAmount(balances, tokenId) < amount)) continue;
    const balance = first ? heldAmount(balances, first.tokenId) : 0n;
    if (!richest || balance > richest.balance) richest = { owner, balance };
  }
  if (richest) return richest.owner;
  throw new NodeError('invalid-request', 'Not enough tokens on account, call sendtokenstoaddress to increase it.\n');
}
