import type { Transaction } from '../../primitives/transaction.js';
import { CUSTOM_TX_MARKER, customTxPayload } from '../../script/custom-tx.js';
import { markerPayload } from '../../script/marker.js';
import type { CustomTxType } from '../context/custom-tx.js';
import { customTxOf } from './registry.js';

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
 * @param isEarly true below Metachain: types that came with it or later are unknown
 * @see docs/protocol/accounts.md 1.2
 */
export function classify(tx: Pick<Transaction, 'vout'>, strict: boolean, isEarly = false): Classified {
  if (strict && tx.vout.some(({ scriptPubKey }, i) => i > 0 && markerPayload(scriptPubKey, CUSTOM_TX_MARKER))) return REJECT;
  const payload = customTxPayload(tx);
  if (!payload) return NONE;
  const type = customTxOf(payload.type);
  if (!type || (isEarly && isLate(type)) || (strict && payload.extra)) return REJECT;
  return { kind: 'custom', type, body: payload.body };
}

function isLate({ since }: CustomTxType): boolean {
  return since === 'metachain' || since === 'df24';
}
