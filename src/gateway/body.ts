import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';

/** Called once with the body, or with undefined when it is too large; not at all when the client leaves first. */
export type BodyReady = (body: Uint8Array | undefined) => void;

/**
 * Collects a request's body without ever holding more than `limit` bytes; a body that was announced or grows beyond it is given
 * up at once. A callback and not a promise: this is on the path of every call.
 */
export function readBody(req: IncomingMessage, limit: number, ready: BodyReady): void {
  if (Number(req.headers['content-length'] ?? 0) > limit) {
    ready(undefined);
    return;
  }
  const body = new BodyBuffer(limit);
  req.on('data', (chunk: Buffer) => {
    if (body.add(chunk) === 'overflow') ready(undefined);
  });
  req.on('end', () => {
    if (!body.overflowed) ready(body.bytes());
  });
}

const EMPTY = Buffer.alloc(0);

class BodyBuffer {
  overflowed = false;
  #size = 0;
  /** Most bodies are one chunk, which is passed on as it is. */
  #first: Buffer = EMPTY;
  #more: Buffer[] | undefined;

  constructor(readonly limit: number) {}

  /** @returns `overflow` at the chunk with which the limit is passed; later ones are dropped */
  add(chunk: Buffer): 'overflow' | undefined {
    if (this.overflowed) return undefined;
    this.#size += chunk.length;
    if (this.#size > this.limit) {
      this.overflowed = true;
      this.#first = EMPTY;
      this.#more = undefined;
      return 'overflow';
    }
    if (this.#size === chunk.length) this.#first = chunk;
    else if (this.#more) this.#more.push(chunk);
    else this.#more = [chunk];
    return undefined;
  }

  bytes(): Uint8Array {
    return this.#more ? Buffer.concat([this.#first, ...this.#more]) : this.#first;
  }
}

/** The body as text; undefined where it is not UTF-8, which no JSON text is. */
export function bodyText(bytes: Uint8Array): string | undefined {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  // Decoding puts this character where bytes are wrong; it may also be meant.
  return text.includes('\ufffd') && !isUtf8(bytes) ? undefined : text;
}
