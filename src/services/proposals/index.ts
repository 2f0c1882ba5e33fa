import type { ProposalsServiceServer } from '../../../gen/ts/dfi/node/v1/proposals.js';
import type { Handlers } from '../../rpc/handler.js';
import { createGovCfp, createGovVoc } from './creation.js';
import type { ProposalsModules } from './modules.js';
import { getGovProposal, listGovProposals } from './proposals.js';
import { listGovProposalVotes } from './votes.js';
import { voteGov, voteGovBatch } from './voting.js';

export const proposalsHandlers = {
  createGovCfp,
  createGovVoc,
  getGovProposal,
  listGovProposals,
  listGovProposalVotes,
  voteGov,
  voteGovBatch,
} satisfies Handlers<ProposalsServiceServer, ProposalsModules>;
