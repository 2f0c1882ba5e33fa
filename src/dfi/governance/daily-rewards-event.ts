import { blockSubsidy } from '../../consensus/subsidy.js';
import { isActive, type NetworkParams } from '../../params/network.js';
import type { BlockEvent } from '../context/block-event.js';
import { setVariable } from './rules.js';
import { type RuleVariable, storedVariable } from './variables.js';

/** Adjusts the daily rewards of pools to the block subsidy. @see docs/protocol/oracles-governance.md 3.5 */
export const dailyRewards: BlockEvent = {
  name: 'daily rewards',
  isDue: () => true,
  run(context) {
    const { view, height, params } = context;
    const { incentive, loan } = params.subsidy.shares;
    const daily: RuleVariable[] = [];
    if (isActive(params, 'eunos', height)) {
      daily.push({ name: 'LP_DAILY_DFI_REWARD', value: dailyShare(incentive, height, params) });
    }
    if (isActive(params, 'fortCanning', height)) {
      daily.push({ name: 'LP_DAILY_LOAN_TOKEN_REWARD', value: dailyShare(loan, height, params) });
    }
    for (const variable of daily) if (storedVariable(view, variable.name)?.value !== variable.value) setVariable(context, variable);
  },
};

/** Sum of the subsidy shares. */
const ALL_SHARES = 10_000n;

/** Satoshis per day of a share, rounded down per block. */
function dailyShare(share: bigint, height: number, params: NetworkParams): bigint {
  return ((blockSubsidy(height, params) * share) / ALL_SHARES) * BigInt(params.blocksPerDay);
}
