import { RULE_NAMES, type RuleName, UPGRADES, type Upgrade } from '../../params/upgrades.js';
import { letter } from './key.js';
import { type AttributeValue, FORMATS } from './value.js';

/** Parser of the JSON value. */
export type ParserName =
  | 'bool'
  | 'percent'
  | 'float'
  | 'positiveFloat'
  | 'limit'
  | 'integer'
  | 'positiveInteger'
  | 'u32'
  | 'u64'
  | 'u64NonZero'
  | 'pair'
  | 'direction'
  | 'split'
  | 'wholeSplit'
  | 'members'
  | 'someMembers'
  | 'consortiumMembers'
  | 'formats'
  | 'authFormats'
  | 'texts';

/** Check of an attribute against the state, such as the existence of its token. */
export type CheckName =
  | 'loanToken'
  | 'payback'
  | 'token'
  | 'priced'
  | 'factor'
  | 'interest'
  | 'pool'
  | 'split'
  | 'lock'
  | 'assets'
  | 'period'
  | 'consortiumMembers'
  | 'restart';

/** Effect of an attribute on the rest of the state when it is applied. */
export type EffectName =
  | 'dfip2203Switch'
  | 'dfip2203Schedule'
  | 'dfip2206fSwitch'
  | 'dfip2206fSchedule'
  | 'swapLimitSwitch'
  | 'splitLock'
  | 'dexFee'
  | 'tokenFutures'
  | 'fixedPrice'
  | 'factorLimit'
  | 'loanInterest';

/** Upgrade from which an attribute can be set, and the error text before. */
export interface AttributeGate {
  readonly upgrade: Upgrade;
  readonly refusal: string;
}

/** Properties that few attributes have. */
interface RowOptions {
  readonly check?: CheckName;
  readonly effect?: EffectName;
  /** Kind of future swap whose period or start block it is. */
  readonly schedules?: 'dfip2203' | 'dfip2206f';
  /** Value that `listgovs` shows, and rules use, while the attribute is unset. */
  readonly byDefault?: AttributeValue;
  /** True for keys that `defid` added with Metachain without a gate of that upgrade. */
  readonly isSinceMetachain?: boolean;
}

/** Attribute of a group. */
export interface AttributeRow extends RowOptions {
  readonly code: number;
  /** Undefined: the attribute has a path but no transaction can set it. */
  readonly parser: ParserName | undefined;
  readonly gates: readonly AttributeGate[];
}

/** Third part of a path: a named group of attributes, or those of any token or pool. */
export interface AttributeGroup {
  readonly name: string;
  readonly code: number;
  /** Rows by the last part of the path. Undefined if all keys of the group are numbers. */
  readonly keys: ReadonlyMap<string, AttributeRow> | undefined;
  /** Row for keys that are numbers, such as heights and token ids. */
  readonly numbered: AttributeRow | undefined;
  /** True before Metachain for groups of numbers in which `defid` accepts any text, for which it sets nothing. */
  readonly acceptsTexts?: boolean;
  /** Names, by code, of attributes that only the state machine writes: used in listings, not accepted in paths. */
  readonly written: ReadonlyMap<number, string>;
  /** Error text for a key that belongs to another group. */
  readonly misplaced: (key: number) => string;
}

/** Second part of a path. */
export interface AttributeType {
  readonly name: string;
  readonly code: number;
  /** Word for the id in error texts. */
  readonly word: string;
  /** Groups by name. Undefined if the id is that of a token or pool; then `any` has the keys. */
  readonly groups: readonly AttributeGroup[] | undefined;
  /** Keys that every token or pool can have. */
  readonly any: AttributeGroup | undefined;
}

/** Upgrade that an attribute requires, as `defid` names it in the error text. */
type GateName = RuleName | `${RuleName}Height`;

type Row = readonly [
  code: string,
  name: string,
  parser: ParserName | undefined,
  gates: GateName | readonly GateName[],
  options?: RowOptions,
];

function toRow([code, , parser, gates, options]: Row): AttributeRow {
  return { ...options, code: letter(code), parser, gates: [gates].flat().map(toGate) };
}

function toGate(name: GateName): AttributeGate {
  const upgrade = UPGRADES.find((each) => name === RULE_NAMES[each] || name === `${RULE_NAMES[each]}Height`);
  if (!upgrade) throw new Error(`no upgrade has the name ${name}`);
  return { upgrade, refusal: `Cannot be set before ${name}` };
}

const ON: AttributeValue = { kind: 'bool', value: true };
const OFF: AttributeValue = { kind: 'bool', value: false };

function u64(value: bigint): AttributeValue {
  return { kind: 'u64', value };
}

function formats(...names: readonly string[]): AttributeValue {
  return { kind: 'formats', value: names.map((name) => FORMATS.get(name) ?? 0) };
}

/** @param misplaced text in which `##` stands for the key, and `#` for its lowest byte, which is all that `defid` names there */
function group(code: string, name: string, misplaced: string, rows: readonly Row[], numbered?: Row): AttributeGroup {
  return {
    name,
    code: letter(code),
    keys: rows.length > 0 ? new Map(rows.map((row) => [row[1], toRow(row)])) : undefined,
    numbered: numbered && toRow(numbered),
    written: new Map(),
    misplaced: (key) => misplaced.replace('##', `${key}`).replace('#', `${key & 0xff}`),
  };
}

function namedType(code: string, name: string, word: string, groups: readonly AttributeGroup[]): AttributeType {
  return { name, code: letter(code), word, groups, any: undefined };
}

function numberedType(
  code: string,
  name: string,
  rows: readonly Row[],
  written: readonly [code: string, name: string][] = [],
): AttributeType {
  const any = { ...group('\0', '', '', rows), written: new Map(written.map(([key, text]) => [letter(key), text])) };
  return { name, code: letter(code), word: name, groups: undefined, any };
}

const DFIP = 'Unsupported type for this DFIP {##}';
const SECOND_DFIP = 'Unsupported type for DFIP2206A {#}';
const FOUNDATION = 'Unsupported type for Foundation {#}';
const TRANSFER = 'Unsupported key for Transfer Domain {#}';
const VAULTS = 'Unsupported key for Vaults {#}';

/** Key of `oracles/splits` that is a name; all others are heights. It permits fractional multipliers. */
export const FRACTIONAL_ENABLED = 'fractional_enabled';

/** Types of attributes, ascending by code. */
export type AttributeTable = readonly AttributeType[];

/**
 * All attributes of any height that have a path, one to a row: byte, name, parser, gates and, where it has them, check, effect and default.
 * @see docs/protocol/oracles-governance.md 4.7
 */
export const ATTRIBUTE_TYPES: AttributeTable = [
  namedType('L', 'locks', 'locks', [group('c', 'token', '', [], ['\0', '', 'bool', 'FortCanningCrunch', { check: 'lock' }])]),
  namedType('a', 'params', 'param', [
    group('a', 'dfip2201', 'Unsupported type for DFIP2201 {##}', [
      ['a', 'active', 'bool', 'FortCanningHill'],
      ['b', 'premium', 'percent', 'FortCanningHill'],
      ['c', 'minswap', 'positiveFloat', 'FortCanningHill'],
    ]),
    group('b', 'dfip2203', DFIP, [
      ['a', 'active', 'bool', 'FortCanningRoad', { effect: 'dfip2203Switch' }],
      ['d', 'reward_pct', 'percent', 'FortCanningRoad'],
      ['e', 'block_period', 'positiveInteger', 'FortCanningRoad', { schedules: 'dfip2203', effect: 'dfip2203Schedule' }],
      [
        'i',
        'start_block',
        'integer',
        ['FortCanningRoad', 'FortCanningSpringHeight'],
        { schedules: 'dfip2203', effect: 'dfip2203Schedule' },
      ],
    ]),
    group('f', 'dfip2206a', SECOND_DFIP, [
      ['g', 'dusd_interest_burn', 'bool', 'FortCanningSpringHeight'],
      ['h', 'dusd_loan_burn', 'bool', 'FortCanningSpringHeight'],
    ]),
    group('g', 'dfip2206f', DFIP, [
      ['a', 'active', 'bool', 'FortCanningSpringHeight', { effect: 'dfip2206fSwitch' }],
      ['d', 'reward_pct', 'percent', 'FortCanningSpringHeight'],
      ['e', 'block_period', 'positiveInteger', 'FortCanningSpringHeight', { schedules: 'dfip2206f', effect: 'dfip2206fSchedule' }],
      // In contrast to DFIP2203, `defid` checks a change of the start block only if a period is set.
      ['i', 'start_block', 'integer', 'FortCanningSpringHeight', { schedules: 'dfip2206f' }],
    ]),
    group('h', 'feature', 'Unsupported type for Feature {#}', [
      ['A', 'ascending_block_time', 'bool', ['GrandCentralHeight', 'DF24Height']],
      ['C', 'governance', 'bool', ['GrandCentralHeight', 'DF24Height']],
      ['j', 'gov-unset', 'bool', 'GrandCentralHeight'],
      ['k', 'gov-foundation', 'bool', 'GrandCentralHeight'],
      ['l', 'mn-setrewardaddress', 'bool', 'GrandCentralHeight'],
      ['m', 'mn-setoperatoraddress', 'bool', 'GrandCentralHeight'],
      ['n', 'mn-setowneraddress', 'bool', 'GrandCentralHeight'],
      ['o', 'consortium', 'bool', 'GrandCentralHeight'],
      ['q', 'gov', 'bool', 'GrandCentralHeight'],
      ['r', 'gov-payout', 'bool', 'GrandCentralHeight'],
      ['s', 'emission-unused-fund', 'bool', 'GrandCentralHeight'],
      ['t', 'mint-tokens-to-address', 'bool', ['GrandCentralHeight', 'GrandCentralEpilogueHeight']],
      ['u', 'evm', 'bool', ['GrandCentralHeight', 'MetachainHeight']],
      ['v', 'icx', 'bool', 'GrandCentralHeight', { isSinceMetachain: true }],
      ['w', 'transferdomain', 'bool', ['GrandCentralHeight', 'MetachainHeight']],
    ]),
    group('j', 'foundation', FOUNDATION, [
      ['B', 'govheight_min_blocks', 'u64NonZero', 'GrandCentralHeight', { isSinceMetachain: true }],
      ['p', 'members', 'members', 'GrandCentralHeight'],
    ]),
    group('k', 'dfip2211f', SECOND_DFIP, [
      ['a', 'active', 'bool', 'DF23Height', { effect: 'swapLimitSwitch' }],
      ['e', 'block_period', 'positiveInteger', 'DF23Height', { check: 'period' }],
      ['x', 'liquidity_calc_sampling_period', 'positiveInteger', 'DF23Height'],
      ['y', 'average_liquidity_percentage', 'percent', 'DF23Height'],
    ]),
    group('l', 'governance', FOUNDATION, [
      ['B', 'govheight_min_blocks', 'u64NonZero', 'DF24Height'],
      ['p', 'members', 'members', 'DF24Height'],
    ]),
    group('m', 'dtoken_restart', '', [], ['\0', '', 'percent', 'DF24Height', { check: 'restart' }]),
  ]),
  namedType('b', 'transferdomain', 'transferdomain', [
    group('a', 'dvm-evm', TRANSFER, [
      ['a', 'enabled', 'bool', 'Metachain', { byDefault: ON }],
      ['b', 'src-formats', 'formats', 'Metachain', { byDefault: formats('bech32', 'p2pkh') }],
      ['c', 'dest-formats', 'formats', 'Metachain', { byDefault: formats('erc55') }],
      ['e', 'native-enabled', 'bool', 'Metachain', { byDefault: ON }],
      ['f', 'dat-enabled', 'bool', 'Metachain', { byDefault: OFF }],
      ['g', 'disallowed', 'texts', 'Metachain', { check: 'assets' }],
    ]),
    group('b', 'evm-dvm', TRANSFER, [
      ['a', 'enabled', 'bool', 'Metachain', { byDefault: ON }],
      ['b', 'src-formats', 'formats', 'Metachain', { byDefault: formats('erc55') }],
      ['c', 'dest-formats', 'formats', 'Metachain', { byDefault: formats('bech32', 'p2pkh') }],
      ['d', 'auth-formats', 'authFormats', 'Metachain', { byDefault: formats('bech32-erc55', 'p2pkh-erc55') }],
      ['e', 'native-enabled', 'bool', 'Metachain', { byDefault: ON }],
      ['f', 'dat-enabled', 'bool', 'Metachain', { byDefault: OFF }],
      ['g', 'disallowed', undefined, 'Metachain', { check: 'assets' }],
    ]),
  ]),
  numberedType('c', 'consortium', [
    ['a', 'members', 'consortiumMembers', 'GrandCentral', { check: 'consortiumMembers' }],
    ['b', 'mint_limit', 'limit', 'GrandCentral', { check: 'token' }],
    ['c', 'mint_limit_daily', 'limit', 'GrandCentral', { check: 'token' }],
  ]),
  namedType('e', 'evm', 'evm', [
    group('a', 'block', 'Unsupported key for EVMType {#}', [
      ['a', 'finality_count', 'u64', 'Metachain'],
      ['b', 'gas_limit', 'u64', 'Metachain'],
      ['c', 'gas_target_factor', 'u64NonZero', 'Metachain'],
      ['d', 'rbf_increment_fee_pct', 'percent', 'Metachain'],
    ]),
  ]),
  namedType('g', 'gov', 'governance', [
    group('b', 'proposals', 'Unsupported key for Governance Proposal section - {#}', [
      ['a', 'fee_redistribution', 'bool', 'GrandCentral'],
      ['b', 'fee_burn_pct', 'percent', 'GrandCentral'],
      ['d', 'cfp_fee', 'percent', 'GrandCentral'],
      ['e', 'cfp_approval_threshold', 'percent', 'GrandCentral'],
      ['f', 'voc_fee', 'positiveFloat', 'GrandCentral'],
      ['g', 'voc_emergency_fee', 'positiveFloat', 'GrandCentral'],
      ['h', 'voc_emergency_period', 'u32', 'GrandCentral'],
      ['i', 'voc_approval_threshold', 'percent', 'GrandCentral'],
      ['j', 'quorum', 'percent', 'GrandCentral'],
      ['k', 'voting_period', 'u32', 'GrandCentral'],
      ['l', 'voc_emergency_quorum', 'percent', 'GrandCentral'],
      ['m', 'cfp_max_cycles', 'u32', 'GrandCentral'],
    ]),
  ]),
  namedType('o', 'oracles', 'oracles', [
    group(
      'a',
      'splits',
      '',
      [['\0', FRACTIONAL_ENABLED, 'bool', ['FortCanningCrunch', 'DF23Height']]],
      ['\0', '', 'split', 'FortCanningCrunch', { check: 'split', effect: 'splitLock' }],
    ),
  ]),
  numberedType('p', 'poolpairs', [
    ['a', 'token_a_fee_pct', 'percent', 'FortCanningHill', { check: 'pool', effect: 'dexFee' }],
    ['b', 'token_b_fee_pct', 'percent', 'FortCanningHill', { check: 'pool', effect: 'dexFee' }],
    ['c', 'token_a_fee_direction', 'direction', 'FortCanningSpringHeight', { check: 'pool' }],
    ['d', 'token_b_fee_direction', 'direction', 'FortCanningSpringHeight', { check: 'pool' }],
  ]),
  namedType('r', 'rules', 'rules', [
    group('a', 'tx', 'Unsupported key for Rules {#}', [
      ['a', 'core_op_return_max_size_bytes', 'u64', 'Metachain', { byDefault: u64(1024n) }],
      ['b', 'dvm_op_return_max_size_bytes', 'u64', 'Metachain', { byDefault: u64(4096n) }],
      ['c', 'evm_op_return_max_size_bytes', 'u64', 'Metachain', { byDefault: u64(65_536n) }],
    ]),
  ]),
  numberedType(
    't',
    'token',
    [
      ['a', 'payback_dfi', 'bool', 'FortCanningHill', { check: 'loanToken' }],
      ['b', 'payback_dfi_fee_pct', 'percent', 'FortCanningHill', { check: 'loanToken' }],
      ['c', 'loan_payback', 'bool', 'FortCanningRoad', { check: 'payback' }],
      ['d', 'loan_payback_fee_pct', 'percent', 'FortCanningRoad', { check: 'payback' }],
      ['e', 'dex_in_fee_pct', 'percent', 'FortCanningRoad', { check: 'token', effect: 'dexFee' }],
      ['f', 'dex_out_fee_pct', 'percent', 'FortCanningRoad', { check: 'token', effect: 'dexFee' }],
      ['g', 'dfip2203', 'bool', 'FortCanningRoad', { check: 'loanToken', effect: 'tokenFutures' }],
      ['h', 'fixed_interval_price_id', 'pair', 'FortCanningCrunch', { check: 'token', effect: 'fixedPrice' }],
      ['i', 'loan_collateral_enabled', 'bool', 'FortCanningCrunch', { check: 'priced' }],
      ['j', 'loan_collateral_factor', 'positiveFloat', 'FortCanningCrunch', { check: 'factor', effect: 'factorLimit' }],
      ['k', 'loan_minting_enabled', 'bool', 'FortCanningCrunch', { check: 'priced' }],
      ['l', 'loan_minting_interest', 'float', 'FortCanningCrunch', { check: 'interest', effect: 'loanInterest' }],
      ['p', 'loan_payback_collateral', 'bool', 'FortCanningEpilogue', { check: 'loanToken' }],
    ],
    [
      ['m', 'ascendant'],
      ['n', 'descendant'],
      ['o', 'epitaph'],
    ],
  ),
  namedType('v', 'vaults', 'vaults', [
    group('a', 'dusd-vault', VAULTS, [['w', 'enabled', 'bool', 'Metachain']]),
    group('b', 'params', VAULTS, [['a', 'creation_fee', 'positiveFloat', 'DF23Height']]),
  ]),
];

/**
 * Live attributes: totals that the state machine keeps for display.
 * @see docs/protocol/oracles-governance.md 4.9
 */
export const LIVE_TYPE = { name: 'live', code: letter('l') } as const;
/** Groups of live attributes, ascending by code, with the names of their keys by code. */
export const LIVE_GROUPS: readonly { readonly name: string; readonly code: number; readonly keys: ReadonlyMap<number, string> }[] = [
  {
    name: 'economy',
    code: letter('e'),
    keys: new Map(
      Object.entries({
        a: 'dfi_payback_tokens',
        c: 'dfip2203_current',
        d: 'dfip2203_burned',
        e: 'dfip2203_minted',
        f: 'dfip2206f_current',
        g: 'dfip2206f_burned',
        h: 'dfip2206f_minted',
        i: 'dex',
        j: 'negative_interest',
        k: 'negative_interest_current',
        l: 'consortium',
        m: 'consortium_members',
        p: 'dfi_payback_tokens_principal',
        q: 'loans',
        r: 'transferdomain',
        s: 'evm',
        t: 'token_lock_ratio',
        u: 'locked_tokens',
      }).map(([code, name]) => [letter(code), name]),
    ),
  },
  {
    name: 'auction',
    code: letter('i'),
    keys: new Map([
      [letter('n'), 'batch_rounding_excess'],
      [letter('o'), 'consolidated_interest'],
    ]),
  },
];
