import { Op } from './opcodes.js';
import { readOp } from './script.js';

/** First four letters of the push after OP_RETURN: custom transaction, anchor rewards, token split (docs/protocol/chain.md 2.2). */
export type Marker = 'DfTx' | 'DfAf' | 'DfAP' | 'DfTS';

export interface MarkedPayload {
  /** At least one byte. For `DfTx` the first is the type byte. */
  readonly payload: Uint8Array;
  /** True if a complete operation follows the push. */
  readonly extra: boolean;
}

/** Payload of a script of OP_RETURN and a push, minimal or not, that begins with the marker; undefined for other scripts. */
export function markerPayload(script: Uint8Array, marker: Marker): MarkedPayload | undefined {
  if (script[0] !== Op.RETURN) return undefined;
  const push = readOp(script, 1);
  if (!push?.data || push.data.length <= marker.length) return undefined;
  for (let i = 0; i < marker.length; i++) if (push.data[i] !== marker.charCodeAt(i)) return undefined;
  return { payload: push.data.subarray(marker.length), extra: readOp(script, push.end)?.ok === true };
}
