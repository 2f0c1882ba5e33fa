import type { CustomTxField } from '../../../../gen/ts/dfi/blockchain/v1/blockchain.js';
import { isEmergency, type ProposalTerms, ProposalType, proposals, Vote } from '../../../dfi/proposals/columns.js';
import { votingPeriod } from '../../../dfi/proposals/rules.js';
import { createCfp, createVoc, vote } from '../../../dfi/proposals/transactions.js';
import { formatHash } from '../../../primitives/hash.js';
import { amount, byteTextField, type CustomTxJson, number, owner, type ShowContext, shows, text, texts } from './define.js';

const TYPE_NAMES: Readonly<Record<number, string>> = {
  [ProposalType.communityFund]: 'CommunityFundProposal',
  [ProposalType.confidence]: 'VoteOfConfidence',
};
const VOTE_NAMES: Readonly<Record<number, string>> = { [Vote.no]: 'NO', [Vote.yes]: 'YES', [Vote.neutral]: 'NEUTRAL' };

/** JSON of the custom transactions of proposals and votes, in any order. */
export const proposalJson: readonly CustomTxJson[] = [
  shows(createCfp, proposalFields),
  shows(createVoc, proposalFields),
  shows(vote, ({ proposalId, masternodeId, vote: given }) => [
    text('proposalId', formatHash(proposalId)),
    text('masternodeId', formatHash(masternodeId)),
    text('vote', VOTE_NAMES[given] ?? 'Unknown'),
  ]),
];

function proposalFields(terms: ProposalTerms, shown: ShowContext): CustomTxField[] {
  return [
    text('proposalId', formatHash(shown.tx.txid)),
    text('type', TYPE_NAMES[terms.type] ?? 'Unknown'),
    byteTextField('title', terms.title),
    byteTextField('context', terms.context),
    amount('amount', terms.amount),
    number('cycles', terms.cycles),
    number('proposalEndHeight', shown.view.get(proposals, shown.tx.txid)?.endHeight ?? expectedEnd(terms, shown)),
    owner('payoutAddress', terms.address, shown),
    ...(terms.options === 0 ? [] : [texts('options', isEmergency(terms) ? ['emergency'] : [])]),
  ];
}

/** Height at which the last cycle would end by the current rules; 0 without a voting period. */
function expectedEnd(terms: ProposalTerms, { height, view, params }: ShowContext): number {
  const period = votingPeriod(view, terms, params);
  return period === 0 ? 0 : height + (period - (height % period)) + period * terms.cycles;
}
