import type { NetworkParams } from '../../params/network.js';
import type { StateView } from '../../storage/view.js';

/** Switches of governance that the rules of accounts, tokens and masternodes ask for. @see spec: defi 0.6 */
export type Feature =
  | 'gov'
  | 'gov-foundation'
  | 'governance'
  | 'emission-unused-fund'
  | 'mint-tokens-to-address'
  | 'mn-setowneraddress'
  | 'mn-setoperatoraddress'
  | 'mn-setrewardaddress'
  | 'evm';

/**
 * Whether `v0/params/feature/<name>` is true. The governance attributes are not built: until they are, each has its default.
 */
export function isFeatureOn(_view: StateView, feature: Feature, params: NetworkParams): boolean {
  return feature === 'mint-tokens-to-address' && params.isRegtest;
}

/** Scripts whose owners may act for the foundation. */
export function foundationMembers(_view: StateView, params: NetworkParams): readonly Uint8Array[] {
  return params.scripts.foundationMembers;
}

/** Scripts whose owners govern from DF24 on; nobody while governance is off. */
export function governanceMembers(_view: StateView, _params: NetworkParams): readonly Uint8Array[] {
  return [];
}

/** Whether `v0/locks/token/<id>` is true. */
export function isTokenLocked(_view: StateView, _tokenId: number): boolean {
  return false;
}
