import type { CustomTxField } from '../../../../gen/ts/dfi/blockchain/v1/blockchain.js';
import { auctionBid } from '../../../dfi/auctions/transactions.js';
import type { Balances } from '../../../dfi/kernel/amounts.js';
import { paybackLoan, paybackLoanV2, paybackWithCollateral } from '../../../dfi/loans/payback-transactions.js';
import { destroyLoanScheme, setDefaultLoanScheme, setLoanScheme } from '../../../dfi/loans/scheme-transactions.js';
import { takeLoan } from '../../../dfi/loans/transactions.js';
import { getToken, tokenByCreation } from '../../../dfi/tokens/columns.js';
import { depositToVault, withdrawFromVault } from '../../../dfi/vaults/collateral-transactions.js';
import { closeVault, createVault, updateVault } from '../../../dfi/vaults/transactions.js';
import { formatHash } from '../../../primitives/hash.js';
import { amount, amountText, byteTextField, type CustomTxJson, number, objects, owner, type ShowContext, shows, text } from './define.js';

/** JSON of the custom transactions of loan schemes, vaults and auctions, in any order. */
export const loanJson: readonly CustomTxJson[] = [
  shows(setLoanScheme, ({ id, ratio, rate, updateHeight }) => [
    byteTextField('id', id),
    number('mincolratio', ratio),
    amount('interestrate', rate),
    number('updateHeight', updateHeight),
  ]),
  shows(setDefaultLoanScheme, ({ id }) => [byteTextField('id', id)]),
  shows(destroyLoanScheme, ({ id, destroyHeight }) => [byteTextField('id', id), number('destroyHeight', destroyHeight)]),
  shows(createVault, ({ owner: script, scheme }, shown) => [owner('ownerAddress', script, shown), byteTextField('loanSchemeId', scheme)]),
  shows(closeVault, ({ vaultId, to }, shown) => [text('vaultId', formatHash(vaultId)), owner('to', to, shown)]),
  shows(updateVault, ({ vaultId, owner: script, scheme }, shown) => [
    text('vaultId', formatHash(vaultId)),
    owner('ownerAddress', script, shown),
    byteTextField('loanSchemeId', scheme),
  ]),
  shows(depositToVault, ({ vaultId, from, amount: given }, shown) => [
    text('vaultId', formatHash(vaultId)),
    owner('from', from, shown),
    text('amount', amountText(given)),
  ]),
  shows(withdrawFromVault, ({ vaultId, to, amount: taken }, shown) => [
    text('vaultId', formatHash(vaultId)),
    owner('to', to, shown),
    text('amount', amountText(taken)),
  ]),
  shows(takeLoan, ({ vaultId, to, amounts }, shown) => [
    text('vaultId', formatHash(vaultId)),
    ...(to.length > 0 ? [owner('to', to, shown)] : []),
    ...knownAmounts(amounts, shown),
  ]),
  shows(paybackLoan, ({ vaultId, from, amounts }, shown) => [
    text('vaultId', formatHash(vaultId)),
    owner('from', from, shown),
    ...knownAmounts(amounts, shown),
  ]),
  shows(paybackLoanV2, ({ vaultId, from, loans }, shown) => [
    text('vaultId', formatHash(vaultId)),
    owner('from', from, shown),
    objects(
      'dToken',
      loans.map(({ loanToken, paid }) => [...knownToken(loanToken, shown).map((id) => text('dTokens', id)), ...knownAmounts(paid, shown)]),
    ),
  ]),
  shows(paybackWithCollateral, ({ vaultId }) => [text('vaultId', formatHash(vaultId))]),
  shows(auctionBid, ({ vaultId, index, from, amount: bid }, shown) => [
    text('vaultId', formatHash(vaultId)),
    number('index', index),
    owner('from', from, shown),
    text('amount', amountText(bid)),
  ]),
];

/** Token id as text, looked up by the creation transaction of the given token; empty if there is no such token. */
function knownToken(tokenId: number, { view }: ShowContext): string[] {
  const token = getToken(view, tokenId);
  const found = token && tokenByCreation(view, token.creationTx);
  return found ? [String(found.id)] : [];
}

function knownAmounts(amounts: Balances, shown: ShowContext): CustomTxField[] {
  return amounts.flatMap((each) => knownToken(each.tokenId, shown).map((id) => amount(id, each.amount)));
}
