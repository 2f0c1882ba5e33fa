import { accountOwners, balanceOf } from '../../../dfi/accounts/columns.js';
import type { Balances } from '../../../dfi/kernel/amounts.js';
import { amountOf } from '../../../dfi/kernel/keyed-balances.js';
import { materialiseRewards } from '../../../dfi/rewards/owner-rewards.js';
import { Overlay } from '../../../storage/overlay.js';
import { NodeError } from '../../../util/errors.js';
import { Ownership } from '../../../wallet/keys/ownership.js';
import type { Wallet } from '../../../wallet/wallet.js';

/** Sender `*`: any account of the wallet with enough balance. */
export const ANY_ACCOUNT = '*';

/**
 * Account of the wallet that has all these amounts, with materialised rewards; of several the one with the highest balance of the
 * first token.
 * @throws {NodeError} `invalid-request` if there is none
 */
export function richestAccount(wallet: Wallet, wanted: Balances): Uint8Array {
  const { chain } = wallet.deps;
  const view = new Overlay(chain.state);
  const at = { height: chain.tip.height + 1, params: chain.params };
  const [first] = wanted;
  let richest: { readonly owner: Uint8Array; readonly balance: bigint } | undefined;
  for (const owner of [...accountOwners(view)]) {
    if (wallet.ownershipOf(owner) !== Ownership.Spendable) continue;
    materialiseRewards(view, owner, at);
    const balances = wanted.map(({ tokenId }) => ({ tokenId, amount: balanceOf(view, owner, tokenId) }));
    if (wanted.some(({ tokenId, amount }) => amountOf(balances, tokenId) < amount)) continue;
    const balance = first ? amountOf(balances, first.tokenId) : 0n;
    if (!richest || balance > richest.balance) richest = { owner, balance };
  }
  if (richest) return richest.owner;
  throw new NodeError('invalid-request', 'Not enough tokens on account, call sendtokenstoaddress to increase it.\n');
}
