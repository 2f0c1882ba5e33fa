import { type Child, card, facts, h, link, section, table, userText } from '../dom.js';
import { amount, amountParts, time } from '../format.js';
import { type Json, type JsonRecord, listOf, recordOf, textOf } from '../json.js';
import { CallError, type NodeClient, unlessRefused } from '../node-client.js';
import type { View } from '../page.js';
import { type Route, routeTo } from '../routes.js';
import { addressLink, listPage, type ShownPage, tokenAmounts, txLink, yesNo } from './parts.js';
import { VAULT_HEADINGS, vaultRow } from './vaults.js';

const HISTORY_HEADINGS = ['Height', 'Time', 'Type', 'Transaction', 'Amounts#'];

export const address: View = {
  title: 'Address',
  async render({ node }, route) {
    const { argument: text } = route;
    const owned = { path: 'account-history', query: { owner: text, format: 'symbol' } };
    const [balances, vaults, history] = await Promise.all([
      balancesOf(node, route),
      unlessRefused(listPage(node, route, { path: 'vaults', query: { ownerAddress: text }, cursor: 'vaults' })),
      unlessRefused(listPage(node, route, owned)),
    ]);
    const [info, other] = await node.callAll([
      ['getaddressinfo', text],
      ['addressmap', text, text.startsWith('0x') ? 2 : 1],
    ]);
    return [
      card(identity(text, recordOf(info), recordOf(recordOf(other).format))),
      section('Account', accountTable(balances?.items), balances?.next, coinSearch(node, text)),
      vaults && vaultSection(vaults),
      history && section('History of the account', table(HISTORY_HEADINGS, history.rows.map(historyRow)), history.next),
    ];
  },
};

/** Code over REST of a text that is no address. */
const INVALID_ARGUMENT = 3;

/** Balances of the account; undefined if the credentials do not permit the call. @throws {CallError} if the argument of the route is no address */
async function balancesOf(node: NodeClient, route: Route): Promise<ShownPage | undefined> {
  try {
    return await listPage(node, route, { path: `accounts/${encodeURIComponent(route.argument)}`, cursor: 'balances' });
  } catch (error) {
    if (error instanceof CallError && error.code !== INVALID_ARGUMENT) return undefined;
    throw error;
  }
}

function identity(text: string, info: JsonRecord, otherForms: JsonRecord): Child {
  const forms = Object.entries(otherForms).map(([name, form]) => [`As ${name}`, addressLink(textOf(form))] as const);
  return facts([
    ['Address', h('code', {}, text)],
    ['Label', userText(textOf(info.label))],
    ['In the wallet', yesNo(info.ismine)],
    ...forms,
  ]);
}

function accountTable(balances: Json | undefined): Child {
  const rows = listOf(balances).map((each) => {
    const [value, symbol] = amountParts(textOf(each));
    return [link(routeTo('token', symbol), userText(symbol)), amount(value)];
  });
  return table(['Token', 'Balance#'], rows);
}

/** The node has no index of coins by address, so all coins are searched, and only on request. */
function coinSearch(node: NodeClient, text: string): Child {
  if (text.startsWith('0x')) return undefined;
  const result = h('div', { 'aria-live': 'polite' });
  const search = async (): Promise<void> => {
    result.replaceChildren('Searching…');
    try {
      result.replaceChildren(coinTable(recordOf(await node.call('scantxoutset', 'start', [`addr(${text})`]))));
    } catch (error) {
      result.replaceChildren((error as Error).message);
    }
  };
  return [h('button', { type: 'button', onclick: () => void search() }, 'Search unspent outputs'), result];
}

function coinTable(found: JsonRecord): HTMLElement {
  const rows = listOf(found.unspents).map((each) => {
    const { txid, vout, amount: value, height } = recordOf(each);
    return [[txLink(textOf(txid)), ` : ${textOf(vout)}`], amount(textOf(height)), amount(textOf(value))];
  });
  return h(
    'div',
    {},
    h('p', {}, `${amount(textOf(found.total_amount))} DFI in unspent outputs.`),
    table(['Output', 'Height#', 'Value#'], rows),
  );
}

function vaultSection({ rows, next }: ShownPage): Child {
  return rows.length > 0 && section('Vaults', table(VAULT_HEADINGS, rows.map(vaultRow)), next);
}

function historyRow({ blockHeight, blockHash, blockTime, type, txid, amounts }: JsonRecord): Child[] {
  return [
    link(routeTo('block', textOf(blockHeight)), amount(textOf(blockHeight))),
    time(textOf(blockTime)),
    textOf(type),
    txid !== undefined && txLink(textOf(txid), textOf(blockHash)),
    tokenAmounts(amounts),
  ];
}
