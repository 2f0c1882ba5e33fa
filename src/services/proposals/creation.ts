import type {
  CreateGovCfpRequest,
  CreateGovCfpResponse,
  CreateGovVocRequest,
  CreateGovVocResponse,
} from '../../../gen/ts/dfi/node/v1/proposals.js';
import { byteText } from '../../dfi/kernel/text.js';
import { EMERGENCY, type ProposalTerms, ProposalType } from '../../dfi/proposals/columns.js';
import { creationFee } from '../../dfi/proposals/rules.js';
import { createCfp, createVoc } from '../../dfi/proposals/transactions.js';
import { requestJsonObject } from '../../rpc/bind.js';
import type { CallContext, Handler } from '../../rpc/handler.js';
import { asObject } from '../../rpc/scalars.js';
import { scriptOf } from '../../script/address.js';
import { EMPTY_BYTES } from '../../util/bytes.js';
import { invalidParameter } from '../../util/errors.js';
import { parseDestination } from '../format/destination.js';
import { readInputs } from '../format/inputs.js';
import { requireOptions } from '../format/options-object.js';
import { refuseEvmOwners } from '../format/owner.js';
import { sendFor, spendingWallet } from '../wallet/spend/custom-tx.js';
import type { ProposalsModules } from './modules.js';

const TEXTS = { title: 'string', context: 'string', contextHash: 'string' } as const;
// Amounts may be numbers or strings.
const CFP_DATA = { ...TEXTS, cycles: 'number', amount: 'any', payoutAddress: 'string' } as const;
const VOC_DATA = { ...TEXTS, emergency: 'bool', special: 'bool' } as const;

/** Checks the members of the argument. @throws {NodeError} also for a missing argument, which `defid` reads as null */
function requireData(
  request: CreateGovCfpRequest | CreateGovVocRequest,
  { dialect }: Pick<CallContext, 'dialect'>,
  kinds: Parameters<typeof requireOptions>[1],
): void {
  const isEmpty = requestJsonObject(request) === undefined && request.title === undefined && request.context === undefined;
  if (dialect === 'json-rpc' && isEmpty) asObject(null);
  requireOptions(request, kinds);
}

function requireGiven<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw invalidParameter(`<${name}> is required`);
  return value;
}

function readTexts(request: CreateGovCfpRequest | CreateGovVocRequest): Pick<ProposalTerms, 'title' | 'context' | 'contextHash'> {
  return {
    title: byteText(requireGiven(request.title, 'title')),
    context: byteText(requireGiven(request.context, 'context')),
    contextHash: byteText(request.contexthash ?? ''),
  };
}

/** @see docs/protocol/defi.md 5.3 */
export const createGovCfp: Handler<ProposalsModules, CreateGovCfpRequest, CreateGovCfpResponse> = (modules, request, call) => {
  const { params, state } = modules.chain;
  const wallet = spendingWallet(modules, call, 'create a cfp');
  requireData(request, call, CFP_DATA);
  const texts = readTexts(request);
  // Messages store it in one byte.
  const cycles = (request.cycles ?? 1) & 0xff;
  const amount = requireGiven(request.amount, 'amount');
  const payee = requireGiven(request.payoutaddress, 'payoutAddress');
  const destination = parseDestination(payee, modules.chain);
  if (!destination) throw invalidParameter(`Address (${payee}) is of an unknown type`);
  const address = scriptOf(destination);
  refuseEvmOwners(modules.chain, [address]);
  const body: ProposalTerms = { ...texts, type: ProposalType.communityFund, address, amount, cycles, options: 0 };
  const burns = creationFee(state, body, params);
  return sendFor(wallet, call, { definition: createCfp, body, burns, auths: [address], inputs: readInputs(request) });
};

/** @see docs/protocol/defi.md 5.3 */
export const createGovVoc: Handler<ProposalsModules, CreateGovVocRequest, CreateGovVocResponse> = (modules, request, call) => {
  const { params, state } = modules.chain;
  const wallet = spendingWallet(modules, call, 'create a voc');
  requireData(request, call, VOC_DATA);
  const texts = readTexts(request);
  const isUrgent = request.emergency ?? request.special ?? false;
  const body: ProposalTerms = {
    ...texts,
    type: ProposalType.confidence,
    address: EMPTY_BYTES,
    amount: 0n,
    cycles: 1,
    options: isUrgent ? EMERGENCY : 0,
  };
  return sendFor(wallet, call, { definition: createVoc, body, burns: creationFee(state, body, params), inputs: readInputs(request) });
};
