import { type Codec, struct } from '../../primitives/codec.js';
import { type Hash256, hash256 } from '../../primitives/hash.js';

/** A range of the active chain: blocks above `lowBlock` up to and including `highBlock`. */
export interface AuthsRequest {
  readonly lowBlock: Hash256;
  readonly highBlock: Hash256;
}

/** Requests the anchor signatures of these blocks (docs/protocol/chain.md 7.2). */
export const getauths: Codec<AuthsRequest> = struct<AuthsRequest>({ lowBlock: hash256, highBlock: hash256 });
