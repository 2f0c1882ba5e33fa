import { type Child, card, table } from '../dom.js';
import { amount } from '../format.js';
import { type JsonRecord, recordOf, textOf } from '../json.js';
import type { View } from '../page.js';
import { addressLink, listPage, masternodeLink, tree } from './parts.js';

const MASTERNODE_HEADINGS = ['Masternode', 'Owner', 'Operator', 'State', 'Minted blocks#', 'Since height#'];

export const masternodes: View = {
  title: 'Masternodes',
  async render({ node }, route) {
    const { entries, next } = await listPage(node, route, { path: 'masternodes' });
    const rows = entries.map(([id, each]) => masternodeRow(id, each));
    return card(table(MASTERNODE_HEADINGS, rows), next);
  },
};

function masternodeRow(id: string, each: JsonRecord): Child[] {
  return [
    masternodeLink(id),
    addressLink(textOf(each.ownerAuthAddress)),
    addressLink(textOf(each.operatorAuthAddress)),
    textOf(each.state),
    amount(textOf(each.mintedBlocks)),
    amount(textOf(each.creationHeight)),
  ];
}

export const masternode: View = {
  title: 'Masternode',
  async render({ node }, { argument: id }) {
    return card(tree({ id, ...recordOf(recordOf(await node.call('getmasternode', id))[id]) }));
  },
};
