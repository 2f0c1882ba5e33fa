import { type Codec, u8, varBytes } from '../../primitives/codec.js';

/** Reason why a node rejected a message (BIP61). Newer nodes neither send nor process it. */
export interface Reject {
  /** Name of the rejected message. */
  readonly message: string;
  readonly code: number;
  readonly reason: string;
  /** Hash of the rejected block or transaction; otherwise empty. */
  readonly data: Uint8Array;
}

const MAX_NAME = 12;
const MAX_REASON = 111;

function text(bytes: Uint8Array, limit: number): string {
  return Buffer.from(bytes.subarray(0, limit))
    .toString('latin1')
    .replace(/[^ -~]/g, '');
}

export const reject: Codec<Reject> = {
  write(w, value) {
    varBytes.write(w, Buffer.from(value.message, 'latin1'));
    u8.write(w, value.code);
    varBytes.write(w, Buffer.from(value.reason.slice(0, MAX_REASON), 'latin1'));
    w.bytes(value.data);
  },
  read(r) {
    const message = text(varBytes.read(r), MAX_NAME);
    const code = u8.read(r);
    const reason = text(varBytes.read(r), MAX_REASON);
    return { message, code, reason, data: r.bytes(r.remaining >= 32 ? 32 : 0) };
  },
};
