import type { NetworkParams } from '../../params/network.js';
import { LIVE_SUBSIDY } from '../../params/shared.js';

/**
 * Course of the supply that wallets show: the schedule of mainnet, by which not all development networks pay. Amounts are satoshis.
 * @see docs/protocol/ocean.md 3.3.1
 */
interface SupplySchedule {
  readonly eunos: number;
  readonly atGenesis: bigint;
  /** Burnt by the foundation. */
  readonly burnt: bigint;
}

const MAIN: SupplySchedule = { eunos: 894_000, atGenesis: 59_100_003_000_000_000n, burnt: 26_859_289_307_829_046n };
/** Schedule of every other network, whatever the height of its Eunos. */
const OTHERS: SupplySchedule = { eunos: 354_950, atGenesis: 30_400_004_000_000_000n, burnt: 0n };

const BEFORE_EUNOS = 20_000_000_000n;
const SCALE = 100_000n;

type SupplyParams = Pick<NetworkParams, 'name'>;

function scheduleOf({ name }: SupplyParams): SupplySchedule {
  return name === 'main' ? MAIN : OTHERS;
}

/** Subsidy in each period from Eunos on, until it no longer falls; the last one lasts for ever. */
function* periods(): Generator<bigint, never> {
  let reward = LIVE_SUBSIDY.reducedBase;
  for (;;) {
    yield reward;
    reward -= (reward * LIVE_SUBSIDY.reductionAmount) / SCALE;
  }
}

/** Subsidy of the block at that height, satoshis. */
export function scheduledSubsidy(height: number, params: SupplyParams): bigint {
  const { eunos, atGenesis } = scheduleOf(params);
  if (height === 0) return atGenesis;
  if (height < eunos) return BEFORE_EUNOS;
  const wanted = Math.floor((height - eunos) / LIVE_SUBSIDY.reductionPeriod);
  let period = 0;
  for (const reward of periods()) if (period++ === wanted) return reward;
  throw new Error('there is a subsidy in each period');
}

/** Coins that were created up to that height, without what the foundation burnt, satoshis. @see docs/protocol/ocean.md 3.3.4 */
export function scheduledSupply(height: number, params: SupplyParams): bigint {
  const { eunos, atGenesis, burnt } = scheduleOf(params);
  if (height < eunos) return atGenesis + BEFORE_EUNOS * BigInt(height);
  const { reductionPeriod } = LIVE_SUBSIDY;
  let supply = atGenesis + BEFORE_EUNOS * BigInt(eunos - 1) - burnt;
  let left = height - (eunos - 1);
  for (const reward of periods()) {
    const blocks = Math.min(left, reductionPeriod);
    supply += reward * BigInt(blocks);
    left -= blocks;
    if (left === 0) return supply;
  }
  throw new Error('there is a subsidy in each period');
}
