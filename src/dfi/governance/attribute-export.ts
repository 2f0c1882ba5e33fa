import type { AddressParams } from '../../params/network.js';
import { formatAmount } from '../../primitives/amount.js';
import { formatHash, type Hash256 } from '../../primitives/hash.js';
import { destinationOf, encodeDestination, ownerText } from '../../script/address.js';
import type { StateView } from '../../storage/view.js';
import type { AttributeEntry } from '../attributes/attributes.js';
import type { ConsortiumMember, ConsortiumTotal, TokenMembersTotal } from '../attributes/consortium-values.js';
import type { AttributeKey } from '../attributes/key.js';
import { groupCode, groupKeyCode, typeCode } from '../attributes/lookup.js';
import { DIRECTIONS } from '../attributes/parsers.js';
import { formatPath } from '../attributes/path.js';
import type { AttributeTable } from '../attributes/table.js';
import type { AttributeValue, DexFlow, DexPool, EvmFees, EvmStats, TransferStats } from '../attributes/value.js';
import { FORMATS } from '../attributes/value.js';
import type { Balances } from '../kernel/amounts.js';
import { formatShort } from '../kernel/amounts.js';
import { readableText } from '../kernel/text.js';
import { getToken, symbolKey } from '../tokens/columns.js';

/** Value in display form: a text, a JSON number as its text, a list of texts, or named values. */
export type ExportedValue =
  | string
  | readonly string[]
  | { readonly number: string }
  | { readonly fields: readonly (readonly [name: string, value: ExportedValue])[] };

/** Paths with their values, in the order of the attributes. */
export type Exported = readonly (readonly [path: string, value: ExportedValue])[];

/** Sources of token symbols and address formats. */
export interface ExportContext {
  /** State with the token symbols; without it, token amounts are omitted, or listed by token id. */
  readonly view?: StateView;
  /** True to list the amounts of balances also without a view. */
  readonly listsBalances?: boolean;
  readonly address: AddressParams;
  /** Attributes that have a path; by default those of all heights. */
  readonly types?: AttributeTable;
  /** Converts texts of one char per byte; by default to readable ones, in which bytes that are no UTF-8 are lost. */
  readonly textOf?: (bytes: string) => string;
}

/**
 * Display form of attributes, in the given order. Attributes without a path are omitted.
 * @param accepts filter by path, called before one attribute is expanded to several lines
 * @see docs/protocol/oracles-governance.md 4.1, 4.9
 */
export function exportAttributes(
  entries: Iterable<AttributeEntry>,
  context: ExportContext,
  accepts?: (entry: AttributeEntry, path: string) => boolean,
): Exported {
  // Several keys may have one path: the last value is shown where the first would be.
  const found = new Map<string, ExportedValue>();
  for (const entry of entries) {
    const path = formatPath(entry.key, context.types);
    if (path === undefined || !(accepts?.(entry, path) ?? true)) continue;
    for (const [name, value] of exportEntry(entry, path, context)) found.set(name, value);
  }
  return [...found];
}

function* exportEntry({ key, value }: AttributeEntry, path: string, context: ExportContext): Generator<readonly [string, ExportedValue]> {
  if (value.kind === 'dex') yield* value.value.flatMap((pool) => exportDex(path, pool));
  else if (value.kind === 'transfers') yield* exportTransfers(path, value.value);
  else if (value.kind === 'evm') yield* exportEvm(path, value.value);
  else if (value.kind === 'consortiumTotals') yield* value.value.flatMap((total) => exportTotal(`${path}/${total.tokenId}`, total));
  else if (value.kind === 'consortiumMemberTotals') yield* value.value.flatMap((totals) => exportMemberTotals(path, totals));
  else {
    const text = exportValue(key, value, context);
    if (text === undefined) return;
    yield [path, text];
    if (value.kind === 'amount' && path.endsWith('/reward_pct')) yield [path.replace(/reward_pct$/, 'fee_pct'), text];
  }
}

function exportValue(key: AttributeKey, attribute: AttributeValue, context: ExportContext): ExportedValue | undefined {
  const { view, listsBalances = false, address, textOf = readableText } = context;
  switch (attribute.kind) {
    case 'bool':
      return attribute.value ? 'true' : 'false';
    case 'amount':
      return isPlainInteger(key) ? `${attribute.value}` : formatShort(attribute.value);
    case 'balances':
      return view || listsBalances ? formatTokens(view, attribute.value) : undefined;
    case 'payback':
      return {
        fields: view
          ? [
              ['paybackfees', formatTokens(view, attribute.value.fees)],
              ['paybacktokens', formatTokens(view, attribute.value.payback)],
            ]
          : [],
      };
    case 'pair':
      return textOf(`${attribute.value.token}/${attribute.value.currency}`);
    case 'splits':
      return attribute.value.map(({ id, multiplier }) => `${id}/${multiplier}`).join(',');
    case 'fractions':
      return attribute.value.map(({ id, multiplier }) => `${id}/${formatShort(multiplier)}`).join(',');
    case 'descendant':
      return `${attribute.value.id}/${attribute.value.height}`;
    case 'ascendant':
      return textOf(`${attribute.value.id}/${attribute.value.text}`);
    case 'direction':
      return namesOf(DIRECTIONS, attribute.value)[0] ?? 'both';
    case 'scripts':
      return attribute.value.flatMap((script) => {
        const destination = destinationOf(script);
        return destination ? [encodeDestination(destination, address)] : [];
      });
    case 'texts':
      return attribute.value.map(textOf);
    case 'consortiumMembers':
      return { fields: attribute.value.map((member) => [textOf(member.id), exportMember(member, address, textOf)]) };
    case 'i32':
    case 'u32':
    case 'u64':
      return `${attribute.value}`;
    case 'formats':
      return attribute.value.flatMap((code) => namesOf(FORMATS, code));
    default:
      return undefined;
  }
}

const PARAMS = typeCode('params');
/** Groups of `params` with values in blocks, and the codes of those keys: integers instead of amounts. */
const COUNTING_GROUPS = new Set(['dfip2203', 'dfip2206f', 'dfip2211f', 'dtoken_restart'].map((name) => groupCode('params', name)));
const COUNTS = new Set([
  groupKeyCode('params', 'dfip2203', 'block_period'),
  groupKeyCode('params', 'dfip2203', 'start_block'),
  groupKeyCode('params', 'dfip2211f', 'liquidity_calc_sampling_period'),
]);

function isPlainInteger({ type, id, key }: AttributeKey): boolean {
  return type === PARAMS && COUNTING_GROUPS.has(id) && COUNTS.has(key);
}

/** Amounts such as `1.00000000@DFI`; an unknown token is shown by its id. */
function formatTokens(view: StateView | undefined, amounts: Balances): string[] {
  return amounts.map(({ tokenId, amount }) => {
    const token = view && getToken(view, tokenId);
    return `${formatAmount(amount)}@${token ? readableText(symbolKey(token, tokenId)) : tokenId}`;
  });
}

function amountNumber(value: bigint): ExportedValue {
  return { number: formatAmount(BigInt.asIntN(64, value)) };
}

function exportMember(member: ConsortiumMember, address: AddressParams, textOf: (bytes: string) => string): ExportedValue {
  return {
    fields: [
      ['name', textOf(member.name)],
      ['ownerAddress', ownerText(member.owner, address)],
      ['backingId', textOf(member.backingId)],
      ['mintLimit', amountNumber(member.mintLimit)],
      ['mintLimitDaily', amountNumber(member.dailyLimit)],
      ['status', { number: `${member.status}` }],
    ],
  };
}

function exportTotal(path: string, { minted, burnt }: ConsortiumTotal): [string, ExportedValue][] {
  return [
    [`${path}/minted`, amountNumber(minted)],
    [`${path}/burnt`, amountNumber(burnt)],
    [`${path}/supply`, amountNumber(minted - burnt)],
  ];
}

function exportMemberTotals(path: string, { tokenId, members }: TokenMembersTotal): [string, ExportedValue][] {
  return members.flatMap((total): [string, ExportedValue][] => {
    const memberPath = `${path}/${tokenId}/${readableText(total.id)}`;
    const [minted, ...others] = exportTotal(memberPath, total) as [[string, ExportedValue]];
    return [minted, [`${memberPath}/daily_minted`, `${total.day}/${formatAmount(total.dailyMinted)}`], ...others];
  });
}

function exportDex(path: string, { pool, a, b }: DexPool): [string, ExportedValue][] {
  const rows: [string, keyof DexFlow][] = [
    ['total_commission', 'commissions'],
    ['fee_burn', 'feeBurn'],
    ['total_swap', 'swaps'],
  ];
  return rows.flatMap(([name, field]): [string, ExportedValue][] => [
    [`${path}/${pool}/${name}_a`, amountNumber(a[field])],
    [`${path}/${pool}/${name}_b`, amountNumber(b[field])],
  ]);
}

function namesOf(numbers: ReadonlyMap<string, number>, number: number): string[] {
  return [...numbers].filter(([, known]) => known === number).map(([name]) => name);
}

const TRANSFERS: readonly (readonly [keyof TransferStats, string, string])[] = [
  ['dvmEvmTotal', 'dvm-evm', 'total'],
  ['evmDvmTotal', 'evm-dvm', 'total'],
  ['dvmCurrent', 'dvm', 'current'],
  ['dvmIn', 'dvm', 'in'],
  ['dvmOut', 'dvm', 'out'],
  ['evmCurrent', 'evm', 'current'],
  ['evmIn', 'evm', 'in'],
  ['evmOut', 'evm', 'out'],
];

function exportTransfers(path: string, stats: TransferStats): [string, ExportedValue][] {
  return TRANSFERS.flatMap(([field, domain, name]) =>
    stats[field].map(({ tokenId, amount }): [string, ExportedValue] => [`${path}/${domain}/${tokenId}/${name}`, amountNumber(amount)]),
  );
}

function exportEvm(path: string, { burnt, priority }: EvmStats): [string, ExportedValue][] {
  return [...exportFees(`${path}/block/fee_burnt`, burnt), ...exportFees(`${path}/block/fee_priority`, priority)];
}

function exportFees(path: string, { total, min, minHash, max, maxHash }: EvmFees): [string, ExportedValue][] {
  const hash = (value: Hash256) => formatHash(value);
  return [
    [path, amountNumber(total)],
    [`${path}_min`, amountNumber(min)],
    [`${path}_min_hash`, hash(minHash)],
    [`${path}_max`, amountNumber(max)],
    [`${path}_max_hash`, hash(maxHash)],
  ];
}
