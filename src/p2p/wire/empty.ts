import type { Codec } from '../../primitives/codec.js';

/** Payload of a message that says everything by its name. */
export type Empty = Readonly<Record<never, never>>;

export const EMPTY: Empty = Object.freeze({});

/** No bytes. */
export const empty: Codec<Empty> = { write() {}, read: () => EMPTY };
