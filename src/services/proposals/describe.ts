import type { Proposal as ShownProposal } from '../../../gen/ts/dfi/node/v1/proposals.js';
import { divideAmounts, multiplyAmounts } from '../../dfi/kernel/math.js';
import { readableText } from '../../dfi/kernel/text.js';
import { cycleEndHeight, isEmergency, type Proposal, ProposalStatus, ProposalType, tally } from '../../dfi/proposals/columns.js';
import type { NetworkParams } from '../../params/network.js';
import { COIN } from '../../primitives/amount.js';
import { formatHash, type Hash256 } from '../../primitives/hash.js';
import { formatOwner } from '../format/owner.js';

/** Vote counts of one cycle. */
export interface VoteTally {
  /** Masternodes with the right to vote. */
  readonly possible: number;
  readonly present: number;
  readonly yes: number;
  readonly no: number;
  readonly neutral: number;
  /** Votes of masternodes without, or no longer with, the right to vote. */
  readonly invalid: number;
}

const STATUS: Readonly<Record<number, string>> = {
  [ProposalStatus.voting]: 'Voting',
  [ProposalStatus.rejected]: 'Rejected',
  [ProposalStatus.completed]: 'Completed',
};

/** Proposal as results show it; with vote counts if there are votes. */
export function describeProposal(id: Hash256, proposal: Proposal, params: NetworkParams, votes?: VoteTally): ShownProposal {
  const isFund = proposal.type === ProposalType.communityFund;
  return {
    proposalid: formatHash(id),
    creationheight: proposal.creationHeight,
    title: readableText(proposal.title),
    context: readableText(proposal.context),
    contexthash: readableText(proposal.contextHash),
    status: STATUS[proposal.status] ?? 'Unknown',
    type: isFund ? 'CommunityFundProposal' : 'VoteOfConfidence',
    amount: isFund ? proposal.amount : undefined,
    payoutaddress: isFund ? formatOwner(proposal.address, params) : undefined,
    currentcycle: proposal.cycle,
    totalcycles: proposal.cycles,
    cycleendheight: cycleEndHeight(proposal),
    proposalendheight: proposal.endHeight,
    votingperiod: proposal.votingPeriod,
    quorum: formatShare(Number(proposal.quorum)),
    approvalthreshold: formatShare(Number(proposal.approvalThreshold)),
    ...(votes && countsOf(proposal, votes)),
    fee: proposal.fee,
    options: proposal.options === 0 ? undefined : { names: isEmergency(proposal) ? ['emergency'] : [] },
  };
}

function countsOf({ fee, feeBurn }: Proposal, { possible, present, yes, no, neutral, invalid }: VoteTally): Partial<ShownProposal> {
  const voters = BigInt(present) * COIN;
  const perVote = divideAmounts(fee - feeBurn, voters);
  return {
    votespossible: possible,
    votespresent: present,
    votespresentpct: formatShare(tally(present, possible)),
    votesyes: yes,
    votesyespct: formatShare(tally(yes, present)),
    votesno: no,
    votesneutral: neutral,
    votesinvalid: invalid,
    feeredistributionpervote: perVote,
    feeredistributiontotal: multiplyAmounts(perVote, voters),
  };
}

/** Percentage with two digits. @param share of 10,000 */
function formatShare(share: number): string {
  return `${Math.trunc(share / 100)}.${String(share % 100).padStart(2, '0')}%`;
}
