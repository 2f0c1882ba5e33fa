import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';

export type Body = { readonly status: 'read'; readonly bytes: Uint8Array } | { readonly status: 'too-large' } | { readonly status: 'gone' };

const EMPTY = Buffer.alloc(0);

/**
 * Collects a request's body without ever holding more than `limit` bytes. `done` is called once; a body that was announced or
 * grows beyond the limit ends at once as `too-large`. A callback and not a promise: this is on the path of every call.
 */
export function readBody(req: IncomingMessage, limit: number, done: (body: Body) => void): void {
  if (Number(req.headers['content-length'] ?? 0) > limit) {
    done({ status: 'too-large' });
    return;
  }
  let first: Buffer = EMPTY;
  let chunks: Buffer[] | undefined;
  let size = 0;
  let finished = false;
  const finish = (body: Body): void => {
    if (finished) return;
    finished = true;
    done(body);
  };
  req.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (finished) return;
    if (size > limit) {
      first = EMPTY;
      chunks = undefined;
      finish({ status: 'too-large' });
    } else if (size === chunk.length) first = chunk;
    else if (chunks) chunks.push(chunk);
    else chunks = [first, chunk];
  });
  req.on('end', () => finish({ status: 'read', bytes: chunks ? Buffer.concat(chunks) : first }));
  req.on('close', () => finish({ status: 'gone' }));
}

/** The body as text; undefined where it is not UTF-8, which no JSON text is. */
export function bodyText(bytes: Uint8Array): string | undefined {
  return isUtf8(bytes) ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8') : undefined;
}
