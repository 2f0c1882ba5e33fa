import { type Child, h, section, table } from '../dom.js';
import { amount } from '../format.js';
import { type Json, type JsonRecord, listOf, recordOf, textOf } from '../json.js';
import type { View } from '../page.js';
import { code, proposalLink, tree } from './parts.js';

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
    proposalLink(textOf(each.proposalId), textOf(each.title)),
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
