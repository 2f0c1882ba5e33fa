import type { AccountAmounts, Balances } from '../../../dfi/kernel/amounts.js';
import { invalidParameter, NodeError } from '../../../util/errors.js';
import { type Abortable, type MaybePromise, withValue } from '../../../util/slicer.js';
import { type SelectionMode, selectAccounts } from '../../../wallet/custom-tx/account-selection.js';
import { accountsToPayFrom } from '../../../wallet/custom-tx/own-accounts.js';
import type { Wallet } from '../../../wallet/wallet.js';

const MODES: readonly string[] = ['pie', 'crumbs', 'forward'] satisfies SelectionMode[];

/** Accounts of the wallet that together have the amounts. @returns a promise if reading them takes long @throws {NodeError} */
export function chooseAccounts(wallet: Wallet, wanted: Balances, mode: string, call: Abortable): MaybePromise<AccountAmounts> {
  if (!MODES.includes(mode)) throw invalidParameter('Invalide accounts selection mode.');
  return withValue(accountsToPayFrom(wallet, call), (accounts) => {
    const chosen = selectAccounts(accounts, wanted, mode as SelectionMode);
    if (!chosen) throw noBalance();
    return chosen;
  });
}

/** Error if accounts of the wallet lack the amounts. */
export function noBalance(): NodeError {
  return new NodeError('invalid-request', 'Not enough balance on wallet accounts, call utxostoaccount to increase it.\n');
}
