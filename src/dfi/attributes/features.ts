import type { NetworkParams } from '../../params/network.js';
import type { StateView } from '../../storage/view.js';
import { storedAttributes, valueAs } from './attributes.js';
import { attributeAt } from './path.js';

/** Switches of governance. @see docs/protocol/defi.md 0.6 */
export type Feature =
  | 'gov'
  | 'gov-unset'
  | 'gov-foundation'
  | 'gov-payout'
  | 'governance'
  | 'consortium'
  | 'emission-unused-fund'
  | 'mint-tokens-to-address'
  | 'mn-setowneraddress'
  | 'mn-setoperatoraddress'
  | 'mn-setrewardaddress'
  | 'ascending_block_time'
  | 'icx'
  | 'transferdomain'
  | 'evm';

const FOUNDATION_MEMBERS = attributeAt('v0/params/foundation/members');
const GOVERNANCE_MEMBERS = attributeAt('v0/params/governance/members');

/** Whether `v0/params/feature/<name>` is true. @param byDefault what counts while nobody has set it */
export function isFeatureOn(view: StateView, feature: Feature, byDefault = false): boolean {
  return valueAs(storedAttributes(view), attributeAt(`v0/params/feature/${feature}`), 'bool') ?? byDefault;
}

/** Scripts whose owners may act for the foundation: those that the chain has agreed on, or the first ones. */
export function foundationMembers(view: StateView, params: NetworkParams): readonly Uint8Array[] {
  if (!isFeatureOn(view, 'gov-foundation')) return params.scripts.foundationMembers;
  const members = valueAs(storedAttributes(view), FOUNDATION_MEMBERS, 'scripts') ?? [];
  return members.length > 0 ? members : params.scripts.foundationMembers;
}

/** Scripts whose owners govern from DF24 on; nobody while governance is off. */
export function governanceMembers(view: StateView, _params: NetworkParams): readonly Uint8Array[] {
  if (!isFeatureOn(view, 'governance')) return [];
  return valueAs(storedAttributes(view), GOVERNANCE_MEMBERS, 'scripts') ?? [];
}

/** Whether `v0/locks/token/<id>` is true. */
export function isTokenLocked(view: StateView, tokenId: number): boolean {
  return valueAs(storedAttributes(view), attributeAt(`v0/locks/token/${tokenId}`), 'bool') ?? false;
}
