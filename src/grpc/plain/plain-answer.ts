import { END_HEADERS, END_STREAM, FRAME_HEAD_BYTES, FrameType, MAX_PAYLOAD_BYTES, writeFrameHead } from './frames.js';
import { encodeFields } from './header-decoder.js';

/** Flag and length before a message. */
const MESSAGE_HEAD_BYTES = 5;

/** `:status: 200`, the entry 8 of the static table of header compression. */
const STATUS_200 = Buffer.of(0x88);
const HEADERS = Buffer.concat([
  STATUS_200,
  encodeFields(['content-type', 'application/grpc+proto', 'grpc-accept-encoding', 'identity,deflate,gzip', 'grpc-encoding', 'identity']),
]);
const TRAILERS = encodeFields(['grpc-status', '0', 'grpc-message', 'OK']);

let dateMs = Number.NaN;
let headers = HEADERS;

/** The headers of an answer, as the library sends them; the date is formatted once a second. */
function headersNow(): Buffer {
  const nowMs = Date.now();
  if (!(nowMs - dateMs < 1000 && nowMs >= dateMs)) {
    dateMs = nowMs - (nowMs % 1000);
    headers = Buffer.concat([HEADERS, encodeFields(['date', new Date(nowMs).toUTCString()])]);
  }
  return headers;
}

/** Bytes of an answer that count towards the windows of the client. */
export function dataBytes(message: Uint8Array): number {
  return MESSAGE_HEAD_BYTES + message.length;
}

/** Frames of the answer to a call: headers, the message and the status OK. */
export function answerFrames(stream: number, message: Uint8Array): Buffer {
  const head = headersNow();
  const data = dataBytes(message);
  const dataFrames = Math.ceil(data / MAX_PAYLOAD_BYTES);
  const bytes = Buffer.allocUnsafe((2 + dataFrames) * FRAME_HEAD_BYTES + head.length + data + TRAILERS.length);
  let at = writeFrame(bytes, 0, FrameType.HEADERS, END_HEADERS, stream, head);
  for (let sent = 0; sent < data; ) {
    const length = Math.min(data - sent, MAX_PAYLOAD_BYTES);
    writeFrameHead(bytes, at, length, FrameType.DATA, 0, stream);
    at += FRAME_HEAD_BYTES;
    let from = sent - MESSAGE_HEAD_BYTES;
    let room = length;
    if (sent === 0) {
      bytes[at] = 0;
      bytes.writeUInt32BE(message.length, at + 1);
      at += MESSAGE_HEAD_BYTES;
      room -= MESSAGE_HEAD_BYTES;
      from = 0;
    }
    bytes.set(message.subarray(from, from + room), at);
    at += room;
    sent += length;
  }
  writeFrame(bytes, at, FrameType.HEADERS, END_HEADERS | END_STREAM, stream, TRAILERS);
  return bytes;
}

/** @returns the offset after the frame */
function writeFrame(bytes: Buffer, at: number, type: number, flags: number, stream: number, payload: Buffer): number {
  writeFrameHead(bytes, at, payload.length, type, flags, stream);
  bytes.set(payload, at + FRAME_HEAD_BYTES);
  return at + FRAME_HEAD_BYTES + payload.length;
}
