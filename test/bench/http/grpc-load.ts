import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { END_STREAM, FrameType, frame, headerFrames, PREFACE, windowUpdate } from '../../../src/grpc/plain/frames.js';
import { encodeFields } from '../../../src/grpc/plain/header-decoder.js';

export interface GrpcLoad {
  readonly port: number;
  /** Path of the method. */
  readonly path: string;
  readonly authorization: string;
  /** Encoded request. */
  readonly request: Uint8Array;
  readonly connections: number;
  readonly seconds: number;
}

const FRAME_HEAD_BYTES = 9;
/** Data that is credited in one go. */
const CREDIT_BYTES = 1 << 20;
/** Client's stream ids end here. */
const MAX_STREAM = 0x7fff_fff0;

/**
 * Calls per second over several connections, each sending its next call when the last is answered. A purpose-built client, because the
 * library's takes more time than the server.
 */
export async function callsPerSecond(load: GrpcLoad): Promise<number> {
  const clients = await Promise.all(Array.from({ length: load.connections }, () => connectClient(load)));
  for (const client of clients) await client.call();
  const from = performance.now();
  const end = from + load.seconds * 1000;
  let answered = 0;
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() < end) {
        await client.call();
        answered += 1;
      }
    }),
  );
  const seconds = (performance.now() - from) / 1000;
  for (const { socket } of clients) socket.destroy();
  return answered / seconds;
}

async function connectClient(load: GrpcLoad): Promise<{ readonly socket: Socket; call(): Promise<void> }> {
  const socket = connect(load.port, '127.0.0.1').setNoDelay(true);
  await once(socket, 'connect');
  const call = clientOf(socket, load);
  return { socket, call };
}

function clientOf(socket: Socket, { path, authorization, request }: GrpcLoad): () => Promise<void> {
  const head = encodeFields([
    ...[':method', 'POST', ':scheme', 'http', ':path', path, ':authority', 'localhost'],
    ...['content-type', 'application/grpc', 'te', 'trailers', 'authorization', authorization],
  ]);
  const message = Buffer.alloc(5 + request.length);
  message.writeUInt32BE(request.length, 1);
  message.set(request, 5);
  let received = Buffer.alloc(0);
  /** Received data that is not credited yet, and how much of it there was at the end of the last call. */
  let data = 0;
  let seen = 0;
  let done: (() => void) | undefined;
  let failed: (error: Error) => void = () => {};
  // Streams have windows of 16 MiB.
  const settings = Buffer.from([0, 4, 1, 0, 0, 0]);
  socket.write(Buffer.concat([PREFACE, frame(FrameType.SETTINGS, 0, 0, settings), windowUpdate(0, 1 << 24)]));
  socket.on('data', (chunk) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    let at = 0;
    while (received.length - at >= FRAME_HEAD_BYTES) {
      const length = received.readUIntBE(at, 3);
      const next = at + FRAME_HEAD_BYTES + length;
      if (next > received.length) break;
      const [type, flags] = [received[at + 3], received[at + 4] as number];
      if (type === FrameType.SETTINGS && flags === 0) socket.write(frame(FrameType.SETTINGS, 1, 0, Buffer.alloc(0)));
      else if (type === FrameType.DATA) data += length;
      else if (type === FrameType.RST_STREAM || type === FrameType.GOAWAY) failed(new Error('the server ended a call'));
      else if (type === FrameType.HEADERS && (flags & END_STREAM) !== 0) {
        if (seen === data) failed(new Error('a call failed'));
        seen = data;
        if (data > CREDIT_BYTES) {
          socket.write(windowUpdate(0, data));
          data = 0;
          seen = 0;
        }
        done?.();
      }
      at = next;
    }
    received = received.subarray(at);
  });
  let stream = -1;
  return () =>
    new Promise((resolve, reject) => {
      stream = (stream + 2) % MAX_STREAM;
      done = resolve;
      failed = reject;
      socket.write(Buffer.concat([headerFrames(stream, 0, head), frame(FrameType.DATA, END_STREAM, stream, message)]));
    });
}
