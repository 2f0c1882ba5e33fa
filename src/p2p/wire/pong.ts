import { type Codec, u64 } from '../../primitives/codec.js';

export interface Pong {
  /** Nonce of the ping; undefined if the sender omitted it. */
  readonly nonce: bigint | undefined;
}

/** Answers `ping`. */
export const pong: Codec<Pong> = {
  write(w, { nonce }) {
    if (nonce !== undefined) u64.write(w, nonce);
  },
  read: (r) => ({ nonce: r.remaining >= 8 ? u64.read(r) : undefined }),
};
