import { Op } from './opcodes.js';
import { readOp } from './script.js';

/** Four letters behind OP_RETURN that say what the rest of the push is (docs/protocol/chain.md 2.2). */
export type Marker = 'DfTx' | 'DfAf' | 'DfAP' | 'DfTS';

export interface MarkedPayload {
  /** At least one byte. For `DfTx` the first is the type of the transaction. */
  readonly payload: Uint8Array;
  /** Another step follows the push; a cut-off push behind it does not count. */
  readonly extra: boolean;
}

/** Payload of OP_RETURN and a push, minimal or not, that begins with the marker. */
export function markerPayload(script: Uint8Array, marker: Marker): MarkedPayload | undefined {
  if (script[0] !== Op.RETURN) return undefined;
  const push = readOp(script, 1);
  if (!push?.data || push.data.length <= marker.length) return undefined;
  for (let i = 0; i < marker.length; i++) if (push.data[i] !== marker.charCodeAt(i)) return undefined;
  return { payload: push.data.subarray(marker.length), extra: readOp(script, push.end)?.ok === true };
}
