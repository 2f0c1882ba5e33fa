import { sha256d } from '../../crypto/hash.js';
import { Sha256d } from '../../crypto/hash-stream.js';
import { equalBytes, toHex } from '../../util/bytes.js';
import { MAX_PAYLOAD_SIZE } from './limits.js';

const MAGIC_SIZE = 4;
const COMMAND_SIZE = 12;
const CHECKSUM_SIZE = 4;
/** Bytes around each payload. */
export const HEADER_SIZE = MAGIC_SIZE + COMMAND_SIZE + 4 + CHECKSUM_SIZE;
/** First allocation for a payload. The length in the header is not trusted before the bytes arrive. */
const FIRST_BUFFER_SIZE = 64 * 1024;

/** Encodes one message: magic, command padded with zeros, u32 length, first four bytes of the double SHA-256 of the payload, payload. */
export function encodeFrame(magic: Uint8Array, command: string, payload: Uint8Array): Uint8Array {
  const frame = Buffer.alloc(HEADER_SIZE + payload.length);
  frame.set(magic, 0);
  frame.write(command, MAGIC_SIZE, COMMAND_SIZE, 'latin1');
  frame.writeUInt32LE(payload.length, MAGIC_SIZE + COMMAND_SIZE);
  frame.set(sha256d(payload).subarray(0, CHECKSUM_SIZE), HEADER_SIZE - CHECKSUM_SIZE);
  frame.set(payload, HEADER_SIZE);
  return frame;
}

/** A complete message whose payload is not yet decoded, or the reason why there is none. */
export type Frame =
  | { readonly kind: 'message'; readonly command: string; readonly payload: Uint8Array; readonly size: number }
  /** A message of unknown type. Its payload was hashed and dropped. */
  | { readonly kind: 'unknown'; readonly command: string; readonly size: number }
  /** The message is invalid and must be skipped; the stream continues after it. */
  | { readonly kind: 'bad-command'; readonly size: number }
  | { readonly kind: 'bad-checksum'; readonly command: string; readonly size: number; readonly found: string; readonly claimed: string }
  /** The stream is unreadable from here on. */
  | { readonly kind: 'bad-magic'; readonly command: string }
  | { readonly kind: 'oversized'; readonly command: string; readonly length: number };

/** The message that is being received. */
interface Incoming {
  readonly command: string;
  readonly validCommand: boolean;
  readonly length: number;
  readonly checksum: Uint8Array;
  /** Undefined for an unknown message, whose payload is only hashed. */
  payload: Uint8Array | undefined;
  received: number;
  readonly hash: Sha256d;
}

/**
 * Cuts a stream of bytes into messages. Memory grows with the bytes received, not with the announced length. However small the pieces
 * are, each byte is copied a constant number of times. Payloads are hashed piece by piece, so that the end of a large message does not
 * block the event loop.
 */
export class FrameParser {
  readonly #magic: Uint8Array;
  readonly #known: (command: string) => boolean;
  readonly #header = Buffer.alloc(HEADER_SIZE);
  #headerSize = 0;
  #incoming: Incoming | undefined;
  #broken = false;

  /** @param known returns true for message types whose payload is kept */
  constructor(magic: Uint8Array, known: (command: string) => boolean) {
    this.#magic = magic;
    this.#known = known;
  }

  /** Bytes buffered for an incomplete message. */
  get pendingBytes(): number {
    return this.#headerSize + (this.#incoming?.payload?.length ?? 0);
  }

  /** Parses bytes and delivers the messages that they complete. After `bad-magic` or `oversized` further bytes are ignored. */
  push(bytes: Uint8Array, deliver: (frame: Frame) => void): void {
    let rest = bytes;
    while (rest.length > 0 && !this.#broken) {
      rest = this.#incoming ? this.#takePayload(this.#incoming, rest) : this.#takeHeader(rest, deliver);
      const incoming = this.#incoming;
      if (incoming && incoming.received === incoming.length) {
        this.#incoming = undefined;
        deliver(finish(incoming));
      }
    }
  }

  #takeHeader(bytes: Uint8Array, deliver: (frame: Frame) => void): Uint8Array {
    const taken = Math.min(HEADER_SIZE - this.#headerSize, bytes.length);
    this.#header.set(bytes.subarray(0, taken), this.#headerSize);
    this.#headerSize += taken;
    if (this.#headerSize < HEADER_SIZE) return bytes.subarray(taken);
    this.#headerSize = 0;
    const { command, valid } = commandOf(this.#header.subarray(MAGIC_SIZE, MAGIC_SIZE + COMMAND_SIZE));
    const length = this.#header.readUInt32LE(MAGIC_SIZE + COMMAND_SIZE);
    if (length > MAX_PAYLOAD_SIZE || !equalBytes(this.#header.subarray(0, MAGIC_SIZE), this.#magic)) {
      this.#broken = true;
      deliver(length > MAX_PAYLOAD_SIZE ? { kind: 'oversized', command, length } : { kind: 'bad-magic', command });
      return bytes.subarray(taken);
    }
    this.#incoming = {
      command,
      validCommand: valid,
      length,
      checksum: Uint8Array.from(this.#header.subarray(HEADER_SIZE - CHECKSUM_SIZE)),
      payload: valid && this.#known(command) ? new Uint8Array(Math.min(length, FIRST_BUFFER_SIZE)) : undefined,
      received: 0,
      hash: new Sha256d(),
    };
    return bytes.subarray(taken);
  }

  #takePayload(incoming: Incoming, bytes: Uint8Array): Uint8Array {
    const taken = Math.min(incoming.length - incoming.received, bytes.length);
    const piece = bytes.subarray(0, taken);
    incoming.hash.update(piece);
    if (incoming.payload) {
      incoming.payload = withRoom(incoming.payload, incoming.received + taken, incoming.length);
      incoming.payload.set(piece, incoming.received);
    }
    incoming.received += taken;
    return bytes.subarray(taken);
  }
}

/** Returns the buffer, or a copy of at least twice its size, at most that of the whole payload. */
function withRoom(buffer: Uint8Array, needed: number, whole: number): Uint8Array {
  if (needed <= buffer.length) return buffer;
  const grown = new Uint8Array(Math.min(whole, Math.max(needed, buffer.length * 2)));
  grown.set(buffer);
  return grown;
}

function finish({ command, validCommand, length, checksum, payload, hash }: Incoming): Frame {
  const size = HEADER_SIZE + length;
  if (!validCommand) return { kind: 'bad-command', size };
  const found = hash.digest().subarray(0, CHECKSUM_SIZE);
  if (!equalBytes(found, checksum)) {
    return { kind: 'bad-checksum', command, size, found: toHex(found), claimed: toHex(checksum) };
  }
  return payload ? { kind: 'message', command, payload, size } : { kind: 'unknown', command, size };
}

/** Reads a command name: printable characters, padded with zeros. */
function commandOf(bytes: Uint8Array): { command: string; valid: boolean } {
  const zero = bytes.indexOf(0);
  const name = zero < 0 ? bytes : bytes.subarray(0, zero);
  const padded = zero < 0 || bytes.subarray(zero).every((byte) => byte === 0);
  const printable = name.every((byte) => byte >= 0x20 && byte <= 0x7e);
  return {
    command: Buffer.from(name)
      .toString('latin1')
      .replace(/[^ -~]/g, ''),
    valid: padded && printable,
  };
}
