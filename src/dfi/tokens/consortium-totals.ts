import type { StateView } from '../../storage/view.js';
import { storedAttributes, valueAs } from '../attributes/attributes.js';
import type { ConsortiumMember, TokenTotal } from '../attributes/consortium-values.js';
import { liveKey } from '../attributes/live-totals.js';
import { attributeAt } from '../attributes/path.js';

/** What consortiums minted and burnt, by token. */
export const CONSORTIUM_TOTALS = liveKey('e', 'l');

/** Who may mint a token beside the foundation, by id. @see docs/protocol/defi.md 8.3 */
export function consortiumMembers(view: StateView, tokenId: number): readonly ConsortiumMember[] {
  return valueAs(storedAttributes(view), attributeAt(`v0/consortium/${tokenId}/members`), 'consortiumMembers') ?? [];
}

/** Zeros for a token that no member minted or burnt. */
export function consortiumTotal(view: StateView, tokenId: number): TokenTotal {
  const totals = valueAs(storedAttributes(view), CONSORTIUM_TOTALS, 'consortiumTotals') ?? [];
  return totals.find((total) => total.tokenId === tokenId) ?? { tokenId, minted: 0n, burnt: 0n };
}
