import { sha256 } from '../crypto/hash.js';
import { InvalidField } from './errors.js';
import type { KeyPart } from './page-list.js';

/** Place in a list between two elements, whatever happens to the elements before and after it. */
export interface PageCursor {
  /** Key of the last element that the client has. */
  readonly key: readonly KeyPart[];
  /** Elements with this key that the client has. */
  readonly count: number;
}

/** First byte of a cursor. Another one is from another version of the node. */
const VERSION = 1;
const CALL_SIZE = 8;
const CHECK_SIZE = 4;
const HEAD_SIZE = 1 + CALL_SIZE;
const MAX_CHARS = 8_192;
const TEXT = /^[\w-]+$/;

/**
 * Text of a cursor for clients, to whom it means nothing: version, digest of the call, place, and a checksum of them all. Any node can
 * continue with it.
 * @param call operation and arguments, without those that differ from page to page
 */
export function formatCursor(call: string, { key, count }: PageCursor): string {
  const place = Buffer.from(JSON.stringify([count, ...key]));
  const bytes = Buffer.concat([Buffer.of(VERSION), digestOf(call), place]);
  return Buffer.concat([bytes, checksumOf(bytes)]).toString('base64url');
}

/** @throws {InvalidField} for a text that no node has made, or that belongs to another call */
export function parseCursor(call: string, text: string): PageCursor {
  const bytes = text.length <= MAX_CHARS && TEXT.test(text) ? Buffer.from(text, 'base64url') : Buffer.alloc(0);
  const at = bytes.length - CHECK_SIZE;
  const isWhole = at > HEAD_SIZE && checksumOf(bytes.subarray(0, at)).equals(bytes.subarray(at)) && bytes.toString('base64url') === text;
  if (!isWhole) throw new InvalidField('page', 'is not a cursor: pass the `next` of the page before as it is');
  if (bytes[0] !== VERSION) throw new InvalidField('page', 'is a cursor of another version of the node: start again with an empty one');
  if (!digestOf(call).equals(bytes.subarray(1, HEAD_SIZE))) {
    throw new InvalidField('page', 'is a cursor of another call: operation and arguments must be those of the page before');
  }
  const [count, ...key] = JSON.parse(bytes.toString('utf8', HEAD_SIZE, at)) as [number, ...KeyPart[]];
  return { key, count };
}

function digestOf(call: string): Buffer {
  return Buffer.from(sha256(Buffer.from(call))).subarray(0, CALL_SIZE);
}

function checksumOf(bytes: Uint8Array): Buffer {
  return Buffer.from(sha256(Buffer.concat([Buffer.from('dfi page'), bytes]))).subarray(0, CHECK_SIZE);
}
