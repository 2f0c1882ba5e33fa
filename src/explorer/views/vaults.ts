import { type Child, card, facts, h, link, section, table, userText } from '../dom.js';
import { amount } from '../format.js';
import { type JsonRecord, recordOf, textOf } from '../json.js';
import { unlessRefused } from '../node-client.js';
import type { View } from '../page.js';
import { routeTo } from '../routes.js';
import { auctionParts } from './auctions.js';
import { addressLink, listPage, tokenAmounts, txLink, vaultLink } from './parts.js';

export const VAULT_HEADINGS = ['Vault', 'Owner', 'Scheme', 'State'];

export function vaultRow({ vaultId, ownerAddress, loanSchemeId, state }: JsonRecord): Child[] {
  return [vaultLink(textOf(vaultId)), addressLink(textOf(ownerAddress)), textOf(loanSchemeId), textOf(state)];
}

export const vaults: View = {
  title: 'Vaults',
  live: true,
  async render({ node }, route) {
    const [found, schemes, collaterals, loans] = await Promise.all([
      listPage(node, route, { path: 'vaults' }),
      listPage(node, route, { path: 'loan-schemes', cursor: 'schemes' }),
      listPage(node, route, { path: 'collateral-tokens', cursor: 'collaterals' }),
      listPage(node, route, { path: 'loan-tokens', cursor: 'loans' }),
    ]);
    return [
      card(table(VAULT_HEADINGS, found.rows.map(vaultRow)), found.next),
      section('Loan schemes', table(['Scheme', 'Least ratio#', 'Interest#'], schemes.rows.map(schemeRow)), schemes.next),
      section('Collaterals', table(['Token', 'Factor#', 'Price'], collaterals.rows.map(collateralRow)), collaterals.next),
      section('Loan tokens', table(['Token', 'Interest#', 'Price', 'Minted#'], loans.rows.map(loanRow)), loans.next),
    ];
  },
};

function schemeRow({ id, mincolratio, interestrate }: JsonRecord): Child[] {
  return [textOf(id), `${textOf(mincolratio)} %`, `${amount(textOf(interestrate))} %`];
}

function collateralRow({ token, factor, fixedIntervalPriceId }: JsonRecord): Child[] {
  return [userText(textOf(token)), amount(textOf(factor)), textOf(fixedIntervalPriceId)];
}

function loanRow({ token, interest, fixedIntervalPriceId }: JsonRecord): Child[] {
  const [[id, found] = ['', null]] = Object.entries(recordOf(token));
  const { symbol, minted } = recordOf(found);
  return [
    link(routeTo('token', id), userText(textOf(symbol))),
    `${amount(textOf(interest))} %`,
    textOf(fixedIntervalPriceId),
    amount(textOf(minted)),
  ];
}

const CHANGE_HEADINGS = ['Height#', 'Type', 'Transaction', 'Amounts#'];

export const vault: View = {
  title: 'Vault',
  live: true,
  async render({ node }, route) {
    const { argument: id } = route;
    const found = recordOf(await node.call('getvault', id));
    const changes = await unlessRefused(listPage(node, route, { path: `vaults/${encodeURIComponent(id)}/history` }));
    return [
      card(
        facts([
          ['Vault', h('code', {}, id)],
          ['Owner', addressLink(textOf(found.ownerAddress))],
          ['Scheme', textOf(found.loanSchemeId)],
          ['State', textOf(found.state)],
          ['Collateral', tokenAmounts(found.collateralAmounts)],
          ['Loans', tokenAmounts(found.loanAmounts)],
          ['Interest', tokenAmounts(found.interestAmounts)],
          ['Value of the collateral', amount(textOf(found.collateralValue))],
          ['Value of the loans', amount(textOf(found.loanValue))],
          ['Ratio', found.collateralRatio !== undefined && `${textOf(found.collateralRatio)} %`],
        ]),
      ),
      found.batches !== undefined && section('Auction', auctionParts(found)),
      changes && section('History', table(CHANGE_HEADINGS, changes.rows.map(changeRow)), changes.next),
    ];
  },
};

function changeRow({ blockHeight, type, txid, amounts }: JsonRecord): Child[] {
  return [amount(textOf(blockHeight)), textOf(type), txid !== undefined && txLink(textOf(txid)), tokenAmounts(amounts)];
}
