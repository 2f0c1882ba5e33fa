import { JsonNumber, type JsonValue } from '../../util/json.js';
import { inSlices, withValue } from '../../util/slicer.js';
import { parseBlockTag, requireNumber } from '../block-tag.js';
import { checkFeeHistory, type FeeHistory, feeHistory, lastBaseFee, suggestedPriorityFee } from '../fees.js';
import type { EthereumObject } from '../json.js';
import { readList } from '../members.js';
import { type EthereumMethod, method } from '../method.js';
import { required } from '../params.js';
import { formatFloat, isInteger, Unreadable, wrongType } from '../unreadable.js';
import { formatQuantity, parseQuantity } from '../values.js';

const count = required('block_count', parseQuantity);
const newest = required('newest_block', parseBlockTag);
const percentiles = required('reward_percentile', {
  steps: (value, units, isStrict) => readList(value, (item) => parsePercentile(item, isStrict), units),
});

/** Methods about fees. @see docs/protocol/evm-engine.md 10.6 */
export const feeMethods: readonly EthereumMethod[] = [
  method('eth_gasPrice', [], ({ chain, execution }, _, call) => {
    const above = inSlices(suggestedPriorityFee(chain, execution.priorityFeePercentile), call);
    return withValue(above, (fee) => formatQuantity(lastBaseFee(chain.state) + fee));
  }),
  method('eth_maxPriorityFeePerGas', [], ({ chain, execution }, _, call) => {
    return withValue(inSlices(suggestedPriorityFee(chain, execution.priorityFeePercentile), call), formatQuantity);
  }),
  method('eth_feeHistory', [count, newest, percentiles], ({ chain }, [blocks, tag, shares], call) => {
    const last = requireNumber(chain.state, tag);
    checkFeeHistory(blocks, shares);
    return withValue(inSlices(feeHistory(chain, Number(blocks), last, shares), call), historyForm);
  }),
];

function historyForm({ oldestBlock, baseFees, gasUsedRatios, rewards }: FeeHistory): EthereumObject {
  return {
    oldestBlock: formatQuantity(oldestBlock),
    baseFeePerGas: baseFees.map(formatQuantity),
    gasUsedRatio: gasUsedRatios.map((ratio) => new JsonNumber(formatFloat(ratio))),
    reward: rewards ? rewards.map((fees) => fees.map(formatQuantity)) : null,
  };
}

/** `defid` refuses fractions, with which Foundry asks for every fee. @throws {Unreadable} */
function parsePercentile(value: JsonValue, isStrict: boolean): number {
  if (!(value instanceof JsonNumber) || (isStrict && !isInteger(value))) throw wrongType(value, 'i64');
  if (isInteger(value) && BigInt(value.text) > MAX_I64) {
    throw new Unreadable(`invalid value: integer \`${value.text}\`, expected i64`);
  }
  return Number(value.text);
}

const MAX_I64 = (1n << 63n) - 1n;
