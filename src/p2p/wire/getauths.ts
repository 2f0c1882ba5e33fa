import { type Codec, struct } from '../../primitives/codec.js';
import { type Hash256, hash256 } from '../../primitives/hash.js';

/** A stretch of the chain, the lower end excluded. */
export interface AuthsRequest {
  readonly lowBlock: Hash256;
  readonly highBlock: Hash256;
}

/** Asks for the signatures under anchors of these blocks (docs/protocol/chain.md 7.2). */
export const getauths: Codec<AuthsRequest> = struct<AuthsRequest>({ lowBlock: hash256, highBlock: hash256 });
