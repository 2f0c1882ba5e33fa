import type { Method } from '../unary.js';
import { END_STREAM, type Frame } from './frames.js';
import type { Fields } from './header-decoder.js';
import type { PlainHead } from './plain-head.js';

/** Maximum size of the message of a plain call, in bytes. */
const MAX_MESSAGE_BYTES = 4096;
/** Flag and length before a message. */
const MESSAGE_HEAD_BYTES = 5;
/** Maximum number of frames of the message of a plain call. */
const MAX_FRAMES = 8;

/** A plain call whose message is not complete. */
export class WaitingCall {
  /** Frames of the message, as they were received. */
  readonly frames: Buffer[] = [];
  readonly #content: Buffer[] = [];
  /** Payload of the frames, which counts towards the window of the connection. */
  payloadBytes = 0;

  constructor(
    readonly fields: Fields,
    readonly head: PlainHead,
    readonly method: Method,
  ) {}

  /** @param content payload without padding @returns false if the message is too long for a plain call */
  add({ flags, payload, whole }: Frame, content: Buffer): boolean {
    // Copies the part that has to wait, so that the rest of a received chunk does not stay in memory.
    const mustWait = (flags & END_STREAM) === 0;
    this.frames.push(mustWait ? Buffer.from(whole) : whole);
    this.#content.push(mustWait ? Buffer.from(content) : content);
    this.payloadBytes += payload.length;
    return this.payloadBytes <= MESSAGE_HEAD_BYTES + MAX_MESSAGE_BYTES && this.frames.length <= MAX_FRAMES;
  }

  /** The complete message; undefined unless it is one, not compressed and of the announced length. */
  message(): Buffer | undefined {
    const bytes = this.#content.length === 1 ? (this.#content[0] as Buffer) : Buffer.concat(this.#content);
    const announced = this.head.headers.get('content-length');
    if (announced !== undefined && announced !== String(bytes.length)) return undefined;
    if (bytes.length < MESSAGE_HEAD_BYTES || bytes[0] !== 0 || bytes.readUInt32BE(1) !== bytes.length - MESSAGE_HEAD_BYTES)
      return undefined;
    return bytes.subarray(MESSAGE_HEAD_BYTES);
  }
}
