import type { AttributeKey } from './key.js';
import { ATTRIBUTE_TYPES, type AttributeGroup, type AttributeRow, type AttributeTable, type AttributeType, LIVE_TYPE } from './table.js';

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

/** Row of an attribute in the table; undefined for unknown keys and for live attributes. */
export function rowOf({ type, id, key }: AttributeKey, types: AttributeTable): AttributeRow | undefined {
  const found = attributeType(type, types);
  const group = found && attributeGroup(found, id);
  return group && attributeRow(group, key)?.row;
}

function typeNamed(name: string): AttributeType {
  const type = ATTRIBUTE_TYPES.find((each) => each.name === name);
  if (!type) throw new Error(`no attribute type has the name ${name}`);
  return type;
}

function groupNamed(type: string, name: string): AttributeGroup {
  const group = typeNamed(type).groups?.find((each) => each.name === name);
  if (!group) throw new Error(`no attribute group has the name ${type}/${name}`);
  return group;
}

/** Code of a type of attributes, by its name in paths. */
export function typeCode(name: string): number {
  return name === LIVE_TYPE.name ? LIVE_TYPE.code : typeNamed(name).code;
}

/** Code of a group of attributes, by the names in paths. */
export function groupCode(type: string, name: string): number {
  return groupNamed(type, name).code;
}

/** Code of a key of a group, by the names in paths. */
export function groupKeyCode(type: string, group: string, name: string): number {
  return codeOf(groupNamed(type, group), name);
}

/** Code of a key that every token or pool can have, by its name in paths and listings. */
export function keyCode(type: 'token' | 'poolpairs' | 'consortium', name: string): number {
  return codeOf(typeNamed(type).any, name);
}

function codeOf(group: AttributeGroup | undefined, name: string): number {
  const written = [...(group?.written ?? [])].find(([, each]) => each === name)?.[0];
  const code = group?.keys?.get(name)?.code ?? written;
  if (code === undefined) throw new Error(`no attribute key has the name ${name}`);
  return code;
}
