import { type ByteReader, type ByteWriter, compactSize, DecodeError } from '../../primitives/codec.js';
import { LIMITS } from './limits.js';

/**
 * Rising positions in a block, each written as its distance from the one before, less one (BIP152).
 * @param before the position before, -1 at the start
 * @throws {DecodeError} beyond 16 bits
 */
export function readPosition(r: ByteReader, before: number): number {
  const position = before + 1 + compactSize.read(r);
  if (position >= LIMITS.blockPositions) throw new DecodeError('indexes overflowed 16 bits');
  return position;
}

export function writePosition(w: ByteWriter, position: number, before: number): void {
  compactSize.write(w, position - before - 1);
}
