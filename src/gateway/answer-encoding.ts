import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { createGzip, gzipSync } from 'node:zlib';
import type { AbortableCall } from './abortable-call.js';
import { PendingCalls } from './pending-calls.js';
import { type Body, bodyLength, type ReplyStream, send } from './reply.js';

/** The part of a request that decides about the encoding of its answer. */
export interface EncodedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly socket: Socket;
}

/** Answers that are compressed at a time; others are sent as they are. */
const MAX_COMPRESSING = 16;
/** Minimum length of an answer that is compressed, in bytes. A shorter one fits into a few packets. */
const MIN_GZIP_BYTES = 4 * 1024;
/** Maximum length of an answer that is compressed in the turn of the event loop that has it: this takes a fraction of a millisecond. */
const MAX_SYNC_BYTES = 16 * 1024;
/** The fastest level: the higher ones save a tenth of the bytes in several times the time. */
const GZIP_OPTIONS = { level: 1, chunkSize: 64 * 1024 };

const LOOPBACK = /^(?:::1$|(?:::ffff:)?127\.)/;

/** Sends answers compressed to clients that accept it. */
export class AnswerEncoding {
  /** Answers that are being compressed. */
  readonly pending = new PendingCalls(MAX_COMPRESSING);

  /** Sends an answer, at once or when it is compressed. */
  send(res: ReplyStream, request: EncodedRequest, call: AbortableCall, status: number, type: string, body: Body): void {
    const length = typeof body === 'string' ? body.length : bodyLength(body);
    if (length < MIN_GZIP_BYTES) send(res, status, type, body);
    else if (!acceptsGzip(request.headers['accept-encoding'])) send(res, status, type, body, VARY);
    else if (length <= MAX_SYNC_BYTES) {
      send(res, status, type, [gzipSync(typeof body === 'string' ? body : Buffer.concat(body), GZIP_OPTIONS)], GZIP);
    } else if (this.pending.full) send(res, status, type, body, VARY);
    else {
      const compressed = compress(typeof body === 'string' ? [Buffer.from(body)] : body, call.signal);
      const sent = compressed.then(
        (pieces) => send(res, status, type, pieces, GZIP),
        () => send(res, status, type, body, VARY),
      );
      this.pending.track(call, request.socket, sent);
    }
  }
}

const VARY = ['Vary', 'Accept-Encoding'];
const GZIP = ['Content-Encoding', 'gzip', ...VARY];

/** Compresses in threads of the system. @throws {Error} if the signal is aborted */
async function compress(pieces: readonly Uint8Array[], signal: AbortSignal): Promise<Uint8Array[]> {
  const compressed: Uint8Array[] = [];
  await pipeline(
    pieces,
    createGzip(GZIP_OPTIONS),
    async (source: AsyncIterable<Uint8Array>) => {
      for await (const piece of source) compressed.push(piece);
    },
    { signal },
  );
  return compressed;
}

/** True if the client and the node share a machine, where compression costs more time than it saves. */
export function isLocal({ socket }: EncodedRequest): boolean {
  return LOOPBACK.test(socket.remoteAddress ?? '');
}

/** True if a header `Accept-Encoding` permits gzip. @see RFC 9110 12.5.3 */
export function acceptsGzip(header: string | string[] | undefined): boolean {
  const codings = new Map<string, boolean>();
  for (const entry of String(header ?? '').split(',')) {
    const [coding = '', ...parameters] = entry.split(';').map((text) => text.trim().toLowerCase());
    const weight = parameters.find((text) => /^q\s*=/.test(text));
    codings.set(coding, weight === undefined || Number(weight.slice(weight.indexOf('=') + 1)) > 0);
  }
  return codings.get('gzip') ?? codings.get('x-gzip') ?? codings.get('*') ?? false;
}
