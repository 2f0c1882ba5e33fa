import type { Transaction } from '../../primitives/transaction.js';
import { markerPayload } from '../../script/marker.js';
import type { CustomTxType } from '../context/custom-tx.js';
import { CUSTOM_TX_MARKER } from '../kernel/payload.js';
import { customTxType } from './registry.js';

/** Kind of a transaction by its outputs alone. */
export type Classified =
  | { readonly kind: 'none' }
  /** Has the marker, but in a place or form, or with a type, that is invalid from Fort Canning on. */
  | { readonly kind: 'reject' }
  | { readonly kind: 'custom'; readonly type: CustomTxType; readonly body: Uint8Array };

const NONE: Classified = { kind: 'none' };
const REJECT: Classified = { kind: 'reject' };

/**
 * Classifies a transaction by its outputs.
 * @param strict true from Fort Canning on: rejects markers after the first output, and bytes after the push
 * @see docs/protocol/accounts.md 1.2
 */
export function classify({ vout }: Pick<Transaction, 'vout'>, strict: boolean): Classified {
  const [first, ...others] = vout;
  if (!first) return NONE;
  if (strict && others.some(({ scriptPubKey }) => markerPayload(scriptPubKey, CUSTOM_TX_MARKER))) return REJECT;
  const found = markerPayload(first.scriptPubKey, CUSTOM_TX_MARKER);
  if (!found) return NONE;
  const type = customTxType(String.fromCharCode(found.payload[0] ?? 0));
  if (!type || (strict && found.extra)) return REJECT;
  return { kind: 'custom', type, body: found.payload.subarray(1) };
}
