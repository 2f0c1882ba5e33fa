import type {
  AppointOracleRequest,
  AppointOracleResponse,
  GivenPriceFeed,
  GivenPrice as GivenPriceText,
  RemoveOracleRequest,
  RemoveOracleResponse,
  SetOracleDataRequest,
  SetOracleDataResponse,
  UpdateOracleRequest,
  UpdateOracleResponse,
} from '../../../gen/ts/dfi/oracles/v1/oracles.js';
import { byteText } from '../../dfi/kernel/text.js';
import { oracles, type PricePair, toPairs } from '../../dfi/oracles/columns.js';
import {
  appointOracle as appointment,
  type OracleTerms,
  type PriceReport,
  removeOracle as removal,
  setOracleData as report,
  updateOracle as update,
} from '../../dfi/oracles/transactions.js';
import { isActive } from '../../params/network.js';
import { formatHash } from '../../primitives/hash.js';
import { rawJson } from '../../rpc/bind.js';
import type { CallContext, Handler } from '../../rpc/handler.js';
import { asInteger, INT32 } from '../../rpc/scalars.js';
import { parseHash, parseTokenAmount } from '../../rpc/shapes.js';
import { invalidParameter, NodeError } from '../../util/errors.js';
import type { CustomTxRequest } from '../../wallet/custom-tx/request.js';
import { readInputs } from '../format/inputs.js';
import { parseOwner } from '../format/owner.js';
import { sendFor, spendingWallet } from '../wallet/spend/custom-tx.js';
import { requireObjectAt, requirePair } from './arguments.js';
import type { ReportingModules } from './modules.js';

const FOUNDERS: Pick<CustomTxRequest<unknown>, 'member' | 'change'> = { member: 'foundation-or-governance', change: 'sole-auth' };

/** @see docs/protocol/oracles-governance.md 2.3 */
export const appointOracle: Handler<ReportingModules, AppointOracleRequest, AppointOracleResponse> = (modules, request, call) => {
  const wallet = spendingWallet(modules, call);
  const body = readTerms(modules, request, call);
  return sendFor(wallet, call, { definition: appointment, body, ...FOUNDERS, inputs: readInputs(request) });
};

/** @see docs/protocol/oracles-governance.md 2.3 */
export const updateOracle: Handler<ReportingModules, UpdateOracleRequest, UpdateOracleResponse> = (modules, request, call) => {
  const wallet = spendingWallet(modules, call);
  const oracleId = parseHash(request.oracleid, 'oracleid');
  const body = { oracleId, ...readTerms(modules, request, call) };
  return sendFor(wallet, call, { definition: update, body, ...FOUNDERS, inputs: readInputs(request) });
};

/** @see docs/protocol/oracles-governance.md 2.3 */
export const removeOracle: Handler<ReportingModules, RemoveOracleRequest, RemoveOracleResponse> = (modules, request, call) => {
  const wallet = spendingWallet(modules, call);
  const body = { oracleId: parseHash(request.oracleid, 'oracleid') };
  return sendFor(wallet, call, { definition: removal, body, ...FOUNDERS, inputs: readInputs(request) });
};

/** @see docs/protocol/oracles-governance.md 2.3 */
export const setOracleData: Handler<ReportingModules, SetOracleDataRequest, SetOracleDataResponse> = (modules, request, call) => {
  const wallet = spendingWallet(modules, call);
  const { chain, clock } = modules;
  const oracleId = parseHash(request.oracleid, 'oracleid');
  const { timestamp } = request;
  const prices = readPrices(request, call);
  const oracle = chain.state.get(oracles, oracleId);
  if (!oracle) throw new NodeError('invalid-request', `oracle <${formatHash(oracleId)}> not found`);
  // From Fort Canning on a consensus rule checks the timestamp. Before, `defid` compares it here with real time.
  const isTimely = timestamp > 0n && timestamp <= BigInt(Math.floor(clock.now() / 1000) + MAX_FUTURE_SEC);
  if (!isActive(chain.params, 'fortCanning', chain.tip.height + 1) && !isTimely) {
    throw invalidParameter('timestamp cannot be negative, zero or over 5 minutes in the future');
  }
  const body = { oracleId, timestamp, prices };
  return sendFor(wallet, call, { definition: report, body, auths: [oracle.address], change: 'sole-auth', inputs: readInputs(request) });
};

const MAX_FUTURE_SEC = 300;
const MAX_WEIGHTAGE = 255n;

interface TermsRequest {
  readonly address: string;
  readonly pricefeeds: readonly GivenPriceFeed[];
  readonly weightage: bigint;
}

function readTerms({ chain }: ReportingModules, request: TermsRequest, call: CallContext): OracleTerms {
  const address = parseOwner(request.address, chain);
  const pairs: PricePair[] = request.pricefeeds.map((feed, i) => {
    requireObjectAt(request, 'pricefeeds', i);
    return requirePair(feed, call);
  });
  const json = rawJson(request, 'weightage');
  const weightage = json === undefined ? request.weightage : asInteger(json, INT32.least, INT32.most);
  if (weightage < 0n || weightage > MAX_WEIGHTAGE) throw new NodeError('verify-error', 'the weightage value is out of bounds');
  return { address, weight: Number(weightage), pairs: toPairs(pairs) };
}

/** Reads prices without normalising their names; of repeated pairs the last price counts. */
function readPrices(request: SetOracleDataRequest, call: CallContext): readonly PriceReport[] {
  const found = new Map<string, PriceReport>();
  for (const [i, each] of request.prices.entries()) {
    requireObjectAt(request, 'prices', i);
    const price = readPrice(each, call);
    found.set(JSON.stringify([price.token, price.currency]), price);
  }
  return [...found.values()];
}

function readPrice(given: GivenPriceText, { dialect }: CallContext): PriceReport {
  const require = (field: 'currency' | 'tokenamount', name: string): string => {
    const isGiven = dialect === 'json-rpc' ? rawJson(given, field) !== undefined : given[field] !== undefined;
    if (!isGiven) throw invalidParameter(`${name} is required field`);
    return given[field] ?? '';
  };
  const currency = require('currency', 'currency');
  const { amount, token } = readAmount(require('tokenamount', 'tokenAmount'));
  return { token: byteText(token), currency: byteText(currency), price: amount };
}

function readAmount(text: string): ReturnType<typeof parseTokenAmount> {
  try {
    return parseTokenAmount(text);
  } catch (error) {
    if (error instanceof NodeError && error.kind === 'type') throw new NodeError('deserialization', error.message, { cause: error });
    throw error;
  }
}
