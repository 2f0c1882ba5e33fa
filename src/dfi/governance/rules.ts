import { isActive } from '../../params/network.js';
import type { Upgrade } from '../../params/upgrades.js';
import { COIN } from '../../primitives/amount.js';
import { leadingUint32 } from '../../util/numbers.js';
import type { GovernanceContext } from '../context/custom-tx.js';
import type { WriteContext } from '../kernel/block-context.js';
import { TxRejected } from '../kernel/rejected.js';
import { hasPool } from '../pools/columns.js';
import type { RewardKind } from '../pools/reward-columns.js';
import { getToken, hasFlag } from '../tokens/columns.js';
import { variables } from './columns.js';
import { type GovernedName, setGovernedNumber } from './governed-columns.js';
import { divideRewards, setDailyReward, setPoolShare } from './reward-shares.js';
import { type PoolShare, type RuleName, type RuleVariable, storedVariable, storeVariable } from './variables.js';

/** Variables that are a single number and have no effect but to set it. */
const NUMBERS = {
  ICX_TAKERFEE_PER_BTC: 'takerFee',
  LOAN_LIQUIDATION_PENALTY: 'liquidationPenalty',
  ORACLE_BLOCK_INTERVAL: 'oracleInterval',
  ORACLE_DEVIATION: 'oracleDeviation',
} as const satisfies Partial<Record<RuleName, GovernedName>>;

const ONE_PERCENT = COIN / 100n;

/** Checks the new value of a variable. @throws {TxRejected} @see docs/protocol/oracles-governance.md 3.4 */
export function checkVariable(context: GovernanceContext, variable: RuleVariable): void {
  const { params, height } = context;
  const isPast = (upgrade: Upgrade) => isActive(params, upgrade, height - 1);
  const requireFortCanning = () => {
    if (!isPast('fortCanning')) throw new TxRejected('Cannot be set before FortCanning');
  };
  switch (variable.name) {
    case 'ICX_TAKERFEE_PER_BTC':
      if (variable.value <= 0n) throw new TxRejected('takerFeePerBTC cannot be 0 or less');
      return;
    case 'LP_DAILY_LOAN_TOKEN_REWARD':
      requireFortCanning();
      throw new TxRejected('Cannot be set manually.');
    case 'LP_DAILY_DFI_REWARD':
      if (isPast('eunos')) throw new TxRejected('Cannot be set manually after Eunos hard fork');
      return;
    case 'LOAN_LIQUIDATION_PENALTY':
      requireFortCanning();
      if (variable.value < ONE_PERCENT) throw new TxRejected('Penalty cannot be less than 0.01 DFI');
      return;
    case 'LP_SPLITS':
      checkShares(context, variable.value);
      return;
    case 'LP_LOAN_TOKEN_SPLITS':
      requireFortCanning();
      checkShares(context, variable.value);
      return;
    case 'ORACLE_BLOCK_INTERVAL':
      requireFortCanning();
      if (variable.value < 1) throw new TxRejected('Block interval cannot be less than 1');
      return;
    case 'ORACLE_DEVIATION':
      requireFortCanning();
      if (variable.value < ONE_PERCENT) throw new TxRejected('Deviation cannot be less than 1 percent');
  }
}

function checkShares({ view }: GovernanceContext, shares: readonly PoolShare[]): void {
  let total = 0n;
  for (const { pool, share } of shares) {
    const token = getToken(view, pool);
    if (!token || !hasFlag(token, 'poolShare')) throw new TxRejected(`pool with id=${pool} not found`);
    if (share < 0n || share > COIN) throw new TxRejected(`wrong percentage for pool with id=${pool}, value = ${share}`);
    total += share;
  }
  if (total !== COIN) throw new TxRejected(`total = ${total} vs expected ${COIN}`);
}

/** Applies the effects of a variable and stores it. @see docs/protocol/oracles-governance.md 3.5 */
export function setVariable(context: WriteContext, variable: RuleVariable): void {
  apply(context, variable);
  storeVariable(context.view, variable);
}

function apply(context: WriteContext, { name, value }: RuleVariable): void {
  const { view } = context;
  switch (name) {
    case 'LP_SPLITS':
      divideRewards(view, 'coinbase', value, context);
      return;
    case 'LP_LOAN_TOKEN_SPLITS':
      divideRewards(view, 'loan', value, context);
      return;
    case 'LP_DAILY_DFI_REWARD':
      setDailyReward(view, 'coinbase', value, context);
      return;
    case 'LP_DAILY_LOAN_TOKEN_REWARD':
      setDailyReward(view, 'loan', value, context);
      return;
    case 'ORACLE_DEVIATION':
      // `defid` stores the deviation for rules in 32 bits, and the variable in 64.
      setGovernedNumber(view, NUMBERS[name], BigInt.asUintN(32, value));
      return;
    default:
      setGovernedNumber(view, NUMBERS[name], BigInt(value));
  }
}

/** Deletes the given keys of a variable that is a list, or the whole variable if it is a number. @throws {TxRejected} */
export function unsetVariable(context: WriteContext, name: RuleName, keys: readonly string[]): void {
  const { view } = context;
  switch (name) {
    case 'LP_SPLITS':
      unsetShares(context, name, 'coinbase', keys);
      return;
    case 'LP_LOAN_TOKEN_SPLITS':
      unsetShares(context, name, 'loan', keys);
      return;
    case 'LP_DAILY_DFI_REWARD':
      setDailyReward(view, 'coinbase', 0n, context);
      break;
    case 'LP_DAILY_LOAN_TOKEN_REWARD':
      setDailyReward(view, 'loan', 0n, context);
      break;
    default:
      setGovernedNumber(view, NUMBERS[name], undefined);
  }
  view.delete(variables, name);
}

function unsetShares(context: WriteContext, name: 'LP_SPLITS' | 'LP_LOAN_TOKEN_SPLITS', kind: RewardKind, keys: readonly string[]): void {
  const { view } = context;
  const stored = storedVariable(view, name);
  let shares = (stored?.value ?? []) as readonly PoolShare[];
  for (const key of keys) {
    const pool = leadingId(key);
    if (!shares.some((share) => share.pool === pool)) throw new TxRejected(`id {${pool}} does not exists`);
    shares = shares.filter((share) => share.pool !== pool);
    if (hasPool(view, pool)) setPoolShare(view, kind, pool, 0n, context);
  }
  storeVariable(view, { name, value: shares });
}

/** Pool id at the start of a text. @throws {TxRejected} */
function leadingId(text: string): number {
  const id = leadingUint32(text);
  if (id === undefined) throw new TxRejected('failed to deserialize DCT_ID: stoul');
  return id;
}
