import { blockGasLimit } from '../../dfi/evm/limits.js';
import { withValue } from '../../util/slicer.js';
import { LATEST, parseBlockTag } from '../block-tag.js';
import { findAccessList } from '../calls/access-list.js';
import { answerCall, prepareCall } from '../calls/call.js';
import { callRequestReader, NO_OVERRIDES, overridesReader } from '../calls/call-request.js';
import { estimateGas } from '../calls/estimate.js';
import { CallSite } from '../calls/execution.js';
import { accessListForm } from '../forms/transaction.js';
import { type EthereumMethod, method } from '../method.js';
import { optional, required } from '../params.js';
import { formatBytes, formatQuantity } from '../values.js';

const request = required('input', callRequestReader);
const atBlock = optional('block_number', parseBlockTag, LATEST);
const overrides = optional('state_overrides', overridesReader, NO_OVERRIDES);

/** Methods that execute a call without effect. @see docs/protocol/evm-engine.md 10.5 */
export const callMethods: readonly EthereumMethod[] = [
  method('eth_call', [request, atBlock, overrides], (modules, [wanted, tag, replaced], call) => {
    const prepared = prepareCall(wanted, blockGasLimit(modules.chain.state), () => new CallSite(modules, tag, replaced));
    return withValue(answerCall(prepared, call), formatBytes);
  }),
  method('eth_estimateGas', [request, atBlock, overrides], async (modules, [wanted, tag, replaced], call) => {
    const options = {
      blockGasLimit: blockGasLimit(modules.chain.state),
      errorRatio: modules.execution.estimateErrorRatio,
      overrides: replaced,
    };
    return formatQuantity(await estimateGas(wanted, options, () => new CallSite(modules, tag, replaced), call));
  }),
  method('eth_createAccessList', [required('call', callRequestReader), atBlock], async (modules, [wanted, tag], call) => {
    const prepared = prepareCall(wanted, blockGasLimit(modules.chain.state), () => new CallSite(modules, tag));
    const { accessList, gasUsed } = await findAccessList(prepared, call);
    return { accessList: accessListForm(accessList), gasUsed: formatQuantity(gasUsed) };
  }),
];
