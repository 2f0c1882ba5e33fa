import { type AttributeEntry, type AttributeSource, valueAs } from './attributes.js';
import { type AttributeKey, attributeText } from './key.js';
import { rowOf } from './lookup.js';
import { attributeAt } from './path.js';
import { ATTRIBUTE_TYPES } from './table.js';
import type { AttributeKind, AttributeValue, ValueOf } from './value.js';

/** Attributes that `listgovs` shows even if unset. @see docs/protocol/oracles-governance.md 5.5 */
const DEFAULTS: readonly AttributeEntry[] = ATTRIBUTE_TYPES.flatMap(({ code: type, groups = [] }) =>
  groups.flatMap(({ code: id, keys }) =>
    [...(keys?.values() ?? [])].flatMap(({ code: key, byDefault }) =>
      byDefault ? [{ key: { type, id, key, keyId: 0 }, value: byDefault }] : [],
    ),
  ),
);

/** Attributes in the order of their keys, completed by the defaults of those that are unset. */
export function withDefaults(entries: readonly AttributeEntry[]): readonly AttributeEntry[] {
  const all = new Map<string, AttributeEntry>();
  const add = (key: AttributeKey, value: AttributeValue) => all.set(attributeText(key), { key, value });
  for (const { key, value } of [...DEFAULTS, ...entries]) add(key, value);
  return [...all].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry);
}

/** Value of an attribute, or its default if unset. @param path path without the version, of an attribute that has a default */
export function valueOrDefault<Kind extends AttributeKind>(source: AttributeSource, path: string, kind: Kind): ValueOf<Kind> {
  const key = attributeAt(`v0/${path}`);
  const fallback = rowOf(key, ATTRIBUTE_TYPES)?.byDefault;
  if (fallback?.kind !== kind) throw new Error(`no default for ${path}`);
  return valueAs(source, key, kind) ?? (fallback.value as ValueOf<Kind>);
}
