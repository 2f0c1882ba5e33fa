import type { Transaction } from '../../primitives/transaction.js';
import { markerPayload } from '../../script/marker.js';
import type { CustomTxType } from '../context/custom-tx.js';
import { CUSTOM_TX_MARKER } from '../kernel/payload.js';
import { customTxType } from './registry.js';

/** What a transaction is by its shape. */
export type Classified =
  | { readonly kind: 'none' }
  /** Carries the marker in a form or with a type that is not accepted from Fort Canning on. */
  | { readonly kind: 'reject' }
  | { readonly kind: 'custom'; readonly type: CustomTxType; readonly body: Uint8Array };

const NONE: Classified = { kind: 'none' };
const REJECT: Classified = { kind: 'reject' };

/**
 * @param strict from Fort Canning on: no marker behind the first output, and nothing behind the push
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
