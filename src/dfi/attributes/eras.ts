import { isActive, type NetworkParams } from '../../params/network.js';
import type { Upgrade } from '../../params/upgrades.js';
import {
  ATTRIBUTE_TYPES,
  type AttributeGroup,
  type AttributeRow,
  type AttributeTable,
  type AttributeType,
  type ParserName,
} from './table.js';

const CONSORTIUM = 'consortium';

/** Metachain and the upgrades after it. */
const LATE_UPGRADES: ReadonlySet<Upgrade> = new Set<Upgrade>(['metachain', 'df23', 'df24']);

/** Parsers before Metachain of values that are parsed differently since. */
const EARLY_PARSERS: { readonly [Name in ParserName]?: ParserName } = {
  positiveInteger: 'integer',
  split: 'wholeSplit',
  members: 'someMembers',
};

/** Before Metachain `defid` checks only the last of several gates. */
function toEarlyRow(row: AttributeRow): AttributeRow {
  return { ...row, parser: row.parser && (EARLY_PARSERS[row.parser] ?? row.parser), gates: row.gates.slice(-1) };
}

function isEarly({ gates, isSinceMetachain = false }: AttributeRow): boolean {
  return !isSinceMetachain && !gates.some(({ upgrade }) => LATE_UPGRADES.has(upgrade));
}

/** Group as of before Metachain; empty if it did not exist. */
function toEarlyGroup(group: AttributeGroup): readonly AttributeGroup[] {
  const rows = [...(group.keys ?? [])].filter(([, row]) => isEarly(row));
  const numbered = group.numbered && isEarly(group.numbered) ? toEarlyRow(group.numbered) : undefined;
  if (rows.length === 0 && !numbered) return [];
  const keys = rows.length > 0 ? new Map(rows.map(([name, row]) => [name, toEarlyRow(row)])) : undefined;
  return [{ ...group, keys, numbered, acceptsTexts: numbered !== undefined }];
}

function toEarlyType(type: AttributeType): readonly AttributeType[] {
  if (!type.groups) return [{ ...type, any: type.any && toEarlyGroup(type.any)[0] }];
  const groups = type.groups.flatMap(toEarlyGroup);
  return groups.length > 0 ? [{ ...type, groups }] : [];
}

/** Attributes before Metachain. */
export const ATTRIBUTES_BEFORE_METACHAIN: AttributeTable = ATTRIBUTE_TYPES.flatMap(toEarlyType);

function withoutConsortium(group: AttributeGroup): AttributeGroup {
  return group.keys?.has(CONSORTIUM) ? { ...group, keys: new Map([...group.keys].filter(([name]) => name !== CONSORTIUM)) } : group;
}

/** Attributes from Metachain on: without consortiums and their feature switch. */
export const ATTRIBUTES_SINCE_METACHAIN: AttributeTable = ATTRIBUTE_TYPES.filter(({ name }) => name !== CONSORTIUM).map((type) =>
  type.groups ? { ...type, groups: type.groups.map(withoutConsortium) } : type,
);

/** Attributes that exist at a height. @see docs/protocol/oracles-governance.md 8 */
export function attributesAt(params: NetworkParams, height: number): AttributeTable {
  return isActive(params, 'metachain', height) ? ATTRIBUTES_SINCE_METACHAIN : ATTRIBUTES_BEFORE_METACHAIN;
}
