import { isNullHash, parseHash256 } from '../../primitives/hash.js';
import { compareBytes } from '../../util/bytes.js';
import { notFound, OperationFailed } from '../api/errors.js';
import { looseJson, Reader } from '../api/json.js';
import { page } from '../api/page.js';
import { MAX_START, pageOf, pathText, queryChoice, queryInteger, queryStart } from '../api/request.js';
import { get, type OceanRequest, type Route } from '../api/route.js';
import { hashOf, sortHash } from '../api/sort-cursor.js';
import type { OceanModules } from '../modules.js';

const MAX_SIZE = 30;

/** Proposals and the votes of masternodes on them. @see docs/protocol/ocean.md 2.5 */
export const governanceRoutes: readonly Route[] = [
  get('governance/proposals', async (modules, request) => {
    const asked = pageOf(request, MAX_SIZE);
    const proposals = await listProposals(modules, request);
    if (isAll(request)) return { data: proposals.map(shownProposal) };
    const { next, size } = asked;
    const last = next === undefined ? undefined : sortHash(next);
    const behind = last ? proposals.filter((proposal) => compareBytes(parseHash256(idOf(proposal)), last) > 0) : proposals;
    return page(behind.slice(0, size), asked, idOf, shownProposal);
  }),
  get('governance/proposals/{id}', async (modules, request) => ({ data: shownProposal(await getProposal(modules, request)) })),
  get('governance/proposals/{id}/votes', async (modules, request) => {
    const asked = pageOf(request, MAX_SIZE);
    const last = queryStart(asked, MAX_START - MAX_SIZE - 1);
    const first = last === undefined ? 0 : last + 1;
    if (isAll(request)) return { data: (await listVotes(modules, request, 0)).map(shownVote) };
    const votes = (await listVotes(modules, request, first + asked.size)).slice(first);
    return page(votes, asked, () => String(first + votes.length - 1), shownVote);
  }),
];

const UNKNOWN = 'Unable to find proposal';

/** True if the client asks for a list without pages. */
function isAll({ query }: OceanRequest): boolean {
  return query.get('all') === 'true';
}

/** @throws {OceanError} if the text of the path is no id; the null hash, which operations accept for no id, is none either */
function requireId(request: OceanRequest): string {
  const id = pathText(request, 'id');
  const hash = hashOf(id);
  if (!hash || isNullHash(hash)) throw notFound(UNKNOWN);
  return id;
}

/** @throws {OceanError} if there is no such proposal */
async function getProposal({ operations }: OceanModules, request: OceanRequest): Promise<Reader> {
  const id = requireId(request);
  try {
    return new Reader(await operations.call('getgovproposal', id));
  } catch (error) {
    throw error instanceof OperationFailed ? notFound(UNKNOWN) : error;
  }
}

/**
 * All proposals that the query selects, in the wire order of ids. There are few, and pages of `listgovproposals` fail to continue if the
 * last proposal of a page has left the list.
 */
async function listProposals({ operations }: OceanModules, request: OceanRequest): Promise<Reader[]> {
  const status = queryChoice(request, 'status', ['voting', 'rejected', 'completed', 'all'], 'all');
  const type = queryChoice(request, 'type', ['cfp', 'voc', 'all'], 'all');
  const cycle = queryInteger(request, 'cycle', 0);
  return new Reader(await operations.call('listgovproposals', { type, status, cycle, pagination: { limit: 0 } })).list();
}

function idOf(proposal: Reader): string {
  return proposal.get('proposalId').text();
}

function shownProposal(proposal: Reader) {
  const amount = proposal.get('amount');
  return {
    ...Object.fromEntries(proposal.members().map(([name, { value }]) => [name, value === undefined ? undefined : looseJson(value)])),
    amount: amount.isThere ? amount.digits() : undefined,
  };
}

/**
 * Votes on a proposal from the first one on. `listgovproposalvotes` is not asked to skip any, because it counts votes there that it does
 * not show.
 * @param limit maximum number; 0 for all
 */
async function listVotes(modules: OceanModules, request: OceanRequest, limit: number): Promise<Reader[]> {
  const proposalId = requireId(request);
  const masternode = request.query.get('masternode') ?? 'mine';
  const cycle = queryInteger(request, 'cycle', 0);
  try {
    const votes = await modules.operations.call('listgovproposalvotes', { proposalId, masternode, cycle, pagination: { limit } });
    const found = new Reader(votes).list();
    // An unknown proposal is an error only in a request for its present cycle.
    if (found.length === 0) await getProposal(modules, request);
    return found;
  } catch (error) {
    if (error instanceof OperationFailed) await getProposal(modules, request);
    throw error;
  }
}

function shownVote(vote: Reader) {
  return {
    proposalId: vote.get('proposalId').text(),
    masternodeId: vote.get('masternodeId').text(),
    cycle: vote.get('cycle').number(),
    vote: vote.get('vote').text().toUpperCase(),
    valid: vote.get('valid').flag(),
  };
}
