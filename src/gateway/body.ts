import { isAscii, isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { NodeError } from '../util/errors.js';
import { type JsonBudget, type JsonValue, parseJson, parseJsonInSlices } from '../util/json.js';
import { type MaybePromise, Slicer } from '../util/slicer.js';

/** Maximum size of the bodies of all running requests together, in bytes; a single body may exceed it. */
const MAX_BODIES_BYTES = 32 * 1024 * 1024;

/** Maximum number of JSON values in a body. */
export const MAX_JSON_VALUES = 250_000;

/** Bytes that a parsed value counts for: the measured size of a member of a small object. */
const BYTES_PER_VALUE = 170;

/** Maximum size of a body that is too short for as many values as a budget counts. */
export const SHORT_BODY_BYTES = 16 * 1024;

/** Minimum size of a body to decode and parse in slices. */
const LONG_BODY_BYTES = 1024 * 1024;

class TooManyValues extends NodeError {
  constructor() {
    super('invalid-request', `Request of more than ${MAX_JSON_VALUES} JSON values`);
  }
}

/** Memory for the bodies of all running requests. */
export class BodyBudget {
  #used = 0;

  constructor(readonly limit = MAX_BODIES_BYTES) {}

  get used(): number {
    return this.#used;
  }

  /**
   * Reserves memory for a body.
   * @param own bytes that the same body has reserved already; a single body is never refused
   * @throws {NodeError} `overloaded` if other bodies leave too little
   */
  reserve(bytes: number, own: number): void {
    if (this.#used + bytes > this.limit && this.#used > own) throw new NodeError('overloaded', 'Too much data in requests under way');
    this.#used += bytes;
  }

  release(bytes: number): void {
    this.#used -= bytes;
  }
}

/** Reply to the request of a body, which ends with an event. */
export interface BodyOwner {
  once(event: 'close', listener: () => void): unknown;
}

/** Body of a request, with its share of the budget until the request is answered or its client disconnects. */
export class RequestBody implements JsonBudget {
  /** Chunks in the order of arrival. */
  chunks: Uint8Array[] = [];
  #reserved = 0;
  #values = 0;

  constructor(
    readonly budget: Pick<BodyBudget, 'reserve' | 'release'>,
    readonly res: BodyOwner,
  ) {}

  get isEmpty(): boolean {
    return this.chunks.length === 0;
  }

  /** Text of a body of one chunk and at most SHORT_BODY_BYTES; undefined for any other body. Empty if it is not UTF-8, as no JSON is. */
  get shortText(): string | undefined {
    const [only = EMPTY] = this.chunks;
    return this.chunks.length > 1 || only.length > SHORT_BODY_BYTES ? undefined : (bodyText(only) ?? '');
  }

  /** The chunks joined. */
  get bytes(): Uint8Array {
    const [only = EMPTY, ...more] = this.chunks;
    return more.length === 0 ? only : Buffer.concat(this.chunks);
  }

  /** @throws {NodeError} `overloaded` */
  reserve(bytes: number): void {
    this.budget.reserve(bytes, this.#reserved);
    if (this.#reserved === 0) this.res.once('close', () => this.budget.release(this.#reserved));
    this.#reserved += bytes;
  }

  /** @throws {NodeError} if this body, or all together, have too many values */
  onValues(count: number): void {
    if (count > MAX_JSON_VALUES) throw new TooManyValues();
    // Few values are not counted: such a body is one chunk, parsed and answered in the same turn of the event loop.
    if (count < FEW_VALUES) return;
    this.reserve((count - this.#values) * BYTES_PER_VALUE);
    this.#values = count;
  }

  /**
   * Parses the body, in slices if it is long.
   * @throws {NodeError} `parse-error` if it is not JSON in UTF-8, else as `onValues`; the promise rejects in the same way
   */
  parse(): MaybePromise<JsonValue> {
    if (this.#reserved >= LONG_BODY_BYTES) return this.#parseLong();
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

/** Error of a body that cannot be parsed: the reason that its budget gave, else `parse-error`. */
export function parseError(error: unknown): unknown {
  return error instanceof NodeError ? error : new NodeError('parse-error', 'Parse error', { cause: error });
}

/** Reason to refuse a body. */
export type BodyRefusal = 'too-large' | NodeError;

/** Called once with the body, or with the reason of its refusal; not called if the client disconnects before. */
export type BodyReady = (body: RequestBody | BodyRefusal) => void;

/**
 * Reads the body of a request, with at most `limit` bytes and the memory that the budget has left. A body whose announced or actual size
 * exceeds that is refused immediately. Takes a callback instead of returning a promise, because every call passes here.
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
  readonly #commas = new CommaCounter();
  #size = 0;

  constructor(
    readonly limit: number,
    readonly body: RequestBody,
  ) {}

  /** @returns the reason if the body is refused at this chunk; later chunks are dropped */
  add(chunk: Buffer): BodyRefusal | undefined {
    if (this.isGivenUp) return undefined;
    this.#size += chunk.length;
    if (this.#size > this.limit) return this.#giveUp('too-large');
    this.chunks.push(chunk);
    // Most bodies are one chunk, which is answered in this turn of the event loop and needs no reservation.
    if (this.chunks.length === 1) return undefined;
    try {
      this.#countCommas(chunk);
      this.body.reserve(this.chunks.length === 2 ? this.#size : chunk.length);
      return undefined;
    } catch (error) {
      return this.#giveUp(error as NodeError);
    }
  }

  /** Refuses a body of too many values while it arrives, before it takes the memory of all others. @throws {NodeError} */
  #countCommas(chunk: Buffer): void {
    const first = this.chunks.length === 2 ? this.chunks[0] : undefined;
    if (first) this.#commas.add(first);
    this.#commas.add(chunk);
    if (this.#commas.count > MAX_JSON_VALUES) throw new TooManyValues();
  }

  #giveUp(refusal: BodyRefusal): BodyRefusal {
    this.isGivenUp = true;
    this.chunks = [];
    return refusal;
  }
}

/** Number of commas outside the strings of a JSON text, which has more values than that. */
export class CommaCounter {
  count = 0;
  #inString = false;
  #escaped = false;

  add(chunk: Uint8Array): void {
    let [count, inString, escaped] = [this.count, this.#inString, this.#escaped];
    // The rest of a string without a backslash is skipped, because a block is one string of megabytes.
    let [backslash, quote] = [-1, -1];
    for (let i = 0; i < chunk.length; i++) {
      if (inString && !escaped) {
        if (backslash < i) backslash = positionOf(BACKSLASH, chunk, i);
        if (quote < i) quote = positionOf(QUOTE, chunk, i);
        i = Math.min(quote, backslash);
      }
      const byte = chunk[i];
      if (escaped) escaped = false;
      else if (byte === QUOTE) inString = !inString;
      else if (inString) escaped = byte === BACKSLASH;
      else if (byte === COMMA) count += 1;
    }
    [this.count, this.#inString, this.#escaped] = [count, inString, escaped];
  }
}

/** Position of the byte from `from` on; the length of the chunk if there is none. */
function positionOf(byte: number, chunk: Uint8Array, from: number): number {
  const at = chunk.indexOf(byte, from);
  return at < 0 ? chunk.length : at;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;

/** Body as text; undefined if it is not UTF-8, as JSON must be. */
export function bodyText(bytes: Uint8Array): string | undefined {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  // Decoding replaces wrong bytes by this character, which may also be part of the text.
  return text.includes('\ufffd') && !isUtf8(bytes) ? undefined : text;
}

/** As `bodyText` for a long body, whose chunks are removed as they are read. @throws {TypeError} if it is not UTF-8 */
async function bodyTextInSlices(chunks: Uint8Array[]): Promise<string> {
  // A text concatenated from pieces is flattened at its first read, which takes tens of milliseconds.
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
