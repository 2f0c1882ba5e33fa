import type { AccountAmounts, Balances } from '../../../dfi/kernel/amounts.js';
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
  const paying = payersOf(wallet, wanted);
  return requireFound(paying.find(({ balances }) => wanted.every(({ tokenId, amount }) => amountOf(balances, tokenId) >= amount)));
}

/**
 * First account of the wallet, by script, among those that would together pay these amounts.
 * @throws {NodeError} `invalid-request` if the wallet has not enough
 */
export function firstPayer(wallet: Wallet, wanted: Balances): Uint8Array {
  return requireFound(payersOf(wallet, wanted)[0]);
}

/** Accounts of the wallet that would together pay the amounts, those with the highest balances first to pay; none if they have too little. */
function payersOf(wallet: Wallet, wanted: Balances): AccountAmounts {
  const { chain } = wallet.deps;
  const reading = { view: new Overlay(chain.state), height: chain.tip.height + 1, params: chain.params };
  // biome-ignore lint/correctness/useYield: a single step
  const accounts = ownAccounts(wallet, reading, function* materialise(owner) {
    materialiseRewards(reading.view, owner, reading);
  });
  return selectAccounts(finish(accounts), wanted, 'pie') ?? [];
}

function requireFound(account: AccountAmounts[number] | undefined): Uint8Array {
  if (account) return account.owner;
  throw new NodeError('invalid-request', 'Not enough tokens on account, call sendtokenstoaddress to increase it.\n');
}
