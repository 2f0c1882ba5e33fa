import type { NetworkParams } from '../../params/network.js';
import type { StateView } from '../../storage/view.js';
import { storedAttributes, valueAs } from './attributes.js';
import type { AttributeKey } from './key.js';
import { attributeAt } from './path.js';

/** Feature switches of governance. @see docs/protocol/defi.md 0.6 */
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

/** Value of `v0/params/feature/<name>`. @param byDefault value if unset */
export function isFeatureOn(view: StateView, feature: Feature, byDefault = false): boolean {
  return valueAs(storedAttributes(view), attributeAt(`v0/params/feature/${feature}`), 'bool') ?? byDefault;
}

/** Scripts of the foundation members: with feature `gov-foundation` those of the attribute if it has any, else those of the network. */
export function foundationMembers(view: StateView, params: NetworkParams): readonly Uint8Array[] {
  if (!isFeatureOn(view, 'gov-foundation')) return params.scripts.foundationMembers;
  const members = valueAs(storedAttributes(view), FOUNDATION_MEMBERS, 'scripts') ?? [];
  return members.length > 0 ? members : params.scripts.foundationMembers;
}

/** Scripts of the governance members (DF24); none while the feature `governance` is off. */
export function governanceMembers(view: StateView): readonly Uint8Array[] {
  if (!isFeatureOn(view, 'governance')) return [];
  return valueAs(storedAttributes(view), GOVERNANCE_MEMBERS, 'scripts') ?? [];
}

/** Attribute that locks a token. */
export function tokenLock(tokenId: number): AttributeKey {
  return attributeAt(`v0/locks/token/${tokenId}`);
}

/** Value of `v0/locks/token/<id>`: true if the token must not be moved. */
export function isTokenLocked(view: StateView, tokenId: number): boolean {
  return valueAs(storedAttributes(view), tokenLock(tokenId), 'bool') ?? false;
}
