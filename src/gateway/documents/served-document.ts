import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { acceptsGzip } from '../answer-encoding.js';
import { send } from '../reply.js';

interface Forms {
  readonly text: Buffer;
  readonly gzip: Buffer;
  /** Validator of caches. A weak one is the same for both forms. */
  readonly etag: string;
}

/** A file that is served, read and compressed at its first use. */
export class ServedDocument {
  #forms: Promise<Forms> | undefined;

  constructor(
    readonly file: URL,
    readonly type: string,
  ) {}

  /** Sends the file, or 304 to a client that has it. @see RFC 9110 13.1.2 */
  async send(headers: IncomingHttpHeaders, res: ServerResponse): Promise<void> {
    this.#forms ??= formsOf(this.file);
    const forms = await this.#forms.catch((error: unknown) => {
      this.#forms = undefined; // the next request tries again
      throw error;
    });
    const validators = ['ETag', forms.etag, 'Vary', 'Accept-Encoding', 'Cache-Control', 'no-cache'];
    if (isKnown(forms.etag, headers['if-none-match'])) {
      res.writeHead(304, validators);
      res.end();
    } else if (acceptsGzip(headers['accept-encoding'])) {
      send(res, 200, this.type, [forms.gzip], ['Content-Encoding', 'gzip', ...validators]);
    } else send(res, 200, this.type, [forms.text], validators);
  }
}

async function formsOf(file: URL): Promise<Forms> {
  const text = await readFile(file);
  const hash = createHash('sha256').update(text).digest('base64url').slice(0, 22);
  return { text, gzip: await promisify(gzip)(text), etag: `W/"${hash}"` };
}

/** Weak comparison with the header `If-None-Match`. */
function isKnown(etag: string, header: string | undefined): boolean {
  const tags = (header ?? '').split(',').map((tag) => tag.trim());
  return tags.includes('*') || tags.some((tag) => tag === etag || `W/${tag}` === etag);
}
