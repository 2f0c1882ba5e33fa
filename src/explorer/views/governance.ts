import { type Child, h, link, section, table } from '../dom.js';
import { amount } from '../format.js';
import { type Json, type JsonRecord, listOf, recordOf, textOf } from '../json.js';
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

const PROPOSAL_HEADINGS = ['Proposal', 'Type', 'State', 'Amount#', 'Cycle#', 'Ends at height#'];

export const proposals: View = {
  title: 'Governance',
  async render({ node }) {
    const [found, variables, balances] = await node.callAll([['listgovproposals'], ['listgovs'], ['listcommunitybalances']]);
    return [
      section('Proposals', table(PROPOSAL_HEADINGS, listOf(found).map(recordOf).map(proposalRow))),
      section('Community balances', tree(balances)),
      section('Variables', listOf(variables).map(variable)),
    ];
  },
};

function proposalRow(each: JsonRecord): Child[] {
  return [
    link(routeTo('proposal', textOf(each.proposalId)), textOf(each.title)),
    textOf(each.type),
    textOf(each.status),
    amount(textOf(each.amount)),
    `${textOf(each.currentCycle)} of ${textOf(each.totalCycles)}`,
    amount(textOf(each.proposalEndHeight)),
  ];
}

/** A variable with the changes that are due: `[{ name: value }, { height: value }, ...]`. */
function variable(entry: Json): Child {
  const [current, ...due] = listOf(entry);
  const [[name, value] = ['', null]] = Object.entries(recordOf(current));
  return h('details', {}, h('summary', {}, name), tree(value), due.length > 0 && [h('p', {}, 'Changes by height'), tree(due)]);
}

export const proposal: View = {
  title: 'Proposal',
  async render({ node }, { argument: id }) {
    const found = recordOf(await node.call('getgovproposal', id));
    const votes = listOf(await node.attempt('listgovproposalvotes', id, 'all')).map(recordOf);
    const rows = votes.map((each) => [code(textOf(each.masternodeId)), textOf(each.cycle), textOf(each.vote)]);
    return [section(textOf(found.title), tree(found)), section('Votes', table(['Masternode', 'Cycle#', 'Vote'], rows))];
  },
};
