import { type Codec, i32, struct } from '../../primitives/codec.js';
import { type Hash256, hash256 } from '../../primitives/hash.js';
import { limitedList } from './limits.js';

/** Request for the blocks or headers after the first known block of a list. */
export interface LocatorRequest {
  /** Protocol version of the sender; ignored. */
  readonly version: number;
  /** Block hashes from the tip down, at growing distances. */
  readonly locator: readonly Hash256[];
  /** Hash of the block to stop at; all zero for as many as the answer may have. */
  readonly stop: Hash256;
}

/** @throws {LimitExceeded} for more than 101 hashes */
const locatorRequest: Codec<LocatorRequest> = struct<LocatorRequest>({
  version: i32,
  locator: limitedList(hash256, 'locator', 32),
  stop: hash256,
});

/** Requests an inventory of up to 500 blocks. */
export const getblocks = locatorRequest;
/** Requests up to 2000 headers; with an empty locator, the one header that `stop` names. */
export const getheaders = locatorRequest;
