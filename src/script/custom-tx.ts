import type { TransactionFields } from '../primitives/transaction.js';
import { concatBytes } from '../util/bytes.js';
import { type Marker, markerPayload } from './marker.js';
import { Op } from './opcodes.js';
import { buildScript } from './script.js';

/** Custom part of a transaction. */
export interface CustomTxPayload {
  /** Letter of the type byte; the type may be unknown. */
  readonly type: string;
  /** Message after the type byte. */
  readonly body: Uint8Array;
  /** True if a complete operation follows the push of the payload. */
  readonly extra: boolean;
}

/** Marker of custom transactions, in the script of the first output. */
export const CUSTOM_TX_MARKER: Marker = 'DfTx';

/** The rules ask for the payload of one transaction several times in a row, so the last one found is kept. */
let last: { readonly script: Uint8Array; readonly payload: CustomTxPayload | undefined } | undefined;

/** Payload of a transaction whose first output has the marker; undefined without the marker. @see docs/protocol/accounts.md 1.2 */
export function customTxPayload({ vout: [first] }: Pick<TransactionFields, 'vout'>): CustomTxPayload | undefined {
  const script = first?.scriptPubKey;
  if (script?.[0] !== Op.RETURN) return undefined;
  if (last?.script !== script) last = { script, payload: parsePayload(script) };
  return last.payload;
}

function parsePayload(script: Uint8Array): CustomTxPayload | undefined {
  const found = markerPayload(script, CUSTOM_TX_MARKER);
  return found && { type: String.fromCharCode(found.payload[0] as number), body: found.payload.subarray(1), extra: found.extra };
}

/** `scriptPubKey` of the first output: `OP_RETURN` and one push of marker, type byte and message. */
export function customTxScript({ type, body }: Pick<CustomTxPayload, 'type' | 'body'>): Uint8Array {
  return buildScript(Op.RETURN, concatBytes(Buffer.from(CUSTOM_TX_MARKER + type, 'latin1'), body));
}
