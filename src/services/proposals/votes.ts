import type {
  ListGovProposalVotesRequest,
  ListGovProposalVotesResponse,
  ProposalVotes,
  VoteCounts,
  VotesPage,
} from '../../../gen/ts/dfi/node/v1/proposals.js';
import { isActiveMasternode, type Masternode, masternodes, ownerScript } from '../../dfi/masternodes/columns.js';
import { type Proposal, proposals, proposalVotes, Vote, type VoteKey, voteKey } from '../../dfi/proposals/columns.js';
import { encode } from '../../primitives/codec.js';
import { formatHash, type Hash256, NULL_HASH } from '../../primitives/hash.js';
import type { CallContext, Handler } from '../../rpc/handler.js';
import { parseHash } from '../../rpc/shapes.js';
import type { StateView } from '../../storage/view.js';
import { equalBytes } from '../../util/bytes.js';
import { invalidParameter } from '../../util/errors.js';
import { eachInSlices, mapInSlices, Slicer } from '../../util/slicer.js';
import { Ownership } from '../../wallet/keys/ownership.js';
import type { Wallet } from '../../wallet/wallet.js';
import { looseFlag } from '../format/options-object.js';
import { pageLimit } from '../format/page.js';
import { isOneObject, leadingText, refuseNull } from './arguments.js';
import type { ProposalsModules } from './modules.js';
import { votingHeight } from './proposals.js';

/** Selection of votes. */
interface VoteQuery {
  /** Undefined for votes on all proposals. */
  readonly proposalId: Hash256 | undefined;
  /** Undefined for all cycles. */
  readonly cycle: number | undefined;
  /** Only votes of each proposal's current cycle. */
  readonly latestOnly: boolean;
  /** Only votes of this masternode. */
  readonly masternodeId: Hash256 | undefined;
  /** Only votes whose masternode owner is in the wallet. */
  readonly mine: boolean;
  readonly valid: boolean;
  /** Votes are counted by proposal. */
  readonly aggregate: boolean;
  /** Number of votes to skip. */
  readonly skip: number;
  /** Largest number of votes to return. */
  readonly limit: number;
}

interface FoundVote {
  readonly key: VoteKey;
  readonly vote: number;
  readonly valid: boolean;
}

export const listGovProposalVotes: Handler<ProposalsModules, ListGovProposalVotesRequest, ListGovProposalVotesResponse> = async (
  modules,
  request,
  call,
) => {
  const wanted = readQuery(modules, request);
  const found = await findVotes(modules, wanted, call);
  return { votes: await (wanted.aggregate ? countByProposal(found, call) : mapInSlices(found, (vote) => formatVote(vote, wanted), call)) };
};

function readQuery(modules: ProposalsModules, request: ListGovProposalVotesRequest): VoteQuery {
  const proposal = leadingText(request, 'proposalid', () => request.proposalid);
  const proposalId = proposal === undefined ? undefined : parseHash(proposal, 'proposalId');
  const isObject = isOneObject(request);
  if (!isObject) refuseNull(request, 'masternode', 'string');
  const { masternode } = request;
  const isNamed = masternode !== undefined && masternode !== 'all' && masternode !== 'mine';
  const masternodeId = isNamed ? parseHash(masternode, 'masternode') : undefined;
  const mine = proposalId !== undefined && !isNamed && masternode !== 'all';
  if (!isObject) refuseNull(request, 'cycle', 'integer');
  // `defid` stores the cycle in a signed byte.
  const given = ((request.cycle ?? 0) << 24) >> 24;
  if (!isObject) refuseNull(request, 'pagination', 'object');
  const page = readPage(request.pagination);
  const flag = (field: 'aggregate' | 'valid') => (isObject ? request[field] : looseFlag(request, field));
  const aggregate = flag('aggregate') ?? proposalId === undefined;
  const valid = flag('valid') ?? true;
  return {
    proposalId: unlessNull(proposalId),
    cycle: requireCycle(modules, unlessNull(proposalId), given),
    latestOnly: aggregate && proposalId === undefined && request.cycle === undefined,
    masternodeId: unlessNull(masternodeId),
    mine,
    valid,
    aggregate,
    ...(aggregate ? { skip: 0, limit: Infinity } : page),
  };
}

/** The null hash stands for no id. */
function unlessNull(id: Hash256 | undefined): Hash256 | undefined {
  return id && !equalBytes(id, NULL_HASH) ? id : undefined;
}

/** Numbers of votes to skip and to return. */
function readPage(page: VotesPage | undefined): Pick<VoteQuery, 'skip' | 'limit'> {
  const limit = pageLimit(page?.limit);
  const start = page?.start;
  const includesStart = page?.includingStart ?? start === undefined;
  // A negative start is a large number in `defid`.
  return { skip: Number(BigInt.asUintN(64, BigInt(start ?? 0) + (includesStart ? 0n : 1n))), limit };
}

/** Cycle of a request. @returns undefined for all cycles @throws {NodeError} */
function requireCycle({ chain }: ProposalsModules, proposalId: Hash256 | undefined, cycle: number): number | undefined {
  if (cycle < -1) throw invalidParameter('Incorrect cycle value');
  if (cycle > 0) return cycle;
  if (cycle === -1 || !proposalId) return undefined;
  const proposal = chain.state.get(proposals, proposalId);
  if (!proposal) throw invalidParameter(`Proposal <${formatHash(proposalId)}> does not exist`);
  return proposal.cycle;
}

/** Walks over the votes in slices. With `mine` only votes of the selected validity count towards `skip`, otherwise all votes. */
async function findVotes({ chain, wallets }: ProposalsModules, wanted: VoteQuery, call: CallContext): Promise<FoundVote[]> {
  const { params, tip } = chain;
  const own = wanted.mine ? ownWallets(wallets, call) : [];
  const slicer = new Slicer(call);
  const state = chain.snapshot();
  const found: FoundVote[] = [];
  let left = wanted.skip;
  try {
    for (const { key, vote, proposal } of votesAskedFor(state, wanted)) {
      const paused = slicer.pause();
      if (paused) await paused;
      if (wanted.latestOnly && key.cycle !== proposal.cycle) continue;
      if (wanted.masternodeId && !equalBytes(wanted.masternodeId, key.masternodeId)) continue;
      if (!wanted.mine && left > 0) {
        left -= 1;
        continue;
      }
      const node = state.get(masternodes, key.masternodeId) as Masternode;
      const valid = node.mintedBlocks > 0 && isActiveMasternode(state, node, votingHeight({ tip }, proposal), params);
      if (valid !== wanted.valid) continue;
      if (left > 0) {
        left -= 1;
        continue;
      }
      const isMine = own.some((wallet) => wallet.ownershipOf(ownerScript(node)) !== Ownership.None);
      if (!wanted.mine || isMine) found.push({ key, vote, valid });
      if (found.length >= wanted.limit) break;
    }
    return found;
  } finally {
    state.close();
  }
}

/** Wallets whose masternodes are "mine". @throws {NodeError} */
function ownWallets(wallets: ProposalsModules['wallets'], { wallet, anyWallet }: CallContext): Wallet[] {
  if (!wallets) return [];
  return anyWallet ? [...wallets.loaded()] : [wallets.find(wallet)];
}

/** Votes of the selected proposal and cycle. A cycle can be looked up directly only together with a proposal. */
function* votesAskedFor(
  state: StateView,
  { proposalId, cycle }: VoteQuery,
): Generator<{ readonly key: VoteKey; readonly vote: number; readonly proposal: Proposal }> {
  const bytes = proposalId && encode(voteKey, { proposalId, cycle: cycle ?? 0, masternodeId: new Uint8Array(32) });
  const prefix = bytes?.subarray(0, cycle === undefined ? 32 : 33);
  for (const [key, vote] of state.entries(proposalVotes, prefix ? { prefix } : {})) {
    // `defid` stops at the first vote of another cycle.
    if (!proposalId && cycle !== undefined && key.cycle !== cycle) return;
    yield { key, vote, proposal: state.get(proposals, key.proposalId) as Proposal };
  }
}

const NAMES: Readonly<Record<number, string>> = { [Vote.yes]: 'YES', [Vote.no]: 'NO', [Vote.neutral]: 'NEUTRAL' };

/** Vote as results show it. `defid` shows the proposal of the request, also where that names none. */
function formatVote({ key, vote, valid }: FoundVote, { proposalId = NULL_HASH }: VoteQuery): ProposalVotes {
  const value = {
    proposalid: formatHash(proposalId),
    masternodeid: formatHash(key.masternodeId),
    cycle: key.cycle,
    vote: NAMES[vote] ?? 'Unknown',
    valid,
  };
  return { form: { $case: 'vote', value } };
}

/** Vote counts ordered by proposal id in display order. */
async function countByProposal(found: readonly FoundVote[], call: CallContext): Promise<ProposalVotes[]> {
  const counts = new Map<string, VoteCounts>();
  const count = ({ key, vote }: FoundVote): void => {
    const proposalid = formatHash(key.proposalId);
    const known = counts.get(proposalid) ?? { proposalid, total: 0, yes: 0, neutral: 0, no: 0 };
    counts.set(proposalid, {
      ...known,
      total: known.total + 1,
      yes: known.yes + (vote === Vote.yes ? 1 : 0),
      neutral: known.neutral + (vote === Vote.neutral ? 1 : 0),
      no: known.no + (vote === Vote.no ? 1 : 0),
    });
  };
  await eachInSlices(found, count, call);
  const inOrder = [...counts.values()].sort((a, b) => (a.proposalid < b.proposalid ? -1 : 1));
  return inOrder.map((value) => ({ form: { $case: 'counts', value } }));
}
