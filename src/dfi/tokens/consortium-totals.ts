import type { StateView } from '../../storage/view.js';
import { storedAttributes, valueAs } from '../attributes/attributes.js';
import type { ConsortiumMember, TokenTotal } from '../attributes/consortium-values.js';
import { liveKey } from '../attributes/live-totals.js';
import { attributeAt } from '../attributes/path.js';

/** Attribute of the amounts that consortiums minted and burnt, by token. */
export const CONSORTIUM_TOTALS = liveKey('consortium');

/** Owners that may mint a token besides the foundation, by member id. @see docs/protocol/defi.md 8.3 */
export function consortiumMembers(view: StateView, tokenId: number): readonly ConsortiumMember[] {
  return valueAs(storedAttributes(view), attributeAt(`v0/consortium/${tokenId}/members`), 'consortiumMembers') ?? [];
}

/** Amounts of a token in satoshis that its consortium minted and burnt; zeros if there are none. */
export function consortiumTotal(view: StateView, tokenId: number): TokenTotal {
  const totals = valueAs(storedAttributes(view), CONSORTIUM_TOTALS, 'consortiumTotals') ?? [];
  return totals.find((total) => total.tokenId === tokenId) ?? { tokenId, minted: 0n, burnt: 0n };
}
