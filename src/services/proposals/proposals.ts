import type {
  GetGovProposalRequest,
  GetGovProposalResponse,
  ListGovProposalsRequest,
  ListGovProposalsResponse,
  ProposalsPage,
} from '../../../gen/ts/dfi/node/v1/proposals.js';
import { readState } from '../../chain/read-state.js';
import { isActiveMasternode, type Masternode, masternodes } from '../../dfi/masternodes/columns.js';
import { cycleEndHeight, type Proposal, ProposalStatus, ProposalType, proposals, Vote, votesOf } from '../../dfi/proposals/columns.js';
import type { NetworkParams } from '../../params/network.js';
import { formatHash, type Hash256, NULL_HASH } from '../../primitives/hash.js';
import type { Handler } from '../../rpc/handler.js';
import { parseHash } from '../../rpc/shapes.js';
import { Projection } from '../../storage/projection.js';
import type { StateView } from '../../storage/view.js';
import { equalBytes } from '../../util/bytes.js';
import { invalidParameter } from '../../util/errors.js';
import type { Steps } from '../../util/slicer.js';
import { pageLimit } from '../format/page.js';
import { isOneObject, leadingText, refuseNull } from './arguments.js';
import { describeProposal, type VoteTally } from './describe.js';
import type { ProposalsModules } from './modules.js';

export const getGovProposal: Handler<ProposalsModules, GetGovProposalRequest, GetGovProposalResponse> = ({ chain }, request, call) => {
  const id = parseHash(request.proposalid, 'proposalId');
  const proposal = chain.state.get(proposals, id);
  if (!proposal) throw invalidParameter(`Proposal <${formatHash(id)}> does not exist`);
  const { params } = chain;
  const height = votingHeight(chain, proposal);
  return readState(chain, call, function* answer(state) {
    const cast = yield* countVotes(state, { id, cycle: proposal.cycle }, height, params);
    const tally = cast && { ...cast, possible: yield* countVoters(state, height, params) };
    return { proposal: describeProposal(id, proposal, params, tally) };
  });
};

/** Height at which masternodes must be active to be counted: the next block's during voting, later the end of the cycle. */
export function votingHeight({ tip }: Pick<ProposalsModules['chain'], 'tip'>, proposal: Proposal): number {
  return proposal.status === ProposalStatus.voting ? tip.height + 1 : cycleEndHeight(proposal);
}

/** Votes of a cycle; undefined if there are no valid ones. */
function* countVotes(
  state: StateView,
  { id, cycle }: { readonly id: Hash256; readonly cycle: number },
  height: number,
  params: NetworkParams,
): Steps<Omit<VoteTally, 'possible'> | undefined> {
  const tally = { present: 0, yes: 0, no: 0, neutral: 0, invalid: 0 };
  for (const [masternodeId, vote] of votesOf(state, id, cycle)) {
    yield;
    const node = state.get(masternodes, masternodeId);
    if (!node || !isVoter(state, node, height, params)) {
      tally.invalid += 1;
      continue;
    }
    tally.present += 1;
    if (vote === Vote.yes) tally.yes += 1;
    else if (vote === Vote.no) tally.no += 1;
    else if (vote === Vote.neutral) tally.neutral += 1;
  }
  return tally.present > 0 ? tally : undefined;
}

function isVoter(view: StateView, node: Masternode, height: number, params: NetworkParams): boolean {
  return node.mintedBlocks > 0 && isActiveMasternode(view, node, height, params);
}

/** Numbers of voters at the heights that proposals of one state have. */
const KEPT_COUNTS = 16;
const voterCounts = new Projection<number>(KEPT_COUNTS);

/** Number of masternodes whose votes count at a height. */
function countVoters(state: StateView, height: number, params: NetworkParams): Steps<number> {
  return voterCounts.inSteps(state, `${height}`, (view) => countedVoters(view, height, params));
}

function* countedVoters(view: StateView, height: number, params: NetworkParams): Steps<number> {
  let count = 0;
  for (const [, node] of view.entries(masternodes)) {
    if (isVoter(view, node, height, params)) count += 1;
    yield;
  }
  return count;
}

type Entry = readonly [id: Hash256, proposal: Proposal];

export const listGovProposals: Handler<ProposalsModules, ListGovProposalsRequest, ListGovProposalsResponse> = (
  { chain },
  request,
  call,
) => {
  if (isOneObject(request)) refuseNull(request, 'type', 'string');
  const type = codeOf(
    leadingText(request, 'type', () => request.type),
    TYPES,
    'type supports cfp/voc/all',
  );
  refuseNull(request, 'status', 'string');
  const status = codeOf(request.status, STATUSES, 'status supports voting/rejected/completed/all');
  refuseNull(request, 'cycle', 'integer');
  const cycle = request.cycle ?? 0;
  if (cycle < -1) {
    throw invalidParameter('Incorrect cycle value (0 -> all cycles, -1 -> previous cycle, N -> nth cycle');
  }
  if (!isOneObject(request)) refuseNull(request, 'pagination', 'object');
  const page = readPage(request.pagination);
  const isMeant = ([, proposal]: Entry) =>
    (type === undefined || proposal.type === type) && (status === undefined || proposal.status === status);
  return readState(chain, call, function* answer(state) {
    const found = cycle === 0 ? yield* pageOfAll(state, isMeant, page) : takePage((yield* ofCycle(state, cycle)).filter(isMeant), page);
    const shown: ListGovProposalsResponse['proposals'] = [];
    for (const [id, proposal] of found) {
      shown.push(describeProposal(id, proposal, chain.params));
      yield;
    }
    return { proposals: shown };
  });
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
 * @param cycle n for the n-th height, -1 for the last but one
 * @throws {NodeError} if there are fewer heights
 */
function* ofCycle(state: StateView, cycle: number): Steps<readonly Entry[]> {
  const all: Entry[] = [];
  for (const entry of state.entries(proposals)) {
    all.push(entry);
    yield;
  }
  const ends = [...new Set(all.map(([, proposal]) => cycleEndHeight(proposal)))].sort((a, b) => a - b);
  if (cycle > ends.length) throw invalidParameter('Could not find cycle');
  const wanted = cycle === -1 ? ends.at(-2) : ends[cycle - 1];
  return all.filter(([, proposal]) => cycleEndHeight(proposal) === wanted);
}

/** Part of a list of proposals. */
interface Page {
  readonly limit: number;
  /** Undefined for the first proposal. */
  readonly start: Hash256 | undefined;
  /** The first proposal of the page is left out. */
  readonly skipsFirst: boolean;
}

function readPage(page: ProposalsPage | undefined): Page {
  const limit = pageLimit(page?.limit);
  const start = page?.start === undefined ? undefined : parseHash(page.start, 'start');
  const skipsFirst = !(page?.includingStart ?? start === undefined);
  return { limit, start: start && equalBytes(start, NULL_HASH) ? undefined : start, skipsFirst };
}

/** Page of the proposals of all cycles; empty if its start is not among the selected proposals. */
function* pageOfAll(state: StateView, isMeant: (entry: Entry) => boolean, { limit, start, skipsFirst }: Page): Steps<readonly Entry[]> {
  const first = start && state.get(proposals, start);
  if (start && !(first && isMeant([start, first]))) return [];
  const found: Entry[] = [];
  let skips = skipsFirst;
  for (const entry of state.entries(proposals, start ? { from: start } : {})) {
    if (found.length >= limit) break;
    yield;
    if (!isMeant(entry)) continue;
    if (!skips) found.push(entry);
    skips = false;
  }
  return found;
}

/** Page of proposals; empty if its start is not among them. */
function takePage(found: readonly Entry[], { limit, start, skipsFirst }: Page): readonly Entry[] {
  const from = start ? found.findIndex(([id]) => equalBytes(id, start)) : 0;
  if (from < 0) return [];
  return found.slice(skipsFirst ? from + 1 : from).slice(0, limit);
}
