import { type Child, card, h, section, table, userText } from '../dom.js';
import { amount } from '../format.js';
import { type Json, type JsonRecord, listOf, recordOf, textOf } from '../json.js';
import type { View } from '../page.js';
import { listPage, masternodeLink, proposalLink, tree } from './parts.js';

const PROPOSAL_HEADINGS = ['Proposal', 'Type', 'State', 'Amount#', 'Cycle#', 'Ends at height#'];

export const proposals: View = {
  title: 'Governance',
  async render({ node }, route) {
    const found = await listPage(node, route, { path: 'proposals', limit: 'pagination.limit' });
    const [variables, balances] = await node.callAll([['listgovs'], ['listcommunitybalances']]);
    return [
      section('Proposals', table(PROPOSAL_HEADINGS, found.rows.map(proposalRow)), found.next),
      section('Community balances', tree(balances)),
      section('Variables', listOf(variables).map(variable)),
    ];
  },
};

function proposalRow(each: JsonRecord): Child[] {
  return [
    proposalLink(textOf(each.proposalId), userText(textOf(each.title))),
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

const VOTE_HEADINGS = ['Masternode', 'Cycle#', 'Vote'];

function voteRow({ masternodeId, cycle, vote }: JsonRecord): Child[] {
  return [masternodeLink(textOf(masternodeId)), textOf(cycle), textOf(vote)];
}

export const proposal: View = {
  title: 'Proposal',
  async render({ node, entitle }, route) {
    const { argument: id } = route;
    const found = recordOf(await node.call('getgovproposal', id));
    entitle('Proposal', textOf(found.title));
    const query = { proposalid: id, masternode: 'all' };
    const votes = await listPage(node, route, { path: 'proposal-votes', query, limit: 'pagination.limit' });
    return [card(tree(found)), section('Votes', table(VOTE_HEADINGS, votes.rows.map(voteRow)), votes.next)];
  },
};
