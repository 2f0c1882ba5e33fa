import { type AttributeEntry, type AttributeSource, valueAs } from './attributes.js';
import { type AttributeKey, attributeText } from './key.js';
import { FORMATS } from './parsers.js';
import { attributeAt } from './path.js';
import type { AttributeKind, AttributeValue, ValueOf } from './value.js';

function bool(value: boolean): AttributeValue {
  return { kind: 'bool', value };
}

function size(value: bigint): AttributeValue {
  return { kind: 'u64', value };
}

function formats(...names: readonly string[]): AttributeValue {
  return { kind: 'formats', value: names.map((name) => FORMATS.get(name) ?? 0) };
}

/** Defaults of unset attributes that `listgovs` shows even if unset. @see docs/protocol/oracles-governance.md 5.5 */
const DEFAULTS: readonly (readonly [path: string, value: AttributeValue])[] = [
  ['rules/tx/core_op_return_max_size_bytes', size(1024n)],
  ['rules/tx/dvm_op_return_max_size_bytes', size(4096n)],
  ['rules/tx/evm_op_return_max_size_bytes', size(65_536n)],
  ['transferdomain/dvm-evm/enabled', bool(true)],
  ['transferdomain/dvm-evm/src-formats', formats('bech32', 'p2pkh')],
  ['transferdomain/dvm-evm/dest-formats', formats('erc55')],
  ['transferdomain/dvm-evm/native-enabled', bool(true)],
  ['transferdomain/dvm-evm/dat-enabled', bool(false)],
  ['transferdomain/evm-dvm/enabled', bool(true)],
  ['transferdomain/evm-dvm/src-formats', formats('erc55')],
  ['transferdomain/evm-dvm/dest-formats', formats('bech32', 'p2pkh')],
  ['transferdomain/evm-dvm/auth-formats', formats('bech32-erc55', 'p2pkh-erc55')],
  ['transferdomain/evm-dvm/native-enabled', bool(true)],
  ['transferdomain/evm-dvm/dat-enabled', bool(false)],
];

/** Attributes in the order of their keys, completed by the defaults of those that are unset. */
export function withDefaults(entries: readonly AttributeEntry[]): readonly AttributeEntry[] {
  const all = new Map<string, AttributeEntry>();
  const add = (key: AttributeKey, value: AttributeValue) => all.set(attributeText(key), { key, value });
  for (const [path, value] of DEFAULTS) add(attributeAt(`v0/${path}`), value);
  for (const { key, value } of entries) add(key, value);
  return [...all].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry);
}

const byPath = new Map(DEFAULTS);

/** Value of an attribute, or its default if unset. @param path path without the version, of an attribute that has a default */
export function valueOrDefault<Kind extends AttributeKind>(source: AttributeSource, path: string, kind: Kind): ValueOf<Kind> {
  const fallback = byPath.get(path);
  if (fallback?.kind !== kind) throw new Error(`no default for ${path}`);
  return valueAs(source, attributeAt(`v0/${path}`), kind) ?? (fallback.value as ValueOf<Kind>);
}
