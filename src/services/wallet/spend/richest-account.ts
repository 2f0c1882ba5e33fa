import type { Balances } from '../../../dfi/kernel/amounts.js';
import { amountOf } from '../../../dfi/kernel/keyed-balances.js';
import { materialiseRewards } from '../../../dfi/rewards/owner-rewards.js';
import { Overlay } from '../../../storage/overlay.js';
import { NodeError } from '../../../util/errors.js';
import { finish } from '../../../util/slicer.js';
import { selectAccounts } from '../../../wallet/custom-tx/account-selection.js';
import { ownAccounts } from '../../../wallet/custom-tx/own-accounts.js';
import type { Wallet } from '../../../wallet/wallet.js';

/** Sender `*`: any account of the wallet with enough balance. */
export const ANY_ACCOUNT = '*';

/**
 * Account of the wallet that has all these amounts, with materialised rewards. As in `defid` it must have the highest balance of each
 * token among the accounts of the wallet: one that has enough of all tokens, but the most of none, is not found.
 * @throws {NodeError} `invalid-request` if there is none
 */
export function richestAccount(wallet: Wallet, wanted: Balances): Uint8Array {
  const { chain } = wallet.deps;
  const reading = { view: new Overlay(chain.state), height: chain.tip.height + 1, params: chain.params };
  // biome-ignore lint/correctness/useYield: a single step
  const accounts = ownAccounts(wallet, reading, function* materialise(owner) {
    materialiseRewards(reading.view, owner, reading);
  });
  const paying = selectAccounts(finish(accounts), wanted, 'pie') ?? [];
  const found = paying.find(({ balances }) => wanted.every(({ tokenId, amount }) => amountOf(balances, tokenId) >= amount));
  if (found) return found.owner;
  throw new NodeError('invalid-request', 'Not enough tokens on account, call sendtokenstoaddress to increase it.\n');
}
