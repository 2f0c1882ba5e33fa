/** Types of HTTP/2 frames. @see RFC 9113 6 */
export const FrameType = {
  DATA: 0,
  HEADERS: 1,
  PRIORITY: 2,
  RST_STREAM: 3,
  SETTINGS: 4,
  PUSH_PROMISE: 5,
  PING: 6,
  GOAWAY: 7,
  WINDOW_UPDATE: 8,
  CONTINUATION: 9,
} as const;

/** Flag of DATA and HEADERS: the sender is done with the stream. */
export const END_STREAM = 1;
/** Flag of SETTINGS: those of the other side are in use. */
export const ACK = 1;
/** Flag of the last frame of a header block. */
export const END_HEADERS = 4;
/** Flag of a payload with a length of padding before it. */
const PADDED = 8;
/** Flag of HEADERS with a priority. */
const PRIORITY = 0x20;

/** Start of each connection. */
export const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

/** Length of payload, type, flags, stream. */
export const FRAME_HEAD_BYTES = 9;
/** Default of SETTINGS_MAX_FRAME_SIZE. */
export const MAX_PAYLOAD_BYTES = 16_384;
/** Default of SETTINGS_INITIAL_WINDOW_SIZE, and the initial window of a connection. */
export const INITIAL_WINDOW = 65_535;

/** A complete frame within received bytes. */
export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
  /** Head and payload. */
  readonly whole: Buffer;
}

/** Length of the frame at an offset, or a reason why there is none. */
export function frameLength(bytes: Buffer, at: number): number | 'incomplete' | 'too-long' {
  if (bytes.length - at < FRAME_HEAD_BYTES) return 'incomplete';
  const length = bytes.readUIntBE(at, 3);
  if (length > MAX_PAYLOAD_BYTES) return 'too-long';
  return bytes.length - at < FRAME_HEAD_BYTES + length ? 'incomplete' : FRAME_HEAD_BYTES + length;
}

/** Reads a complete frame. */
export function readFrame(bytes: Buffer, at: number, length: number): Frame {
  return {
    type: bytes[at + 3] as number,
    flags: bytes[at + 4] as number,
    stream: bytes.readUInt32BE(at + 5) & 0x7fff_ffff,
    payload: bytes.subarray(at + FRAME_HEAD_BYTES, at + length),
    whole: bytes.subarray(at, at + length),
  };
}

/** Writes the head of a frame into a larger buffer. */
export function writeFrameHead(target: Buffer, at: number, length: number, type: number, flags: number, stream: number): void {
  target.writeUIntBE(length, at, 3);
  target[at + 3] = type;
  target[at + 4] = flags;
  target.writeUInt32BE(stream, at + 5);
}

/** One frame. */
export function frame(type: number, flags: number, stream: number, payload: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(FRAME_HEAD_BYTES + payload.length);
  writeFrameHead(bytes, 0, payload.length, type, flags, stream);
  bytes.set(payload, FRAME_HEAD_BYTES);
  return bytes;
}

/** A header block as frames. @param flags END_STREAM or 0 */
export function headerFrames(stream: number, flags: number, block: Buffer): Buffer {
  const frames: Buffer[] = [];
  let at = 0;
  do {
    const part = block.subarray(at, at + MAX_PAYLOAD_BYTES);
    const isLast = at + part.length === block.length;
    const type = at === 0 ? FrameType.HEADERS : FrameType.CONTINUATION;
    frames.push(frame(type, (at === 0 ? flags : 0) | (isLast ? END_HEADERS : 0), stream, part));
    at += part.length;
  } while (at < block.length);
  return Buffer.concat(frames);
}

/** A frame that extends the window of a stream, or of the connection if it is 0. */
export function windowUpdate(stream: number, increment: number): Buffer {
  const payload = Buffer.allocUnsafe(4);
  payload.writeUInt32BE(increment);
  return frame(FrameType.WINDOW_UPDATE, 0, stream, payload);
}

/** Payload without padding, and for HEADERS without priority; undefined if it is malformed. */
export function contentOf({ type, flags, payload }: Frame): Buffer | undefined {
  const isPadded = (flags & PADDED) !== 0;
  const padding = isPadded ? payload[0] : 0;
  if (padding === undefined) return undefined;
  const from = (isPadded ? 1 : 0) + (type === FrameType.HEADERS && (flags & PRIORITY) !== 0 ? 5 : 0);
  return from + padding > payload.length ? undefined : payload.subarray(from, payload.length - padding);
}
