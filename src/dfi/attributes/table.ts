import type { Upgrade } from '../../params/upgrades.js';
import { letter } from './key.js';

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
  | 'consortiumMembers';

/** Upgrades that attributes require, with their name in the error text of `defid`. */
const GATES = {
  A: ['fortCanningHill', 'FortCanningHill'],
  B: ['fortCanningRoad', 'FortCanningRoad'],
  C: ['fortCanningCrunch', 'FortCanningCrunch'],
  D: ['fortCanningSpring', 'FortCanningSpringHeight'],
  E: ['fortCanningEpilogue', 'FortCanningEpilogue'],
  F: ['grandCentral', 'GrandCentralHeight'],
  G: ['grandCentralEpilogue', 'GrandCentralEpilogueHeight'],
  H: ['grandCentral', 'GrandCentral'],
  I: ['metachain', 'MetachainHeight'],
  J: ['metachain', 'Metachain'],
  K: ['df23', 'DF23Height'],
  L: ['df24', 'DF24Height'],
} as const satisfies Record<string, readonly [Upgrade, string]>;

/** Upgrade from which an attribute can be set, and the error text before. */
export interface AttributeGate {
  readonly upgrade: Upgrade;
  readonly refusal: string;
}

/** Attribute of a group. */
export interface AttributeRow {
  readonly code: number;
  /** Undefined: the attribute has a path but no transaction can set it. */
  readonly parser: ParserName | undefined;
  readonly gates: readonly AttributeGate[];
  readonly check: CheckName | undefined;
}

/** Third part of a path: a named group of attributes, or those of any token or pool. */
export interface AttributeGroup {
  readonly name: string;
  readonly code: number;
  /** Rows by the last part of the path. Undefined if all keys of the group are numbers. */
  readonly keys: ReadonlyMap<string, AttributeRow> | undefined;
  /** Row for keys that are numbers, such as heights and token ids. */
  readonly numbered: AttributeRow | undefined;
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

type Row = readonly [code: string, name: string, parser: ParserName | undefined, gates: string, check?: CheckName];

function toRow([code, , parser, gates, check]: Row): AttributeRow {
  const found = [...gates].map((gate) => GATES[gate as keyof typeof GATES]);
  return {
    code: letter(code),
    parser,
    gates: found.map(([upgrade, name]) => ({ upgrade, refusal: `Cannot be set before ${name}` })),
    check,
  };
}

function group(code: string, name: string, misplaced: string, rows: readonly Row[], numbered?: Row): AttributeGroup {
  return {
    name,
    code: letter(code),
    keys: rows.length > 0 ? new Map(rows.map((row) => [row[1], toRow(row)])) : undefined,
    numbered: numbered && toRow(numbered),
    written: new Map(),
    misplaced: (key) => misplaced.replace('#', `${key}`),
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

const DFIP = 'Unsupported type for this DFIP {#}';
const SECOND_DFIP = 'Unsupported type for DFIP2206A {#}';
const FOUNDATION = 'Unsupported type for Foundation {#}';
const TRANSFER = 'Unsupported key for Transfer Domain {#}';
const VAULTS = 'Unsupported key for Vaults {#}';

/** Key of every height of `oracles/splits` that is none: the switch beside them. */
export const FRACTIONAL_ENABLED = 'fractional_enabled';

/** Types of attributes, ascending by code. */
export type AttributeTable = readonly AttributeType[];

/** All attributes of any height that have a path. @see docs/protocol/oracles-governance.md 4.7 */
export const ATTRIBUTE_TYPES: AttributeTable = [
  namedType('L', 'locks', 'locks', [group('c', 'token', '', [], ['\0', '', 'bool', 'C', 'lock'])]),
  namedType('a', 'params', 'param', [
    group('a', 'dfip2201', 'Unsupported type for DFIP2201 {#}', [
      ['a', 'active', 'bool', 'A'],
      ['b', 'premium', 'percent', 'A'],
      ['c', 'minswap', 'positiveFloat', 'A'],
    ]),
    group('b', 'dfip2203', DFIP, [
      ['a', 'active', 'bool', 'B'],
      ['d', 'reward_pct', 'percent', 'B'],
      ['e', 'block_period', 'positiveInteger', 'B'],
      ['i', 'start_block', 'integer', 'BD'],
    ]),
    group('f', 'dfip2206a', SECOND_DFIP, [
      ['g', 'dusd_interest_burn', 'bool', 'D'],
      ['h', 'dusd_loan_burn', 'bool', 'D'],
    ]),
    group('g', 'dfip2206f', DFIP, [
      ['a', 'active', 'bool', 'D'],
      ['d', 'reward_pct', 'percent', 'D'],
      ['e', 'block_period', 'positiveInteger', 'D'],
      ['i', 'start_block', 'integer', 'D'],
    ]),
    group('h', 'feature', 'Unsupported type for Feature {#}', [
      ['A', 'ascending_block_time', 'bool', 'FL'],
      ['C', 'governance', 'bool', 'FL'],
      ['j', 'gov-unset', 'bool', 'F'],
      ['k', 'gov-foundation', 'bool', 'F'],
      ['l', 'mn-setrewardaddress', 'bool', 'F'],
      ['m', 'mn-setoperatoraddress', 'bool', 'F'],
      ['n', 'mn-setowneraddress', 'bool', 'F'],
      ['o', 'consortium', 'bool', 'F'],
      ['q', 'gov', 'bool', 'F'],
      ['r', 'gov-payout', 'bool', 'F'],
      ['s', 'emission-unused-fund', 'bool', 'F'],
      ['t', 'mint-tokens-to-address', 'bool', 'FG'],
      ['u', 'evm', 'bool', 'FI'],
      ['v', 'icx', 'bool', 'F'],
      ['w', 'transferdomain', 'bool', 'FI'],
    ]),
    group('j', 'foundation', FOUNDATION, [
      ['B', 'govheight_min_blocks', 'u64NonZero', 'F'],
      ['p', 'members', 'members', 'F'],
    ]),
    group('k', 'dfip2211f', SECOND_DFIP, [
      ['a', 'active', 'bool', 'K'],
      ['e', 'block_period', 'positiveInteger', 'K', 'period'],
      ['x', 'liquidity_calc_sampling_period', 'positiveInteger', 'K'],
      ['y', 'average_liquidity_percentage', 'percent', 'K'],
    ]),
    group('l', 'governance', FOUNDATION, [
      ['B', 'govheight_min_blocks', 'u64NonZero', 'L'],
      ['p', 'members', 'members', 'L'],
    ]),
    group('m', 'dtoken_restart', '', [], ['\0', '', 'percent', 'L']),
  ]),
  namedType('b', 'transferdomain', 'transferdomain', [
    group('a', 'dvm-evm', TRANSFER, [
      ['a', 'enabled', 'bool', 'J'],
      ['b', 'src-formats', 'formats', 'J'],
      ['c', 'dest-formats', 'formats', 'J'],
      ['e', 'native-enabled', 'bool', 'J'],
      ['f', 'dat-enabled', 'bool', 'J'],
      ['g', 'disallowed', 'texts', 'J', 'assets'],
    ]),
    group('b', 'evm-dvm', TRANSFER, [
      ['a', 'enabled', 'bool', 'J'],
      ['b', 'src-formats', 'formats', 'J'],
      ['c', 'dest-formats', 'formats', 'J'],
      ['d', 'auth-formats', 'authFormats', 'J'],
      ['e', 'native-enabled', 'bool', 'J'],
      ['f', 'dat-enabled', 'bool', 'J'],
      ['g', 'disallowed', undefined, 'J', 'assets'],
    ]),
  ]),
  numberedType('c', 'consortium', [
    ['a', 'members', 'consortiumMembers', 'H', 'consortiumMembers'],
    ['b', 'mint_limit', 'limit', 'H', 'token'],
    ['c', 'mint_limit_daily', 'limit', 'H', 'token'],
  ]),
  namedType('e', 'evm', 'evm', [
    group('a', 'block', 'Unsupported key for EVMType {#}', [
      ['a', 'finality_count', 'u64', 'J'],
      ['b', 'gas_limit', 'u64', 'J'],
      ['c', 'gas_target_factor', 'u64NonZero', 'J'],
      ['d', 'rbf_increment_fee_pct', 'percent', 'J'],
    ]),
  ]),
  namedType('g', 'gov', 'governance', [
    group('b', 'proposals', 'Unsupported key for Governance Proposal section - {#}', [
      ['a', 'fee_redistribution', 'bool', 'H'],
      ['b', 'fee_burn_pct', 'percent', 'H'],
      ['d', 'cfp_fee', 'percent', 'H'],
      ['e', 'cfp_approval_threshold', 'percent', 'H'],
      ['f', 'voc_fee', 'positiveFloat', 'H'],
      ['g', 'voc_emergency_fee', 'positiveFloat', 'H'],
      ['h', 'voc_emergency_period', 'u32', 'H'],
      ['i', 'voc_approval_threshold', 'percent', 'H'],
      ['j', 'quorum', 'percent', 'H'],
      ['k', 'voting_period', 'u32', 'H'],
      ['l', 'voc_emergency_quorum', 'percent', 'H'],
      ['m', 'cfp_max_cycles', 'u32', 'H'],
    ]),
  ]),
  namedType('o', 'oracles', 'oracles', [
    group('a', 'splits', '', [['\0', FRACTIONAL_ENABLED, 'bool', 'CK']], ['\0', '', 'split', 'C', 'split']),
  ]),
  numberedType('p', 'poolpairs', [
    ['a', 'token_a_fee_pct', 'percent', 'A', 'pool'],
    ['b', 'token_b_fee_pct', 'percent', 'A', 'pool'],
    ['c', 'token_a_fee_direction', 'direction', 'D', 'pool'],
    ['d', 'token_b_fee_direction', 'direction', 'D', 'pool'],
  ]),
  namedType('r', 'rules', 'rules', [
    group('a', 'tx', 'Unsupported key for Rules {#}', [
      ['a', 'core_op_return_max_size_bytes', 'u64', 'J'],
      ['b', 'dvm_op_return_max_size_bytes', 'u64', 'J'],
      ['c', 'evm_op_return_max_size_bytes', 'u64', 'J'],
    ]),
  ]),
  numberedType(
    't',
    'token',
    [
      ['a', 'payback_dfi', 'bool', 'A', 'loanToken'],
      ['b', 'payback_dfi_fee_pct', 'percent', 'A', 'loanToken'],
      ['c', 'loan_payback', 'bool', 'B', 'payback'],
      ['d', 'loan_payback_fee_pct', 'percent', 'B', 'payback'],
      ['e', 'dex_in_fee_pct', 'percent', 'B', 'token'],
      ['f', 'dex_out_fee_pct', 'percent', 'B', 'token'],
      ['g', 'dfip2203', 'bool', 'B', 'loanToken'],
      ['h', 'fixed_interval_price_id', 'pair', 'C', 'token'],
      ['i', 'loan_collateral_enabled', 'bool', 'C', 'priced'],
      ['j', 'loan_collateral_factor', 'positiveFloat', 'C', 'factor'],
      ['k', 'loan_minting_enabled', 'bool', 'C', 'priced'],
      ['l', 'loan_minting_interest', 'float', 'C', 'interest'],
      ['p', 'loan_payback_collateral', 'bool', 'E', 'loanToken'],
    ],
    [
      ['m', 'ascendant'],
      ['n', 'descendant'],
      ['o', 'epitaph'],
    ],
  ),
  namedType('v', 'vaults', 'vaults', [
    group('a', 'dusd-vault', VAULTS, [['w', 'enabled', 'bool', 'J']]),
    group('b', 'params', VAULTS, [['a', 'creation_fee', 'positiveFloat', 'K']]),
  ]),
];

/**
 * Live attributes: totals that the state machine keeps for display.
 * @see docs/protocol/oracles-governance.md 4.9
 */
export const LIVE_TYPE = { name: 'live', code: letter('l') } as const;
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

/** Type with a code. */
export function attributeType(code: number, types: AttributeTable): AttributeType | undefined {
  return types.find((type) => type.code === code);
}

/** Group with a code; for types with numeric ids the one group that they have. */
export function attributeGroup({ groups, any }: AttributeType, id: number): AttributeGroup | undefined {
  return any ?? groups?.find(({ code }) => code === id);
}

/** Finds a key in its group. The name is undefined for keys that are numbers, the row for keys that only the state machine writes. */
export function attributeRow(
  { keys, numbered, written }: AttributeGroup,
  code: number,
): { readonly name: string | undefined; readonly row: AttributeRow | undefined } | undefined {
  for (const [name, row] of keys ?? []) if (row.code === code) return { name, row };
  if (written.has(code)) return { name: written.get(code), row: undefined };
  return numbered && { name: undefined, row: numbered };
}
