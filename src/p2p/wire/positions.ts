import { type ByteReader, type ByteWriter, compactSize, DecodeError } from '../../primitives/codec.js';
import { LIMITS } from './limits.js';

/**
 * Reads one of the ascending positions in a block, which is written as its distance from the previous one, less one (BIP152).
 * @param before the previous position, -1 at the start
 * @throws {DecodeError} if the position exceeds 16 bits
 */
export function readPosition(r: ByteReader, before: number): number {
  const position = before + 1 + compactSize.read(r);
  if (position >= LIMITS.blockPositions) throw new DecodeError('indexes overflowed 16 bits');
  return position;
}

/** Writes one of the ascending positions, as `readPosition` reads it. */
export function writePosition(w: ByteWriter, position: number, before: number): void {
  compactSize.write(w, position - before - 1);
}
