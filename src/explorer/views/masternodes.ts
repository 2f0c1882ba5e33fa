import { type Child, link, section, table } from '../dom.js';
import { amount } from '../format.js';
import { type JsonRecord, recordOf, textOf } from '../json.js';
import type { View } from '../page.js';
import { routeTo } from '../routes.js';
import { addressLink, code, nextPage, pageOptions, tree } from './parts.js';

const MASTERNODE_HEADINGS = ['Masternode', 'Owner', 'Operator', 'State', 'Minted blocks#', 'Since height#'];

export const masternodes: View = {
  title: 'Masternodes',
  async render({ node }, { query }) {
    const found = Object.entries(recordOf(await node.call('listmasternodes', pageOptions(query), true)));
    const rows = found.map(([id, each]) => masternodeRow(id, recordOf(each)));
    return section('Masternodes', table(MASTERNODE_HEADINGS, rows), nextPage('masternodes', found.length, found.at(-1)?.[0]));
  },
};

function masternodeRow(id: string, each: JsonRecord): Child[] {
  return [
    link(routeTo('masternode', id), code(id)),
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
    return section('Masternode', tree({ id, ...recordOf(recordOf(await node.call('getmasternode', id))[id]) }));
  },
};
