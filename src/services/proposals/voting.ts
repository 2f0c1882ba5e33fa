import { setTimeout as sleep } from 'node:timers/promises';
import type {
  GivenVote,
  VoteGovBatchRequest,
  VoteGovBatchResponse,
  VoteGovRequest,
  VoteGovResponse,
} from '../../../gen/ts/dfi/node/v1/proposals.js';
import {
  getMasternode,
  type IdentifiedMasternode,
  masternodeByOperator,
  masternodeOwners,
  ownerScript,
} from '../../dfi/masternodes/columns.js';
import { ProposalStatus, proposals, Vote } from '../../dfi/proposals/columns.js';
import { type VoteBody, vote as voting } from '../../dfi/proposals/transactions.js';
import { isActive } from '../../params/network.js';
import { formatHash, HASH_DIGITS, type Hash256 } from '../../primitives/hash.js';
import type { OutPoint } from '../../primitives/outpoint.js';
import { rawJson } from '../../rpc/bind.js';
import type { CallContext, Handler } from '../../rpc/handler.js';
import { asArray, asString } from '../../rpc/scalars.js';
import { parseHash } from '../../rpc/shapes.js';
import { invalidParameter, NodeError } from '../../util/errors.js';
import type { Wallet } from '../../wallet/wallet.js';
import { parseDestination } from '../format/destination.js';
import { readInputs } from '../format/inputs.js';
import { sendFor, spendingWallet } from '../wallet/spend/custom-tx.js';
import type { ProposalsModules } from './modules.js';

/** @see docs/protocol/defi.md 5.4 */
export const voteGov: Handler<ProposalsModules, VoteGovRequest, VoteGovResponse> = (modules, request, call) => {
  const wallet = spendingWallet(modules, call, 'vote');
  const proposalId = parseHash(request.proposalid, 'proposalId');
  const masternode = request.masternodeid;
  const vote = readDecision(modules, request.decision);
  requireVoting(modules, proposalId);
  const { id: masternodeId, node } = requireMasternode(modules, masternode);
  return send(wallet, call, { proposalId, masternodeId, vote }, ownerScript(node), readInputs(request));
};

function send(
  wallet: Wallet,
  call: CallContext,
  body: VoteBody,
  owner: Uint8Array,
  inputs?: readonly OutPoint[],
): { readonly txid: string } {
  return sendFor(wallet, call, { definition: voting, body, auths: [owner], inputs });
}

const DEFAULT_PAUSE_MS = 500;

/** Sends votes one by one with pauses, so that other work of the node gets time. All are sent even if the caller disconnects meanwhile. */
export const voteGovBatch: Handler<ProposalsModules, VoteGovBatchRequest, VoteGovBatchResponse> = async (modules, request, call) => {
  const wallet = spendingWallet(modules, call, 'vote');
  const pauseMs = request.sleeptime ?? DEFAULT_PAUSE_MS;
  const votes = request.votes.map((given) => readVote(modules, given));
  const txids: string[] = [];
  for (const [i, { body, owner }] of votes.entries()) {
    if (i > 0) {
      await sleep(pauseMs, undefined, { signal: modules.stopping }).catch(() => {});
      if (modules.stopping.aborted) throw new NodeError('unavailable', `the node is stopping: ${i} of ${votes.length} votes were sent`);
    }
    txids.push(send(wallet, call, body, owner).txid);
  }
  return { txids };
};

const PARTS = 3;

function readVote(modules: ProposalsModules, given: GivenVote): { readonly body: VoteBody; readonly owner: Uint8Array } {
  const json = rawJson(given, 'parts');
  const parts = json === undefined ? given.parts : asArray(json);
  if (parts.length !== PARTS) {
    throw invalidParameter(
      `Incorrect number of items, three expected, proposal ID, masternode ID and vote expected. ${parts.length} entries provided.`,
    );
  }
  const [proposal = '', masternode = '', decision = ''] = parts;
  const proposalId = parseHash(asString(proposal), 'proposalId');
  requireVoting(modules, proposalId);
  const { id: masternodeId, node } = requireMasternode(modules, asString(masternode));
  return { body: { proposalId, masternodeId, vote: readDecision(modules, asString(decision)) }, owner: ownerScript(node) };
}

function requireVoting({ chain }: ProposalsModules, id: Hash256): void {
  const proposal = chain.state.get(proposals, id);
  if (!proposal) throw invalidParameter(`Proposal <${formatHash(id)}> does not exist`);
  if (proposal.status !== ProposalStatus.voting) throw invalidParameter(`Proposal <${formatHash(id)}> is not in voting period`);
}

/** Masternode by id, or by address of its owner or operator. */
function requireMasternode(modules: ProposalsModules, text: string): IdentifiedMasternode {
  const { state } = modules.chain;
  const id = Buffer.byteLength(text) === HASH_DIGITS ? parseHash(text, 'masternodeId') : masternodeOfAddress(modules, text);
  const node = id && getMasternode(state, id);
  if (!id || !node) throw invalidParameter(`The masternode does not exist or the address doesn't own a masternode: ${text}`);
  return { id, node };
}

function masternodeOfAddress({ chain }: ProposalsModules, text: string): Hash256 | undefined {
  const destination = parseDestination(text, chain);
  if (!destination) throw invalidParameter(`The masternode id or address is not valid: ${text}`);
  if (destination.type !== 'pkh' && destination.type !== 'wpkh')
    throw invalidParameter(`${text} does not refer to a P2PKH or P2WPKH address`);
  return chain.state.get(masternodeOwners, destination.hash) ?? masternodeByOperator(chain.state, destination.hash)?.id;
}

/** Parses a vote. Before Metachain `defid` counts neutral votes as votes against the proposal, so nodes do not cast them. */
function readDecision({ chain, acceptsNeutralVotes }: ProposalsModules, text: string): number {
  const decision = text.toLowerCase();
  if (decision === 'yes') return Vote.yes;
  if (decision === 'no') return Vote.no;
  if (!(acceptsNeutralVotes ?? isActive(chain.params, 'metachain', chain.tip.height + 1))) {
    throw invalidParameter(
      'Decision supports yes or no. Neutral is currently disabled because of issue https://github.com/DeFiCh/ain/issues/1704',
    );
  }
  if (decision !== 'neutral') throw invalidParameter('decision supports yes/no/neutral');
  return Vote.neutral;
}
