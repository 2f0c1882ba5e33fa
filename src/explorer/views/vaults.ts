import { type Child, facts, link, section, table } from '../dom.js';
import { amount } from '../format.js';
import { type JsonRecord, listOf, recordOf, textOf } from '../json.js';
import type { View } from '../page.js';
import { routeTo } from '../routes.js';
import { auctionParts } from './auctions.js';
import { addressLink, code, nextPage, pageOptions, tokenAmounts, txLink, vaultLink } from './parts.js';

export const VAULT_HEADINGS = ['Vault', 'Owner', 'Scheme', 'State'];

export function vaultRow({ vaultId, ownerAddress, loanSchemeId, state }: JsonRecord): Child[] {
  return [vaultLink(textOf(vaultId)), addressLink(textOf(ownerAddress)), textOf(loanSchemeId), textOf(state)];
}

export const vaults: View = {
  title: 'Vaults',
  live: true,
  async render({ node }, { query }) {
    const found = listOf(await node.call('listvaults', {}, pageOptions(query))).map(recordOf);
    const [schemes, collaterals, loans] = await node.callAll([['listloanschemes'], ['listcollateraltokens'], ['listloantokens']]);
    return [
      section(
        'Vaults',
        table(VAULT_HEADINGS, found.map(vaultRow)),
        nextPage('vaults', found.length, textOf(found.at(-1)?.vaultId) || undefined),
      ),
      section('Loan schemes', table(['Scheme', 'Least ratio#', 'Interest#'], listOf(schemes).map(recordOf).map(schemeRow))),
      section('Collaterals', table(['Token', 'Factor#', 'Price'], listOf(collaterals).map(recordOf).map(collateralRow))),
      section('Loan tokens', table(['Token', 'Interest#', 'Price', 'Minted#'], listOf(loans).map(recordOf).map(loanRow))),
    ];
  },
};

function schemeRow({ id, mincolratio, interestrate }: JsonRecord): Child[] {
  return [textOf(id), `${textOf(mincolratio)} %`, `${amount(textOf(interestrate))} %`];
}

function collateralRow({ token, factor, fixedIntervalPriceId }: JsonRecord): Child[] {
  return [textOf(token), amount(textOf(factor)), textOf(fixedIntervalPriceId)];
}

function loanRow({ token, interest, fixedIntervalPriceId }: JsonRecord): Child[] {
  const [[id, found] = ['', null]] = Object.entries(recordOf(token));
  const { symbol, minted } = recordOf(found);
  return [
    link(routeTo('token', id), textOf(symbol)),
    `${amount(textOf(interest))} %`,
    textOf(fixedIntervalPriceId),
    amount(textOf(minted)),
  ];
}

const CHANGE_HEADINGS = ['Height#', 'Type', 'Transaction', 'Amounts#'];

export const vault: View = {
  title: 'Vault',
  live: true,
  async render({ node }, { argument: id }) {
    const found = recordOf(await node.call('getvault', id));
    const changes = await node.attempt('listvaulthistory', id, {});
    return [
      section(
        'Vault',
        facts([
          ['Vault', code(id)],
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
      changes !== undefined && section('History', table(CHANGE_HEADINGS, listOf(changes).map(recordOf).map(changeRow))),
    ];
  },
};

function changeRow({ blockHeight, type, txid, amounts }: JsonRecord): Child[] {
  return [amount(textOf(blockHeight)), textOf(type), txid !== undefined && txLink(textOf(txid)), tokenAmounts(amounts)];
}
