import type { Attribute, GovernanceValue } from '../../../gen/ts/dfi/blockchain/v1/blockchain.js';
import type { AttributeEntry } from '../../dfi/attributes/attributes.js';
import { type ExportContext, type ExportedValue, exportAttributes } from '../../dfi/governance/attribute-export.js';
import type { Variable } from '../../dfi/governance/variables.js';
import type { NetworkParams } from '../../params/network.js';

/** Value of a governance variable, as its transaction sets it or as it is stored. @see docs/protocol/oracles-governance.md 3.3 */
export function formatVariable({ name, value }: Variable, { params }: { readonly params: NetworkParams }): GovernanceValue {
  if (typeof value === 'bigint') return { value: { $case: 'amount', value } };
  if (typeof value === 'number') return { value: { $case: 'number', value: BigInt(value) } };
  if (name !== 'ATTRIBUTES') {
    return { value: { $case: 'splits', value: { shares: Object.fromEntries(value.map(({ pool, share }) => [pool, share])) } } };
  }
  const entries = value.flatMap(({ key, value: attribute }) => (key ? [{ key, value: attribute }] : []));
  // Without a state, so without the token amounts of live attributes.
  return formatAttributes(entries, params);
}

/** Attributes by their paths. @param accepts filter; all are shown by default */
export function formatAttributes(
  entries: readonly AttributeEntry[],
  context: ExportContext,
  accepts?: (entry: AttributeEntry, path: string) => boolean,
): GovernanceValue {
  const exported = exportAttributes(entries, context, accepts);
  return {
    value: {
      $case: 'attributes',
      value: { attributes: Object.fromEntries(exported.map(([path, value]) => [path, formatAttribute(value)])) },
    },
  };
}

function formatAttribute(value: ExportedValue): Attribute {
  if (typeof value === 'string') return { value: { $case: 'text', value } };
  if (isList(value)) return { value: { $case: 'list', value: { texts: [...value] } } };
  if ('number' in value) return { value: { $case: 'number', value: value.number } };
  const fields = value.fields.map(([name, field]): [string, Attribute] => [name, formatAttribute(field)]);
  return { value: { $case: 'attributes', value: { attributes: Object.fromEntries(fields) } } };
}

function isList(value: ExportedValue): value is readonly string[] {
  return Array.isArray(value);
}
