import { type Codec, mapped, varBytes } from '../../primitives/codec.js';
import { byteText as latin1Text } from '../../util/bytes.js';

/** Length, then bytes. In memory a string of one char per byte (latin1), because rules truncate and compare texts bytewise. */
export const byteString: Codec<string> = mapped(varBytes, latin1Text, (text) => Buffer.from(text, 'latin1'));

/** Decodes a string of one char per byte as UTF-8, for display. */
export function readableText(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/**
 * Decodes the reason of a rejection as UTF-8, since it may quote bytes of messages. A reason with chars above one byte is readable already.
 */
export function readableReason(reason: string): string {
  return /[^\0-\xff]/.test(reason) ? reason : readableText(reason);
}

/** Inverse of {@link readableText}. */
export function byteText(readable: string): string {
  return Buffer.from(readable, 'utf8').toString('latin1');
}
