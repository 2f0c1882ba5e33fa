import { ATTRIBUTES_BEFORE_METACHAIN } from '../../../src/dfi/attributes/eras.js';
import { ATTRIBUTE_TYPES, type ParserName } from '../../../src/dfi/attributes/table.js';
import type { Draw } from './draw.js';

/** A random change of variables of governance, as `setgov` takes it. */
export function governance(d: Draw): object {
  const { governs } = d;
  if (governs && !d.chance(4)) return focused(d, governs);
  // A restart needs live prices, open pools and unlocked tokens, which later changes leave seldom.
  if (d.evm && d.random.below(60) === 0) return { ATTRIBUTES: Object.fromEntries([restart(d)]) };
  const kind = d.random.below(20);
  if (kind === 0) return { ORACLE_DEVIATION: d.pick(['0.05', '0.3', '1']) };
  if (kind === 1) return { LP_SPLITS: splits(d) };
  if (kind === 2) return { LP_LOAN_TOKEN_SPLITS: splits(d) };
  if (kind === 3) return { LOAN_LIQUIDATION_PENALTY: d.pick(['0.01', '0.05', '0.2']) };
  if (kind === 4) return d.pick<object>(RARE_VARIABLES);
  return { ATTRIBUTES: Object.fromEntries(Array.from({ length: d.pick([1, 1, 2, 3]) }, () => attribute(d))) };
}

const RARE_VARIABLES = [
  { ORACLE_BLOCK_INTERVAL: 6 },
  { ORACLE_BLOCK_INTERVAL: 3 },
  { ORACLE_BLOCK_INTERVAL: 0 },
  { LP_DAILY_DFI_REWARD: 100 },
  { LP_DAILY_LOAN_TOKEN_REWARD: 100 },
  { ICX_TAKERFEE_PER_BTC: '0.003' },
  { ORACLE_DEVIATION: '0.05', LOAN_LIQUIDATION_PENALTY: '0.1' },
  { ORACLE_DEVIATION: '0.009' },
  { LOAN_LIQUIDATION_PENALTY: '0.001' },
  { UNKNOWN: '1' },
];

/** A change of what a focus names. */
function focused(d: Draw, governs: RegExp): object {
  if (governs.test('ICX_TAKERFEE_PER_BTC'))
    return { ICX_TAKERFEE_PER_BTC: d.pick(['0', '0.001', '0.001', '0.003', '0.0002', '0.00000001', '0.5']) };
  const attributes = Array.from({ length: 400 }, () => attribute(d)).filter(([name]) => governs.test(name));
  return { ATTRIBUTES: Object.fromEntries(attributes.slice(0, d.pick([1, 1, 2, 3]))) };
}

/** Names of a variable of governance whose values are removed, as `unsetgov` takes them. */
export function governanceToUnset(d: Draw): object {
  return d.pick<object>([
    { ATTRIBUTES: Array.from({ length: d.pick([1, 2]) }, () => attribute(d)[0]) },
    { ORACLE_DEVIATION: '' },
    { LP_SPLITS: [d.idOf(d.pick(d.values.pools))] },
  ]);
}

function splits(d: Draw): object {
  const pools = d.values.pools.filter(() => d.chance(60));
  return Object.fromEntries(pools.map((pool, i) => [d.idOf(pool), i === pools.length - 1 ? 1 - (pools.length - 1) * 0.125 : 0.125]));
}

/** Percent per year. In a few blocks such interest exceeds the loan. */
const EXTREME_INTEREST = ['-9999999999', '-4000000', '-50000', '20000', '700000', '9999999999'];

type Attribute = readonly [name: string, value: string | readonly string[] | object];

function attribute(d: Draw): Attribute {
  const token = d.token();
  const id = d.idOf(token);
  const loanToken = d.idOf(d.pick(d.values.loanTokens));
  const pool = d.idOf(d.pick(d.values.pools));
  const flag = d.chance(85) ? 'true' : 'false';
  const choices: readonly Attribute[] = [
    [`v0/token/${loanToken}/payback_dfi`, flag],
    [`v0/token/${loanToken}/payback_dfi_fee_pct`, d.percent()],
    [`v0/token/${loanToken}/loan_payback/${id}`, flag],
    [`v0/token/${loanToken}/loan_payback_fee_pct/${id}`, d.percent()],
    [`v0/token/${loanToken}/loan_payback_collateral`, flag],
    [`v0/token/${loanToken}/loan_minting_interest`, d.pick(['-5', '-1', '0', '3', '50', ...(d.governs ? EXTREME_INTEREST : [])])],
    [`v0/token/${loanToken}/loan_minting_enabled`, flag],
    [`v0/token/${id}/dex_in_fee_pct`, d.percent()],
    [`v0/token/${id}/dex_out_fee_pct`, d.percent()],
    [`v0/poolpairs/${pool}/token_a_fee_pct`, d.percent()],
    [`v0/poolpairs/${pool}/token_b_fee_pct`, d.percent()],
    [`v0/poolpairs/${pool}/token_a_fee_direction`, d.pick(['in', 'out', 'both'])],
    [`v0/poolpairs/${pool}/token_b_fee_direction`, d.pick(['in', 'out', 'both'])],
    [`v0/token/${id}/loan_collateral_enabled`, flag],
    [`v0/token/${id}/loan_collateral_factor`, d.pick(['0', '0.5', '1', '1.3'])],
    [`v0/token/${id}/fixed_interval_price_id`, `${token}/USD`],
    ['v0/params/dfip2203/active', flag],
    ['v0/params/dfip2203/reward_pct', d.pick(['0', '0.05', '0.3'])],
    ['v0/params/dfip2203/block_period', d.governs ? d.pick(['2', '3', '5']) : d.pick(['10', '20'])],
    ['v0/params/dfip2203/fee_pct', d.pick(['0.1', '0.5'])],
    ['v0/params/dfip2203/start_block', String(d.values.height + 5)],
    [`v0/token/${loanToken}/dfip2203`, flag],
    ['v0/params/dfip2206a/dusd_interest_burn', flag],
    ['v0/params/dfip2206a/dusd_loan_burn', flag],
    ['v0/params/dfip2206f/active', flag],
    ['v0/params/dfip2206f/reward_pct', d.pick(['0', '0.05'])],
    ['v0/params/dfip2206f/block_period', '10'],
    ['v0/params/dfip2206f/fee_pct', '0.1'],
    ['v0/params/dfip2206f/start_block', String(d.values.height + 4)],
    [`v0/locks/token/${loanToken}`, d.chance(10) ? 'true' : 'false'],
    [`v0/oracles/splits/${d.values.height + 2 + d.random.below(5)}`, `${loanToken}/${d.pick(['2', '-2', '3', '-5'])}`],
    [`v0/consortium/${id}/members`, members(d)],
    [`v0/consortium/${id}/mint_limit`, d.pick(['1000', '120', '-1'])],
    [`v0/consortium/${id}/mint_limit_daily`, d.pick(['100', '15', '-1'])],
    ['v0/params/feature/consortium', flag],
    ['v0/params/feature/gov-payout', flag],
    ['v0/params/feature/gov', flag],
    ['v0/params/feature/mint-tokens-to-address', flag],
    ['v0/params/feature/gov-unset', flag],
    ['v0/params/feature/mn-setowneraddress', flag],
    ['v0/params/feature/mn-setoperatoraddress', flag],
    ['v0/params/feature/mn-setrewardaddress', flag],
    ['v0/params/feature/emission-unused-fund', flag],
    ['v0/params/dfip2201/active', flag],
    ['v0/params/dfip2201/premium', d.percent()],
    ['v0/params/dfip2201/minswap', d.pick(['0.001', '1'])],
    ['v0/gov/proposals/fee_redistribution', flag],
    ['v0/gov/proposals/voting_period', d.pick(['3', '5', '5', '7', '20', '100'])],
    ['v0/gov/proposals/cfp_fee', d.pick(['0.1', '0.000001'])],
    ['v0/gov/proposals/quorum', d.percent()],
  ];
  if (d.chance(20)) return anyAttribute(d);
  return d.pick(d.evm ? [...choices, ...laterAttributes(d, flag)] : choices);
}

/** Attributes that would end the run: the founder could no longer govern, or nothing of the EVM be done. */
const FINAL = /members|foundation|feature\/(evm|transferdomain)|transferdomain\/[a-z-]+\/enabled|dtoken_restart/;

/** An attribute of any row of the table, with a value that its parser may read or refuse. */
function anyAttribute(d: Draw): Attribute {
  for (;;) {
    const { name, groups, any } = d.pick(d.evm ? ATTRIBUTE_TYPES : ATTRIBUTES_BEFORE_METACHAIN);
    const group = any ?? d.pick(groups ?? []);
    if (!group) continue;
    const second = any ? d.idOf(d.token()) : group.name;
    const [key, row] = d.pick([...(group.keys ?? []), ...(group.numbered ? [[String(d.values.height + 3), group.numbered] as const] : [])]);
    const path = `v${d.chance(97) ? 0 : 1}/${name}/${second}/${key}${row.check === 'payback' ? `/${d.idOf(d.token())}` : ''}`;
    if (!FINAL.test(path)) return [path, valueFor(d, row.parser)];
  }
}

const TEXTS = [
  '',
  'x',
  '-1',
  '0',
  '1',
  '0.5',
  '1.00000001',
  '100',
  '4294967295',
  '4294967296',
  '0.123456789',
  'true',
  ' 1',
  '1e3',
  '92233720368',
];

function valueFor(d: Draw, parser: ParserName | undefined): string {
  if (d.chance(25)) return d.pick(TEXTS);
  if (parser === 'bool') return d.pick(['true', 'false', 'True', '1']);
  if (parser === 'percent' || parser === 'float' || parser === 'positiveFloat') return d.percent();
  if (parser === 'pair') return d.pick([`${d.token()}/USD`, 'DFI/EUR', '/USD', 'USD/', 'toolongtoken/USD']);
  if (parser === 'direction') return d.pick(['in', 'out', 'both', 'none']);
  if (parser === 'split' || parser === 'wholeSplit')
    return `${d.idOf(d.token())}/${d.pick(['2', '-2', '0', '1', '-1', '1.5'])},${d.idOf(d.token())}/2`;
  return d.pick(TEXTS);
}

/** Members of a consortium, some with one address or not active. */
function members(d: Draw): object {
  return Object.fromEntries(
    ['01', '02', '03'].slice(0, d.pick([1, 2, 3])).map((id) => [
      id,
      {
        name: `m${id}`,
        ownerAddress: d.address(),
        backingId: 'b',
        mintLimit: d.pick(['100.00000000', '50.00000000']),
        mintLimitDaily: d.pick(['10.00000000', '5.00000000']),
        ...(d.chance(30) ? { status: d.random.below(2) } : {}),
      },
    ]),
  );
}

/** A restart of all loan tokens in a few blocks. */
function restart(d: Draw): Attribute {
  return [`v0/params/dtoken_restart/${d.values.height + 3}`, d.pick(['0.9', '0.5', '0.999'])];
}

/** Attributes that 4.2.5 adds. Some stop the EVM or all loan tokens, so that these are drawn seldom. */
function laterAttributes(d: Draw, flag: string): readonly Attribute[] {
  const way = d.pick(['dvm-evm', 'evm-dvm']);
  const { height } = d.values;
  const seldom: readonly Attribute[] = [
    ['v0/params/feature/evm', flag],
    ['v0/params/feature/transferdomain', flag],
    [`v0/transferdomain/${way}/enabled`, flag],
    restart(d),
  ];
  return [
    ...(d.chance(20) ? seldom : []),
    ['v0/params/feature/icx', flag],
    ['v0/evm/block/gas_limit', d.pick(['30000000', '3000000', '400000'])],
    ['v0/evm/block/gas_target_factor', d.pick(['1', '2', '4'])],
    ['v0/evm/block/rbf_increment_fee_pct', d.pick(['0', '0.1', '0.5'])],
    ['v0/evm/block/finality_count', d.pick(['0', '5'])],
    [`v0/transferdomain/${way}/native-enabled`, flag],
    [`v0/transferdomain/${way}/dat-enabled`, flag],
    [`v0/transferdomain/${way}/src-formats`, way === 'dvm-evm' ? d.pick([['bech32'], ['p2pkh'], ['bech32', 'p2pkh']]) : ['erc55']],
    ['v0/transferdomain/dvm-evm/disallowed', d.pick([[], [d.idOf(d.token())]])],
    ['v0/transferdomain/evm-dvm/auth-formats', d.pick([['bech32-erc55'], ['p2pkh-erc55'], ['bech32-erc55', 'p2pkh-erc55']])],
    ['v0/oracles/splits/fractional_enabled', flag],
    [`v0/oracles/splits/${height + 3}`, `${d.idOf(d.pick(d.values.loanTokens))}/${d.pick(['1.5', '-1.25'])}`],
    ['v0/params/dfip2211f/active', flag],
    ['v0/params/dfip2211f/block_period', d.pick(['2', '5', '6', '10', '0'])],
    // A period below that of the samples, or one without any, is refused.
    ['v0/params/dfip2211f/liquidity_calc_sampling_period', d.pick(['1', '1', '1', '2', '3', '7', '0'])],
    ['v0/params/dfip2211f/average_liquidity_percentage', d.pick(['0.1', '0.5', '0', '1', '0.00000001'])],
    ['v0/rules/tx/evm_op_return_max_size_bytes', d.pick(['65536', '200'])],
  ];
}
