import type { NetworkParams } from '../../params/network.js';
import { encode, u32be } from '../../primitives/codec.js';
import type { Hash256 } from '../../primitives/hash.js';
import type { StateView, WritableView } from '../../storage/view.js';
import { multiplyAmounts } from '../kernel/math.js';
import { cycleEnds, endOfCycle, type Proposal, ProposalStatus, type ProposalTerms, proposals } from './columns.js';
import { feeBurnShare, thresholds, votingPeriod } from './rules.js';

/**
 * Opens a proposal for votes.
 * @param fee creation fee that was paid, in satoshis
 * @see docs/protocol/defi.md 5.3
 */
export function openProposal(
  view: WritableView,
  { id, terms, fee, height }: { readonly id: Hash256; readonly terms: ProposalTerms; readonly fee: bigint; readonly height: number },
  params: NetworkParams,
): void {
  const period = votingPeriod(view, terms, params);
  const opened: Proposal = {
    ...terms,
    ...thresholds(view, terms, params),
    creationHeight: height,
    endHeight: (height + period) >>> 0,
    votingPeriod: period,
    fee,
    feeBurn: multiplyAmounts(fee, feeBurnShare(view, params)),
    status: ProposalStatus.voting,
    cycle: 1,
  };
  view.put(proposals, id, { ...opened, endHeight: endOfCycle(opened, terms.cycles) });
  for (const [at, cycle] of ends(opened)) view.put(cycleEnds, { height: at, proposalId: id }, cycle);
}

function ends(proposal: Proposal): (readonly [height: number, cycle: number])[] {
  return Array.from({ length: proposal.cycles }, (_, i) => [endOfCycle(proposal, i + 1), i + 1]);
}

/** Proposals of which a cycle ends at this height, in the order of their ids. */
export function proposalsEndingAt(view: StateView, height: number): Hash256[] {
  const prefix = encode(u32be, height);
  return [...view.entries(cycleEnds, { prefix })].map(([{ proposalId }]) => proposalId);
}

/** Starts the next cycle of a proposal, with the current thresholds. */
export function nextCycle(view: WritableView, id: Hash256, proposal: Proposal, params: NetworkParams): void {
  view.put(proposals, id, { ...proposal, ...thresholds(view, proposal, params), cycle: proposal.cycle + 1 });
}

/** Closes a proposal with its final status. */
export function decideProposal(
  view: WritableView,
  id: Hash256,
  proposal: Proposal,
  { status, height }: { readonly status: number; readonly height: number },
): void {
  for (const [at] of ends(proposal)) view.delete(cycleEnds, { height: at, proposalId: id });
  view.put(proposals, id, { ...proposal, status, endHeight: height });
}
