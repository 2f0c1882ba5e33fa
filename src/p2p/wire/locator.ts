import { type Codec, i32, struct } from '../../primitives/codec.js';
import { type Hash256, hash256 } from '../../primitives/hash.js';
import { limitedList } from './limits.js';

/** Asks what follows the first known block of a list. */
export interface LocatorRequest {
  /** Protocol version of the asking node; nobody looks at it. */
  readonly version: number;
  /** Block hashes from the tip down, thinning out. */
  readonly locator: readonly Hash256[];
  /** Where to stop; all zero for as far as it goes. */
  readonly stop: Hash256;
}

/** @throws {LimitExceeded} for more than 101 hashes */
export const locatorRequest: Codec<LocatorRequest> = struct<LocatorRequest>({
  version: i32,
  locator: limitedList(hash256, 'locator'),
  stop: hash256,
});
