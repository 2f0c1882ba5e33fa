import { Reader } from '../api/json.js';
import type { OceanModules } from '../modules.js';
import type { Pool, PoolFigures } from '../shapes/pool.js';
import { Decimal } from './decimal.js';
import { unroundedSubsidy } from './subsidy.js';

const DAYS_PER_YEAR = 365n;
const BLOCKS_PER_YEAR = 2880n * DAYS_PER_YEAR;
/** Share of the block subsidy that pools of loan tokens receive. */
const LOAN_SHARE = Decimal.parse('0.2468');

/** Rewards of all pools at the tip. */
export interface PoolRewards {
  /** DFI a day for all pools with a share of it. */
  readonly dailyDfi: Decimal;
  /** Shares of the loan rewards by pool id. */
  readonly loanShares: ReadonlyMap<string, Decimal>;
  /** DFI a block. */
  readonly subsidy: Decimal;
}

/** Rewards at the tip, read once for each. */
export function poolRewards({ chain, operations, perTip }: Pick<OceanModules, 'chain' | 'operations' | 'perTip'>): Promise<PoolRewards> {
  const variable = async (name: string) => new Reader(await operations.call('getgov', name)).get(name);
  return perTip.get('pool rewards', async () => {
    const shares = (await variable('LP_LOAN_TOKEN_SPLITS')).members();
    return {
      dailyDfi: Decimal.parse((await variable('LP_DAILY_DFI_REWARD')).digits()),
      loanShares: new Map(shares.map(([id, share]) => [id, Decimal.parse(share.digits())])),
      subsidy: unroundedSubsidy(chain.tip.height, chain.params),
    };
  });
}

/** Values from which the yields of a pool follow, USD. */
export interface YieldBasis {
  readonly liquidity: Decimal | undefined;
  readonly usdPerDfi: Decimal | undefined;
  /** Swapped in the last day. */
  readonly volume: Decimal;
}

/** Yearly yields of a pool; undefined if there is no price. @see docs/protocol/ocean.md 3.1.6 */
export function aprOf(pool: Pool, rewards: PoolRewards, { liquidity, usdPerDfi, volume }: YieldBasis): PoolFigures['apr'] {
  if (!liquidity || !usdPerDfi) return undefined;
  if (liquidity.isZero) return { total: 0, reward: 0, commission: 0 };
  const reward = yearlyDfi(pool, rewards).times(usdPerDfi).dividedBy(liquidity);
  const commission = Decimal.ofAmount(pool.commission).times(volume).times(DAYS_PER_YEAR).dividedBy(liquidity);
  return { total: reward.plus(commission).toNumber(), reward: reward.toNumber(), commission: commission.toNumber() };
}

/** Rewards of a pool in a year, DFI. */
function yearlyDfi({ id, answer }: Pool, { dailyDfi, loanShares, subsidy }: PoolRewards): Decimal {
  const custom = customDfi(answer).times(BLOCKS_PER_YEAR);
  const share = Decimal.parse(answer.get('rewardPct').digits()).times(dailyDfi).times(DAYS_PER_YEAR);
  const loan = (loanShares.get(id) ?? Decimal.ZERO).times(LOAN_SHARE).times(subsidy).times(BLOCKS_PER_YEAR);
  return custom.plus(share).plus(loan);
}

/** Custom rewards in DFI for each block. */
function customDfi(answer: Reader): Decimal {
  const given = answer.get('customRewards');
  if (!given.isThere) return Decimal.ZERO;
  return given.list().reduce((sum, reward) => {
    const [amount = '0', token] = reward.text().split('@');
    return token === '0' || token === 'DFI' ? sum.plus(Decimal.parse(amount)) : sum;
  }, Decimal.ZERO);
}
