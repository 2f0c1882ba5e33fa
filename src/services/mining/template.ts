import type { GetBlockTemplateRequest, GetBlockTemplateResponse, TemplateRequest } from '../../../gen/ts/dfi/mining/v1/mining.js';
import type { CallContext, Handler } from '../../rpc/handler.js';
import { invalidParameter, NodeError } from '../../util/errors.js';
import { LONG_POLL_PAUSES, waitForChange } from './long-poll.js';
import type { MiningModules } from './modules.js';
import { testProposal } from './proposal.js';
import { formatTemplate } from './template-format.js';
import { invalidMode, modeOf, proposalOf, rulesOf, watchedOf } from './template-request.js';

type Answer = GetBlockTemplateResponse | Promise<GetBlockTemplateResponse>;

/** Makes a template. The order of checks decides the error that the caller gets; keep it. @see docs/protocol/rpc-chain.md 3.2.4 */
export const getBlockTemplate: Handler<MiningModules, GetBlockTemplateRequest, GetBlockTemplateResponse> = (modules, request, call) => {
  const wanted = request.templateRequest;
  if (!wanted) return template(modules, undefined, new Set(), call);
  const mode = modeOf(wanted);
  if (mode === 'proposal') {
    const reason = testProposal(modules.chain, proposalOf(wanted));
    return { result: reason === undefined ? undefined : { $case: 'rejectReason', value: reason } };
  }
  const rules = rulesOf(wanted);
  if (mode !== 'template') throw invalidMode();
  return template(modules, wanted, rules, call);
};

function template(modules: MiningModules, wanted: TemplateRequest | undefined, rules: ReadonlySet<string>, call: CallContext): Answer {
  requireNetwork(modules);
  requireMasternode(modules);
  const { chain, templates } = modules;
  const watched = wanted && watchedOf(wanted, { tip: chain.tip.hash, poolUpdates: templates.poolUpdates });
  if (!watched) return answer(modules, rules);
  return waitForChange(modules, watched, call.signal, LONG_POLL_PAUSES).then(() => answer(modules, rules));
}

/**
 * Requires peers and a synced chain, because a template is useful only on the tip of the network. On networks that allow minting
 * without peers, a node without P2P needs neither.
 */
function requireNetwork({ chain, peers }: MiningModules): void {
  if (!peers) {
    if (chain.params.mintWithoutPeers) return;
    throw new NodeError('p2p-disabled', 'Error: Peer-to-peer functionality missing or disabled');
  }
  if (peers.count === 0) throw new NodeError('not-connected', 'DeFi Blockchain is not connected!');
  if (chain.isInitialDownload()) {
    throw new NodeError('initial-download', 'DeFi Blockchain is in initial sync and waiting for blocks...');
  }
}

function requireMasternode({ minter }: MiningModules): void {
  if (minter.masternodes().length > 0) return;
  throw new NodeError('invalid-request', 'getblocktemplate can only be called by masternodes');
}

function answer({ chain, templates }: MiningModules, rules: ReadonlySet<string>): GetBlockTemplateResponse {
  if (!rules.has('segwit')) {
    const text = 'getblocktemplate must be called with the segwit rule set (call with {"rules": ["segwit"]})';
    throw invalidParameter(text);
  }
  return { result: { $case: 'template', value: formatTemplate(templates.current(), chain.params) } };
}
