import type { Transaction } from '../../primitives/transaction.js';
import { markerPayload } from '../../script/marker.js';
import { Op } from '../../script/opcodes.js';
import { buildScript } from '../../script/script.js';
import { concatBytes } from '../../util/bytes.js';

/** Type letter of a custom transaction and the message that follows it. */
export interface CustomTxPayload {
  readonly type: string;
  readonly body: Uint8Array;
}

/** Marker of custom transactions in the first output's script. */
export const CUSTOM_TX_MARKER = 'DfTx';

/** Payload of a transaction whose first output has the marker; its type may be unknown. Undefined without the marker. */
export function customTxPayload(tx: Pick<Transaction, 'vout'>): CustomTxPayload | undefined {
  const script = tx.vout[0]?.scriptPubKey;
  const found = script && markerPayload(script, CUSTOM_TX_MARKER);
  if (!found) return undefined;
  return { type: String.fromCharCode(found.payload[0] ?? 0), body: found.payload.subarray(1) };
}

/** `scriptPubKey` of the first output: `OP_RETURN` and one push of marker, type and message. */
export function customTxScript({ type, body }: CustomTxPayload): Uint8Array {
  return buildScript(Op.RETURN, concatBytes(Buffer.from(CUSTOM_TX_MARKER + type, 'latin1'), body));
}
