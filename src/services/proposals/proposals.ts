import type {
  GetGovProposalRequest,
  GetGovProposalResponse,
  ListGovProposalsRequest,
  ListGovProposalsResponse,
  ProposalsPage,
} from '../../../gen/ts/dfi/node/v1/proposals.js';
import { isActiveMasternode, masternodes } from '../../dfi/masternodes/columns.js';
import { cycleEndHeight, type Proposal, ProposalStatus, ProposalType, proposals, Vote, votesOf } from '../../dfi/proposals/columns.js';
import { formatHash, type Hash256 } from '../../primitives/hash.js';
import type { Handler } from '../../rpc/handler.js';
import { parseHash } from '../../rpc/shapes.js';
import { equalBytes, toHex } from '../../util/bytes.js';
import { invalidParameter } from '../../util/errors.js';
import { pageLimit } from '../format/page.js';
import { describeProposal, type VoteTally } from './describe.js';
import type { ProposalsModules } from './modules.js';

export const getGovProposal: Handler<ProposalsModules, GetGovProposalRequest, GetGovProposalResponse> = ({ chain }, request) => {
  const id = parseHash(request.proposalid, 'proposalId');
  const proposal = chain.state.get(proposals, id);
  if (!proposal) throw invalidParameter(`Proposal <${formatHash(id)}> does not exist`);
  return { proposal: describeProposal(id, proposal, chain.params, countVotes(chain, id, proposal)) };
};

/** Height at which masternodes must be active to be counted: the next block's during voting, later the end of the cycle. */
export function votingHeight({ tip }: Pick<ProposalsModules['chain'], 'tip'>, proposal: Proposal): number {
  return proposal.status === ProposalStatus.voting ? tip.height + 1 : cycleEndHeight(proposal);
}

/** Votes of the current cycle; undefined if there are no valid ones. */
function countVotes(chain: ProposalsModules['chain'], id: Hash256, proposal: Proposal): VoteTally | undefined {
  const { state, params } = chain;
  const height = votingHeight(chain, proposal);
  const voters = new Set<string>();
  for (const [masternodeId, node] of state.entries(masternodes)) {
    if (node.mintedBlocks > 0 && isActiveMasternode(state, node, height, params)) voters.add(toHex(masternodeId));
  }
  const votes = [...votesOf(state, id, proposal.cycle)];
  const counted = votes.filter(([masternodeId]) => voters.has(toHex(masternodeId)));
  if (counted.length === 0) return undefined;
  const count = (wanted: number) => counted.filter(([, vote]) => vote === wanted).length;
  return {
    possible: voters.size,
    present: counted.length,
    yes: count(Vote.yes),
    no: count(Vote.no),
    neutral: count(Vote.neutral),
    invalid: votes.length - counted.length,
  };
}

type Entry = readonly [id: Hash256, proposal: Proposal];

export const listGovProposals: Handler<ProposalsModules, ListGovProposalsRequest, ListGovProposalsResponse> = ({ chain }, request) => {
  const type = codeOf(request.type, TYPES, 'type supports cfp/voc/all');
  const status = codeOf(request.status, STATUSES, 'status supports voting/rejected/completed/all');
  const cycle = request.cycle ?? 0;
  if (cycle < -1) {
    throw invalidParameter('Incorrect cycle value (0 -> all cycles, -1 -> previous cycle, N -> nth cycle');
  }
  const { pagination } = request;
  const isMeant = ([, proposal]: Entry) =>
    (type === undefined || proposal.type === type) && (status === undefined || proposal.status === status);
  const found = takePage(ofCycle([...chain.state.entries(proposals)], cycle).filter(isMeant), pagination);
  return { proposals: found.map(([id, proposal]) => describeProposal(id, proposal, chain.params)) };
};

const TYPES: Readonly<Record<string, number>> = { cfp: ProposalType.communityFund, voc: ProposalType.confidence };
const STATUSES: Readonly<Record<string, number>> = ProposalStatus;

/** Code of a name; undefined for all. @throws {NodeError} */
function codeOf(name: string | undefined, codes: Readonly<Record<string, number>>, failure: string): number | undefined {
  if (name === undefined || name === 'all') return undefined;
  if (!Object.hasOwn(codes, name)) throw invalidParameter(failure);
  return codes[name];
}

/**
 * Proposals of a cycle. Cycles are the distinct heights at which current cycles of proposals end, in rising order.
 * @param cycle 0 for all proposals, n for the n-th height, -1 for the last but one
 * @throws {NodeError} if there are fewer heights
 */
function ofCycle(all: readonly Entry[], cycle: number): readonly Entry[] {
  if (cycle === 0) return all;
  const ends = [...new Set(all.map(([, proposal]) => cycleEndHeight(proposal)))].sort((a, b) => a - b);
  if (cycle > ends.length) throw invalidParameter('Could not find cycle');
  const wanted = cycle === -1 ? ends.at(-2) : ends[cycle - 1];
  return all.filter(([, proposal]) => cycleEndHeight(proposal) === wanted);
}

/** Page of proposals; empty if its start is not among them. */
function takePage(found: readonly Entry[], page: ProposalsPage | undefined): readonly Entry[] {
  const limit = pageLimit(page?.limit);
  const start = page?.start === undefined ? undefined : parseHash(page.start, 'start');
  const includingStart = page?.includingStart ?? start === undefined;
  const from = start ? found.findIndex(([id]) => equalBytes(id, start)) : 0;
  if (from < 0) return [];
  return found.slice(includingStart ? from : from + 1).slice(0, limit);
}
