import { isActive } from '../../params/network.js';
import type { Upgrade } from '../../params/upgrades.js';
import { COIN } from '../../primitives/amount.js';
import type { WritableView } from '../../storage/view.js';
import { TxRejected } from '../rejected.js';
import { variables } from '../state/governance.js';
import { type GovernedName, setGovernedNumber } from '../state/governed.js';
import { getToken, hasFlag } from '../state/tokens.js';
import type { GovernanceContext } from './context.js';
import { type PoolShare, type RuleName, type RuleVariable, storedVariable, storeVariable } from './variables.js';

/** Variables that are one number, and the rules that go by it. */
const NUMBERS = {
  ICX_TAKERFEE_PER_BTC: 'takerFee',
  LP_DAILY_LOAN_TOKEN_REWARD: 'dailyLoanReward',
  LP_DAILY_DFI_REWARD: 'dailyReward',
  LOAN_LIQUIDATION_PENALTY: 'liquidationPenalty',
  ORACLE_BLOCK_INTERVAL: 'oracleInterval',
  ORACLE_DEVIATION: 'oracleDeviation',
} as const satisfies Partial<Record<RuleName, GovernedName>>;

const ONE_PERCENT = COIN / 100n;

/** @throws {TxRejected} @see spec: oracles-governance 3.4 */
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

/** Lets a variable take effect and keeps it. The shares of pools are read from the variable itself. @see spec: oracles-governance 3.5 */
export function setVariable(view: WritableView, variable: RuleVariable): void {
  const { name, value } = variable;
  if (typeof value === 'bigint' || typeof value === 'number')
    setGovernedNumber(view, NUMBERS[name as keyof typeof NUMBERS], numberOf(name, value));
  storeVariable(view, variable);
}

function numberOf(name: RuleName, value: bigint | number): bigint {
  // Rules keep the deviation in 32 bits, the variable in 64.
  return name === 'ORACLE_DEVIATION' ? BigInt.asUintN(32, BigInt(value)) : BigInt(value);
}

/** Takes keys from a list, or the whole of a number. @throws {TxRejected} */
export function unsetVariable(view: WritableView, name: RuleName, keys: readonly string[]): void {
  const stored = storedVariable(view, name);
  if (name !== 'LP_SPLITS' && name !== 'LP_LOAN_TOKEN_SPLITS') {
    setGovernedNumber(view, NUMBERS[name], undefined);
    view.delete(variables, name);
    return;
  }
  let shares = (stored?.value ?? []) as readonly PoolShare[];
  for (const key of keys) {
    const pool = leadingId(key);
    if (!shares.some((share) => share.pool === pool)) throw new TxRejected(`id {${pool}} does not exists`);
    shares = shares.filter((share) => share.pool !== pool);
  }
  storeVariable(view, { name, value: shares });
}

/** @throws {TxRejected} */
function leadingId(text: string): number {
  const digits = /^[ \t\n\v\f\r]*\+?(\d+)/.exec(text)?.[1];
  if (digits === undefined) throw new TxRejected('failed to deserialize DCT_ID: stoul');
  return Number(BigInt.asUintN(32, BigInt(digits)));
}
