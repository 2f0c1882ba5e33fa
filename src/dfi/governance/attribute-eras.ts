import { isActive, type NetworkParams } from '../../params/network.js';
import { ATTRIBUTE_TYPES, type AttributeGroup, type AttributeTable } from './attribute-table.js';

const LATE_TYPES = new Set(['transferdomain', 'evm', 'rules', 'vaults']);
const CONSORTIUM = 'consortium';

function withoutConsortium(group: AttributeGroup): AttributeGroup {
  return group.keys?.has(CONSORTIUM) ? { ...group, keys: new Map([...group.keys].filter(([name]) => name !== CONSORTIUM)) } : group;
}

const EARLY: AttributeTable = ATTRIBUTE_TYPES.filter(({ name }) => !LATE_TYPES.has(name));

/** What attributes are called from Metachain on: the consortium is gone, with its switch. */
export const LATE_ATTRIBUTES: AttributeTable = ATTRIBUTE_TYPES.filter(({ name }) => name !== CONSORTIUM).map((type) =>
  type.groups ? { ...type, groups: type.groups.map(withoutConsortium) } : type,
);

/** Types of attributes that are known at a height. @see spec: oracles-governance 8 */
export function attributesAt(params: NetworkParams, height: number): AttributeTable {
  return isActive(params, 'metachain', height) ? LATE_ATTRIBUTES : EARLY;
}
