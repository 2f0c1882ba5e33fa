import type { AccountAmounts, Balances } from '../../../dfi/kernel/amounts.js';
import { invalidParameter, NodeError } from '../../../util/errors.js';
import { finish } from '../../../util/slicer.js';
import { type SelectionMode, selectAccounts } from '../../../wallet/custom-tx/account-selection.js';
import { ownAccounts } from '../../../wallet/custom-tx/own-accounts.js';
import type { Wallet } from '../../../wallet/wallet.js';
import { materialiserOf, readingOf } from '../balances/scratch-view.js';
import type { AccountsModules } from '../modules.js';

const MODES: readonly string[] = ['pie', 'crumbs', 'forward'] satisfies SelectionMode[];

/** Accounts of the wallet that together have the amounts. @throws {NodeError} */
export function chooseAccounts(
  wallet: Wallet,
  wanted: Balances,
  mode: string,
  chain: Pick<AccountsModules['chain'], 'tip' | 'params' | 'state'>,
): AccountAmounts {
  const reading = readingOf(chain.state, chain);
  const accounts = finish(ownAccounts(wallet, reading, materialiserOf({ knownRewards: undefined }, reading, chain.tip)));
  if (!MODES.includes(mode)) throw invalidParameter('Invalide accounts selection mode.');
  const chosen = selectAccounts(accounts, wanted, mode as SelectionMode);
  if (!chosen) throw noBalance();
  return chosen;
}

/** Error if accounts of the wallet lack the amounts. */
export function noBalance(): NodeError {
  return new NodeError('invalid-request', 'Not enough balance on wallet accounts, call utxostoaccount to increase it.\n');
}
