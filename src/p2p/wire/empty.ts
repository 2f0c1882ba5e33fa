import type { Codec } from '../../primitives/codec.js';

/** Payload of a message that consists of its name. */
export type Empty = Readonly<Record<never, never>>;

export const EMPTY: Empty = Object.freeze({});

const empty: Codec<Empty> = { write() {}, read: () => EMPTY };

/** Accepts the other side's `version` and ends the handshake. */
export const verack = empty;
/** Requests `addr`. */
export const getaddr = empty;
/** Requests the transactions of the mempool, as `inv` (BIP35). */
export const mempool = empty;
/** Requests that new blocks are announced by `headers` (BIP130). */
export const sendheaders = empty;
/** Removes the bloom filter, so that all transactions are relayed again (BIP37). */
export const filterclear = empty;
