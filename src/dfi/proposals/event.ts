import { isActive } from '../../params/network.js';
import { COIN } from '../../primitives/amount.js';
import type { Hash256 } from '../../primitives/hash.js';
import { toHex } from '../../util/bytes.js';
import { Accounts } from '../accounts/columns.js';
import { subCommunityBalance } from '../accounts/community-columns.js';
import { isFeatureOn } from '../attributes/features.js';
import { type BlockEvent, type BlockEventContext, withHistory } from '../context/block-event.js';
import { categoryByte, EVENT_TYPES } from '../kernel/event-types.js';
import { divideAmounts } from '../kernel/math.js';
import { ignoreRejection } from '../kernel/rejected.js';
import { isActiveMasternode, type Masternode, masternodes, ownerScript, rewardScript } from '../masternodes/columns.js';
import { materialiseRecordedRewards, materialiseRewards } from '../rewards/owner-rewards.js';
import { type Proposal, ProposalStatus, ProposalType, proposals, tally, Vote, votesOf } from './columns.js';
import { decideProposal, nextCycle, proposalsEndingAt } from './cycles.js';
import { redistributesFees } from './rules.js';

/** Decides, continues or pays proposals at the end of their cycles. @see docs/protocol/defi.md 5.5 */
export const proposalCycles: BlockEvent = {
  name: 'proposals',
  isDue: ({ height, params }) => isActive(params, 'grandCentral', height),
  run(context) {
    const { view, height } = context;
    if (!isFeatureOn(view, 'gov')) return;
    const ending = proposalsEndingAt(view, height);
    if (ending.length === 0) return;
    const voters = votingMasternodes(context);
    // Without masternodes that may vote the cycle does not end.
    if (voters.size === 0) return;
    for (const id of ending) {
      const proposal = view.get(proposals, id);
      if (proposal?.status === ProposalStatus.voting) endCycle(context, id, proposal, voters);
    }
  },
};

/** Masternodes that may vote, by the hex of their ids. */
function votingMasternodes({ view, height, params }: BlockEventContext): Map<string, Masternode> {
  const found = new Map<string, Masternode>();
  for (const [id, node] of view.entries(masternodes)) {
    if (node.mintedBlocks > 0 && isActiveMasternode(view, node, height, params)) found.set(toHex(id), node);
  }
  return found;
}

function endCycle(context: BlockEventContext, id: Hash256, proposal: Proposal, voters: ReadonlyMap<string, Masternode>): void {
  const { view, height, params } = context;
  const votes = [...votesOf(view, id, proposal.cycle)].flatMap(([masternodeId, vote]) => {
    const node = voters.get(toHex(masternodeId));
    return node ? [{ node, vote }] : [];
  });
  const voted = votes.map(({ node }) => node);
  if (voted.length > 0 && redistributesFees(view)) redistributeFee(context, proposal, voted);
  const isAccepted =
    BigInt(tally(votes.length, voters.size)) > proposal.quorum &&
    isApproved(
      proposal,
      votes.map(({ vote }) => vote),
      isActive(params, 'metachain', height),
    );
  if (!isAccepted) {
    decideProposal(view, id, proposal, { status: ProposalStatus.rejected, height });
    return;
  }
  if (proposal.cycle === proposal.cycles) decideProposal(view, id, proposal, { status: ProposalStatus.completed, height });
  else nextCycle(view, id, proposal, params);
  if (proposal.type === ProposalType.communityFund && isFeatureOn(view, 'gov-payout')) payOut(context, proposal);
}

/** @param ignoresNeutral true from Metachain on: neutral votes count for the quorum only */
function isApproved({ approvalThreshold }: Proposal, votes: readonly number[], ignoresNeutral: boolean): boolean {
  const counted = ignoresNeutral ? votes.filter((vote) => vote !== Vote.neutral) : votes;
  if (counted.length === 0) return false;
  const yes = counted.filter((vote) => vote === Vote.yes).length;
  return BigInt(tally(yes, counted.length)) > approvalThreshold;
}

/** Divides the rest of the fee equally among the voters of each cycle; an indivisible remainder is burnt. */
function redistributeFee(context: BlockEventContext, { fee, feeBurn }: Proposal, voted: readonly Masternode[]): void {
  const { view, height, params } = context;
  const count = BigInt(voted.length);
  const amount = divideAmounts(fee - feeBurn, count * COIN);
  for (const node of voted) {
    const script = node.rewardType === 0 ? ownerScript(node) : rewardScript(node, true);
    withHistory(context, { category: categoryByte(EVENT_TYPES.feeRedistribution) }, (accounts) => {
      credit(accounts, script, amount);
      if (isActive(params, 'metachain', height)) materialiseRecordedRewards(accounts, script, context);
    });
  }
  const rest = fee - feeBurn - amount * count;
  if (rest > 0n) credit(new Accounts(view), params.scripts.burn, rest);
}

/** Pays a proposal, if the community funds suffice. The history does not include payouts. */
function payOut(context: BlockEventContext, { address, amount }: Proposal): void {
  const { view } = context;
  if (!ignoreRejection(() => subCommunityBalance(view, 'communityDevelopment', amount))) return;
  materialiseRewards(view, address, context);
  credit(new Accounts(view), address, amount);
}

/** Adds to a balance; on overflow it stays unchanged. */
function credit(accounts: Accounts, owner: Uint8Array, amount: bigint): void {
  ignoreRejection(() => accounts.add(owner, { tokenId: 0, amount }));
}
