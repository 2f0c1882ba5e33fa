import { sha256d } from '../../crypto/hash.js';
import { Sha256d } from '../../crypto/hash-stream.js';
import { equalBytes, toHex } from '../../util/bytes.js';
import { MAX_PAYLOAD_SIZE } from './limits.js';

const MAGIC_SIZE = 4;
const COMMAND_SIZE = 12;
const CHECKSUM_SIZE = 4;
/** Bytes around each payload. */
export const HEADER_SIZE = MAGIC_SIZE + COMMAND_SIZE + 4 + CHECKSUM_SIZE;
/** What is set aside for a payload before any of it arrived: the announced size is only a claim. */
const FIRST_BUFFER_SIZE = 64 * 1024;

/** Bytes of one message: magic, command padded with zeros, u32 length, first four bytes of the double hash, payload. */
export function encodeFrame(magic: Uint8Array, command: string, payload: Uint8Array): Uint8Array {
  const frame = Buffer.alloc(HEADER_SIZE + payload.length);
  frame.set(magic, 0);
  frame.write(command, MAGIC_SIZE, COMMAND_SIZE, 'latin1');
  frame.writeUInt32LE(payload.length, MAGIC_SIZE + COMMAND_SIZE);
  frame.set(sha256d(payload).subarray(0, CHECKSUM_SIZE), HEADER_SIZE - CHECKSUM_SIZE);
  frame.set(payload, HEADER_SIZE);
  return frame;
}

/** A whole message whose payload is not yet looked at, or what was wrong with it. */
export type Frame =
  | { readonly kind: 'message'; readonly command: string; readonly payload: Uint8Array; readonly size: number }
  /** Its payload was counted and dropped: nobody would read it. */
  | { readonly kind: 'unknown'; readonly command: string; readonly size: number }
  /** The message is to be passed over; what follows it can be read. */
  | { readonly kind: 'bad-command'; readonly size: number }
  | { readonly kind: 'bad-checksum'; readonly command: string; readonly size: number; readonly found: string; readonly claimed: string }
  /** Nothing after it can be read. */
  | { readonly kind: 'bad-magic'; readonly command: string }
  | { readonly kind: 'oversized'; readonly command: string; readonly length: number };

/** The message that is being received. */
interface Incoming {
  readonly command: string;
  readonly validCommand: boolean;
  readonly length: number;
  readonly checksum: Uint8Array;
  /** Undefined for a payload that is only hashed. */
  payload: Uint8Array | undefined;
  received: number;
  readonly hash: Sha256d;
}

/**
 * Cuts a stream of bytes into messages. Memory follows what arrived, not what was announced; each byte is copied a constant number
 * of times however small the pieces are, and hashed as it comes, so that a large message does not stop the loop at its end.
 */
export class FrameParser {
  readonly #magic: Uint8Array;
  readonly #known: (command: string) => boolean;
  readonly #header = Buffer.alloc(HEADER_SIZE);
  #headerSize = 0;
  #incoming: Incoming | undefined;
  #broken = false;

  /** @param known whether the payload of a message is wanted */
  constructor(magic: Uint8Array, known: (command: string) => boolean) {
    this.#magic = magic;
    this.#known = known;
  }

  /** Bytes held for a message that is not complete. */
  get pendingBytes(): number {
    return this.#headerSize + (this.#incoming?.payload?.length ?? 0);
  }

  /** Takes bytes and hands over the messages that they complete. After `bad-magic` or `oversized` it takes no more. */
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

/** The buffer, or one of at least twice its size, but never more than the whole message takes. */
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

/** Printable characters up to the first zero; after it zeros only. */
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
