import type { AttributeEntry } from '../../../dfi/attributes/attributes.js';
import { keyCode, typeCode } from '../../../dfi/attributes/lookup.js';

/** Filter for listing governance variables. */
export interface ListFilter {
  /** Show the variables other than ATTRIBUTES. */
  readonly showsRules: boolean;
  readonly showsAttributes: boolean;
  /** Attributes to show: all, live ones (kept by the state machine), those known to version 2.7, or those with a path prefix. */
  readonly attributes: 'all' | 'live' | 'v2.7' | { readonly prefix: string };
}

/** @see docs/protocol/oracles-governance.md 5.5 */
export function listFilter(prefix: string): ListFilter {
  switch (prefix) {
    case '':
    case 'all':
      return { showsRules: true, showsAttributes: true, attributes: 'all' };
    case 'gov':
      return { showsRules: true, showsAttributes: false, attributes: 'all' };
    case 'attrs':
      return { showsRules: false, showsAttributes: true, attributes: 'all' };
    case 'live':
      return { showsRules: false, showsAttributes: true, attributes: 'live' };
    case 'v/2.7':
      return { showsRules: true, showsAttributes: true, attributes: 'v2.7' };
    default:
      return { showsRules: false, showsAttributes: true, attributes: { prefix: /^v\d/.test(prefix) ? prefix : `v0/${prefix}` } };
  }
}

const LIVE = typeCode('live');
const TOKEN = typeCode('token');
/** Token attributes that version 2.7 did not have. */
const LATER_TOKEN_KEYS = new Set(
  [
    'fixed_interval_price_id',
    'loan_collateral_enabled',
    'loan_collateral_factor',
    'loan_minting_enabled',
    'loan_minting_interest',
    'ascendant',
    'descendant',
    'epitaph',
  ].map((name) => keyCode('token', name)),
);

/** Predicate for attributes and their paths. */
export function attributeFilter({ attributes }: ListFilter): (entry: AttributeEntry, path: string) => boolean {
  if (attributes === 'all') return () => true;
  if (attributes === 'live') return ({ key }) => key.type === LIVE;
  if (attributes === 'v2.7') return ({ key }) => key.type !== TOKEN || !LATER_TOKEN_KEYS.has(key.key);
  return (_entry, path) => path.startsWith(attributes.prefix);
}
