import { isAscii, isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { NodeError } from '../util/errors.js';
import { type JsonBudget, type JsonValue, parseJson, parseJsonInSlices } from '../util/json.js';
import { type MaybePromise, Slicer } from '../util/slicer.js';

/** Bodies of all requests under way together, in bytes; one body alone may pass it. */
export const MAX_BODIES_BYTES = 32 * 1024 * 1024;

/** JSON values in one body. */
export const MAX_JSON_VALUES = 250_000;

/** Share of the bound on all bodies that a parsed value takes: what a member of a small object was seen to occupy. */
const BYTES_PER_VALUE = 170;

/** A larger body is decoded and parsed in slices. */
const LONG_BODY_BYTES = 1024 * 1024;

/** Memory for the bodies of all requests under way. */
export class BodyBudget {
  #used = 0;

  constructor(readonly limit = MAX_BODIES_BYTES) {}

  get used(): number {
    return this.#used;
  }

  /**
   * @param own bytes that the same body has taken already: a body alone is never refused
   * @throws {NodeError} `overloaded` if other bodies leave too little
   */
  take(bytes: number, own: number): void {
    if (this.#used + bytes > this.limit && this.#used > own) throw new NodeError('overloaded', 'Too much data in requests under way');
    this.#used += bytes;
  }

  give(bytes: number): void {
    this.#used -= bytes;
  }
}

/** The body of one request, and its share of the budget until the request is answered or its client leaves. */
export class RequestBody implements JsonBudget {
  /** As they arrived. */
  chunks: Uint8Array[] = [];
  #taken = 0;
  #values = 0;

  constructor(
    readonly budget: BodyBudget,
    readonly res: ServerResponse,
  ) {}

  get isEmpty(): boolean {
    return this.chunks.length === 0;
  }

  get bytes(): Uint8Array {
    const [only = EMPTY, ...more] = this.chunks;
    return more.length === 0 ? only : Buffer.concat(this.chunks);
  }

  /** @throws {NodeError} `overloaded` */
  take(bytes: number): void {
    this.budget.take(bytes, this.#taken);
    if (this.#taken === 0) this.res.once('close', () => this.budget.give(this.#taken));
    this.#taken += bytes;
  }

  /** @throws {NodeError} where there are too many values in this body, or in all */
  onValues(count: number): void {
    if (count > MAX_JSON_VALUES) throw new NodeError('invalid-request', `Request of more than ${MAX_JSON_VALUES} JSON values`);
    // Few values are not worth counting: those of a body in one chunk, read and answered in the same turn.
    if (count < FEW_VALUES) return;
    this.take((count - this.#values) * BYTES_PER_VALUE);
    this.#values = count;
  }

  /**
   * Parses the body, in slices where it is long.
   * @throws {NodeError} `parse-error` for what is no JSON in UTF-8, else as `onValues`; the promise rejects in the same way
   */
  parse(): MaybePromise<JsonValue> {
    if (this.#taken >= LONG_BODY_BYTES) return this.#parseLong();
    try {
      return parseJson(bodyText(this.bytes) ?? '', this);
    } catch (error) {
      throw parseError(error);
    }
  }

  async #parseLong(): Promise<JsonValue> {
    try {
      return await parseJsonInSlices(await bodyTextInSlices(this.chunks), this);
    } catch (error) {
      throw parseError(error);
    }
  }
}

const FEW_VALUES = 10_000;

function parseError(error: unknown): unknown {
  return error instanceof NodeError ? error : new NodeError('parse-error', 'Parse error', { cause: error });
}

/** Reason for which a body was not read. */
export type BodyRefusal = 'too-large' | NodeError;

/** Called once with the body, or with the reason why it was given up; not at all when the client leaves first. */
export type BodyReady = (body: RequestBody | BodyRefusal) => void;

/**
 * Collects a request's body without ever holding more than `limit` bytes, or more than the budget leaves; a body that was
 * announced or grows beyond that is given up at once. A callback and not a promise: this is on the path of every call.
 */
export function readBody(req: IncomingMessage, res: ServerResponse, limit: number, budget: BodyBudget, ready: BodyReady): void {
  if (Number(req.headers['content-length'] ?? 0) > limit) {
    ready('too-large');
    return;
  }
  const body = new RequestBody(budget, res);
  const chunks = new Chunks(limit, body);
  req.on('data', (chunk: Buffer) => {
    const refusal = chunks.add(chunk);
    if (refusal) ready(refusal);
  });
  req.on('end', () => {
    if (chunks.isGivenUp) return;
    body.chunks = chunks.chunks;
    ready(body);
  });
}

const EMPTY = Buffer.alloc(0);

class Chunks {
  isGivenUp = false;
  chunks: Buffer[] = [];
  #size = 0;

  constructor(
    readonly limit: number,
    readonly body: RequestBody,
  ) {}

  /** @returns why the body is given up at this chunk; later ones are dropped */
  add(chunk: Buffer): BodyRefusal | undefined {
    if (this.isGivenUp) return undefined;
    this.#size += chunk.length;
    if (this.#size > this.limit) return this.#giveUp('too-large');
    this.chunks.push(chunk);
    // Most bodies are one chunk, which takes no room for long: it is answered in this turn.
    if (this.chunks.length === 1) return undefined;
    try {
      this.body.take(this.chunks.length === 2 ? this.#size : chunk.length);
      return undefined;
    } catch (error) {
      return this.#giveUp(error as NodeError);
    }
  }

  #giveUp(refusal: BodyRefusal): BodyRefusal {
    this.isGivenUp = true;
    this.chunks = [];
    return refusal;
  }
}

/** The body as text; undefined where it is not UTF-8, which no JSON text is. */
export function bodyText(bytes: Uint8Array): string | undefined {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  // Decoding puts this character where bytes are wrong; it may also be meant.
  return text.includes('\ufffd') && !isUtf8(bytes) ? undefined : text;
}

/** The same for a long body, whose chunks are removed as they are read. @throws {TypeError} where it is not UTF-8 */
async function bodyTextInSlices(chunks: Uint8Array[]): Promise<string> {
  // Text that is put together from pieces is copied as a whole when it is first read, which takes tens of milliseconds.
  if (chunks.every((chunk) => isAscii(chunk))) return (await joined(chunks)).toString('latin1');
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const slicer = new Slicer();
  let text = '';
  for (let chunk = chunks.shift(); chunk; chunk = chunks.shift()) {
    text += decoder.decode(chunk, { stream: true });
    const paused = slicer.pause();
    if (paused) await paused;
  }
  return text + decoder.decode();
}

async function joined(chunks: Uint8Array[]): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(chunks.reduce((length, chunk) => length + chunk.length, 0));
  const slicer = new Slicer();
  let at = 0;
  for (let chunk = chunks.shift(); chunk; chunk = chunks.shift()) {
    bytes.set(chunk, at);
    at += chunk.length;
    const paused = slicer.pause();
    if (paused) await paused;
  }
  return bytes;
}
