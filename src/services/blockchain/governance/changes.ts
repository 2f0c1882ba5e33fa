import type {
  SetGovHeightRequest,
  SetGovHeightResponse,
  SetGovRequest,
  SetGovResponse,
  UnsetGovRequest,
  UnsetGovResponse,
} from '../../../../gen/ts/dfi/blockchain/v1/blockchain.js';
import type {
  ClearGovHeightsRequest,
  ClearGovHeightsResponse,
  UnsetGovHeightRequest,
  UnsetGovHeightResponse,
} from '../../../../gen/ts/dfi/node/v1/governance.js';
import type { Chain } from '../../../chain/chain.js';
import {
  clearGovHeights as clearing,
  type Removals,
  setGovVariable,
  setGovVariableHeight,
  unsetGovVariable,
  unsetGovVariableHeight,
} from '../../../dfi/governance/transactions.js';
import { byteText } from '../../../dfi/kernel/text.js';
import { isActive } from '../../../params/network.js';
import { rawJson } from '../../../rpc/bind.js';
import type { CallContext, Handler } from '../../../rpc/handler.js';
import { asObject, asString } from '../../../rpc/scalars.js';
import { NodeError } from '../../../util/errors.js';
import type { JsonValue } from '../../../util/json.js';
import { readInputs } from '../../format/inputs.js';
import { BY_MEMBER, type CustomTxModules, sendFor, spendingWallet } from '../../wallet/spend/custom-tx.js';
import { type ImportContext, importVariable, readSettings } from './settings.js';

/** Modules for changing governance variables. */
export type GoverningModules = CustomTxModules & { readonly chain: Pick<Chain, 'tip' | 'state'> };

/** @see docs/protocol/oracles-governance.md 5.1 */
export const setGov: Handler<GoverningModules, SetGovRequest, SetGovResponse> = (modules, request, call) => {
  const wallet = spendingWallet(modules, call);
  const context = importContext(modules, call);
  const body = Array.from(readSettings(request), ([name, value]) => importVariable(name, value, context));
  return sendFor(wallet, call, { definition: setGovVariable, body, ...BY_MEMBER, inputs: readInputs(request) });
};

/** Sets only the first of several variables. @see docs/protocol/oracles-governance.md 5.2 */
export const setGovHeight: Handler<GoverningModules, SetGovHeightRequest, SetGovHeightResponse> = (modules, request, call) => {
  const wallet = spendingWallet(modules, call);
  requireVariables(request);
  const [first] = readSettings(request);
  if (!first) throw new NodeError('invalid-request', 'No Governance variable provided.');
  const [name, value] = first;
  const variable = importVariable(name, value, importContext(modules, call));
  // A negative height wraps to a large unsigned 32-bit number.
  const body = { variable, startHeight: request.height >>> 0 };
  return sendFor(wallet, call, { definition: setGovVariableHeight, body, ...BY_MEMBER, inputs: readInputs(request) });
};

/** @see docs/protocol/oracles-governance.md 5.3 */
export const unsetGov: Handler<GoverningModules, UnsetGovRequest, UnsetGovResponse> = (modules, request, call) => {
  const wallet = spendingWallet(modules, call);
  const { params, tip } = modules.chain;
  // 3.2.8 reads null as no variables.
  if (isActive(params, 'metachain', tip.height)) requireVariables(request);
  const body = removalsOf(request);
  return sendFor(wallet, call, { definition: unsetGovVariable, body, ...BY_MEMBER, inputs: readInputs(request) });
};

/** The inputs are ignored: `defid` reads the height in their place. @see docs/protocol/oracles-governance.md 3.9 */
export const unsetGovHeight: Handler<GoverningModules, UnsetGovHeightRequest, UnsetGovHeightResponse> = (modules, request, call) => {
  const wallet = spendingWallet(modules, call);
  requireVariables(request);
  // A negative height wraps to a large unsigned 32-bit number.
  const body = { removals: removalsOf(request), unsetHeight: request.height >>> 0 };
  return sendFor(wallet, call, { definition: unsetGovVariableHeight, body, ...BY_MEMBER });
};

/** @see docs/protocol/oracles-governance.md 3.9 */
export const clearGovHeights: Handler<GoverningModules, ClearGovHeightsRequest, ClearGovHeightsResponse> = (modules, request, call) => {
  const wallet = spendingWallet(modules, call);
  return sendFor(wallet, call, { definition: clearing, body: {}, ...BY_MEMBER, inputs: readInputs(request) });
};

/** Refuses null in place of the variables. @throws {NodeError} `json-type` */
function requireVariables(request: Pick<UnsetGovRequest, 'variables'>): void {
  if (rawJson(request, 'variables') === null) asObject(null);
}

/** Keys by name of the variable; a repeated name adds its keys again, as in `defid`. */
function removalsOf(request: Pick<UnsetGovRequest, 'variables'>): Removals {
  const removals = new Map<string, readonly string[]>();
  for (const [name, value] of readSettings(request)) removals.set(name, [...(removals.get(name) ?? []), ...keysOf(value)]);
  return [...removals].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, keys]) => ({ name, keys }));
}

/** Keys to remove; none if the value is no list. */
function keysOf(value: JsonValue): string[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]).map((key) => byteText(asString(key))) : [];
}

function importContext({ chain }: GoverningModules, { dialect }: CallContext): ImportContext {
  return { state: chain.state, params: chain.params, height: chain.tip.height, isLoose: dialect === 'document' };
}
