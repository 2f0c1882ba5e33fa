import type { AccountAmounts, Balances } from '../../../dfi/kernel/amounts.js';
import { amountOf } from '../../../dfi/kernel/keyed-balances.js';
import { NodeError } from '../../../util/errors.js';
import { type Abortable, type MaybePromise, withValue } from '../../../util/slicer.js';
import { selectAccounts } from '../../../wallet/custom-tx/account-selection.js';
import { accountsToPayFrom } from '../../../wallet/custom-tx/own-accounts.js';
import type { Wallet } from '../../../wallet/wallet.js';

/** Sender `*`: any account of the wallet with enough balance. */
export const ANY_ACCOUNT = '*';

/** The part of a wallet that chooses an account. */
type Payer = Pick<Wallet, 'ownershipOf' | 'deps'>;

/**
 * Account of the wallet that has all these amounts, with materialised rewards. As in `defid` it must have the highest balance of each
 * token among the accounts of the wallet: one that has enough of all tokens, but the most of none, is not found.
 * @returns a promise if reading the accounts takes long
 * @throws {NodeError} `invalid-request` if there is none
 */
export function richestAccount(wallet: Payer, wanted: Balances, call: Abortable): MaybePromise<Uint8Array> {
  return withValue(payersOf(wallet, wanted, call), (payers) =>
    requireFound(payers.find(({ balances }) => wanted.every(({ tokenId, amount }) => amountOf(balances, tokenId) >= amount))),
  );
}

/**
 * First account of the wallet, by script, among those that would together pay these amounts.
 * @returns a promise if reading the accounts takes long
 * @throws {NodeError} `invalid-request` if the wallet has not enough
 */
export function firstPayer(wallet: Payer, wanted: Balances, call: Abortable): MaybePromise<Uint8Array> {
  return withValue(payersOf(wallet, wanted, call), ([first]) => requireFound(first));
}

/** Accounts of the wallet that would together pay the amounts, those with the highest balances first to pay; none if they have too little. */
function payersOf(wallet: Payer, wanted: Balances, call: Abortable): MaybePromise<AccountAmounts> {
  return withValue(accountsToPayFrom(wallet, call), (accounts) => selectAccounts(accounts, wanted, 'pie') ?? []);
}

function requireFound(account: AccountAmounts[number] | undefined): Uint8Array {
  if (account) return account.owner;
  throw new NodeError('invalid-request', 'Not enough tokens on account, call sendtokenstoaddress to increase it.\n');
}
