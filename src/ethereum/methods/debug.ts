import { evmBlockNumber, evmTip, evmTransaction } from '../../dfi/evm/blocks.js';
import { blockGasLimit } from '../../dfi/evm/limits.js';
import { LATEST, parseBlockTag, requireNumber } from '../block-tag.js';
import { messageOf, prepareCall } from '../calls/call.js';
import { callRequestReader, gasLimitOf, inputOf, NO_OVERRIDES, namedPrice, overridesReader } from '../calls/call-request.js';
import { CallSite } from '../calls/execution.js';
import { customError, engineError, headerNotFound } from '../errors.js';
import { baseFeeAfter } from '../fees.js';
import { tracedForm, traceForm } from '../forms/trace.js';
import type { EthereumJson, EthereumObject } from '../json.js';
import { type EthereumCall, type EthereumMethod, method } from '../method.js';
import type { EthereumModules } from '../modules.js';
import { optional, required } from '../params.js';
import { ALL_STEPS, traceParamsReader } from '../traces/trace.js';
import { type NamedTrace, traceBlock, traceCall } from '../traces/traces.js';
import { formatBytes, formatQuantity, parseHash } from '../values.js';

const ofTransaction = required('tx_hash', parseHash);
const request = required('call', callRequestReader);
const params = optional('trace_params', traceParamsReader, () => ALL_STEPS);
const overrides = optional('state_overrides', overridesReader, NO_OVERRIDES);
const MAX_WORD = (1n << 256n) - 1n;

/** Methods for developers. @see docs/protocol/evm-engine.md 10.9 */
export const debugMethods: readonly EthereumMethod[] = [
  method('debug_traceTransaction', [ofTransaction, params], async (modules, [hash, choice], call) => {
    requireTraces(modules);
    const wanted = choice();
    const place = evmTransaction(modules.chain.state, hash);
    if (!place) throw customError(`could not find receipt for transaction hash ${formatBytes(hash)}`);
    const [only] = await traceBlock(modules, place.number, { request: wanted, only: hash }, call);
    return traceForm((only as NamedTrace).trace, call);
  }),
  method('debug_traceCall', [request, required('block_number', parseBlockTag), params, overrides], async (modules, given, call) => {
    requireTraces(modules);
    const [wanted, tag, choice, replaced] = given;
    const traced = choice();
    const limit = blockGasLimit(modules.chain.state);
    const prepared = prepareCall(wanted, limit, () => new CallSite(modules, tag, replaced));
    return traceForm(await traceCall(modules, prepared, traced, call), call);
  }),
  method('debug_traceBlockByNumber', [required('block_number', parseBlockTag), params], async (modules, [tag, choice], call) => {
    requireTraces(modules);
    const wanted = choice();
    return blockForm(await traceBlock(modules, requireNumber(modules.chain.state, tag), { request: wanted }, call), call);
  }),
  method('debug_traceBlockByHash', [required('hash', parseHash), params], async (modules, [hash, choice], call) => {
    requireTraces(modules);
    const wanted = choice();
    const number = evmBlockNumber(modules.chain.state, hash);
    if (number === undefined) throw headerNotFound();
    return blockForm(await traceBlock(modules, number, { request: wanted }, call), call);
  }),
  method('debug_feeEstimate', [request], async (modules, [wanted], call) => {
    if (!modules.execution.isDebug) throw notEnabled();
    const { state } = modules.chain;
    const data = inputOf(wanted);
    const gasLimit = gasLimitOf(wanted, blockGasLimit(state));
    const named = namedPrice(wanted);
    const tip = evmTip(state);
    if (!tip) throw engineError('Could not restore backend Block number 0 not found');
    const baseFee = baseFeeAfter(state, tip.number);
    const price = named ?? baseFee;
    const { usedGas } = await new CallSite(modules, LATEST).run(messageOf(wanted, data, gasLimit), price, call);
    return feeForm(usedGas, price, baseFee);
  }),
];

function requireTraces({ execution }: EthereumModules): void {
  if (!execution.isDebug && !execution.isTracing) throw notEnabled();
}

function notEnabled(): Error {
  return customError('debug_* RPCs have not been enabled');
}

function feeForm(usedGas: bigint, price: bigint, baseFee: bigint): EthereumObject {
  const [fee, burnt] = [usedGas * price, usedGas * baseFee];
  if (fee > MAX_WORD || burnt > fee) throw customError('value overflow');
  return {
    used_gas: formatQuantity(usedGas),
    gas_fee: formatQuantity(fee),
    burnt_fee: formatQuantity(burnt),
    priority_fee: formatQuantity(fee - burnt),
  };
}

async function blockForm(traces: readonly NamedTrace[], call: EthereumCall): Promise<EthereumJson> {
  const forms: EthereumJson[] = [];
  for (const { hash, trace } of traces) forms.push(await tracedForm(hash, trace, call));
  return forms;
}
