import type { ByteReader, Codec } from '../../primitives/codec.js';
import type { Steps } from '../../util/slicer.js';

/** Codec of a payload. */
export interface WireCodec<T> extends Codec<T> {
  /** Reads a payload of megabytes in slices; undefined if that takes little time. @throws {DecodeError} as `read` does */
  readonly readLong?: (r: ByteReader) => Steps<T>;
}
