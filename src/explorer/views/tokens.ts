import { type Child, card, h, link, table, userText } from '../dom.js';
import { amount } from '../format.js';
import { type JsonRecord, recordOf, textOf } from '../json.js';
import type { View } from '../page.js';
import { routeTo } from '../routes.js';
import { listPage, tree } from './parts.js';

export const tokens: View = {
  title: 'Tokens',
  async render({ node }, route) {
    const { entries, next } = await listPage(node, route, { path: 'tokens' });
    const rows = entries.map(([id, token]) => tokenRow(id, token));
    return card(table(['Id#', 'Symbol', 'Name', 'Kind', 'Minted#'], rows), next);
  },
};

function tokenRow(id: string, token: JsonRecord): Child[] {
  const kinds = [token.isDAT === true && 'asset', token.isLPS === true && 'pool share', token.isLoanToken === true && 'loan token'];
  const kind = kinds.filter((each) => each !== false).join(', ');
  return [
    id,
    link(routeTo('token', id), userText(textOf(token.symbolKey))),
    userText(textOf(token.name)),
    kind,
    amount(textOf(token.minted)),
  ];
}

export const token: View = {
  title: 'Token',
  async render({ node, entitle }, { argument }) {
    const [[id, found] = ['', null]] = Object.entries(recordOf(await node.call('gettoken', argument)));
    entitle('Token', textOf(recordOf(found).symbolKey));
    return [card(tree({ id, ...recordOf(found) })), recordOf(found).isLPS === true && h('p', {}, link(routeTo('pool', id), 'Its pool'))];
  },
};
