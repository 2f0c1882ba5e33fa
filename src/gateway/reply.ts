import type { Duplex } from 'node:stream';

export const JSON_TYPE = 'application/json';
export const TEXT_TYPE = 'text/plain';

/** Text, or bytes in pieces. */
export type Body = string | readonly Uint8Array[];

/** Receives one reply: a `ServerResponse`, or a connection whose plain requests are answered without one. */
export interface ReplyStream {
  /** True if the client is gone. */
  readonly destroyed: boolean;
  setHeader(name: string, value: string): unknown;
  /** @param headers names and values by turns */
  writeHead(status: number, headers: string[]): unknown;
  write(piece: Uint8Array): unknown;
  end(body?: string | Uint8Array): unknown;
  cork(): void;
  uncork(): void;
  on(event: 'drain', listener: () => void): unknown;
}

/** In bytes. */
export function bodyLength(body: Body): number {
  if (typeof body === 'string') return Buffer.byteLength(body);
  let length = 0;
  for (const piece of body) length += piece.length;
  return length;
}

/** Whole body as UTF-8 text. */
export function textOf(body: Body): string {
  return typeof body === 'string' ? body : Buffer.concat(body).toString();
}

/**
 * Writes a whole reply at once. An empty body has no type.
 * @param headers of a body that is not empty besides type and length, names and values by turns
 */
export function send(res: ReplyStream, status: number, type: string, body: Body, headers: readonly string[] = []): void {
  if (res.destroyed) return;
  const length = bodyLength(body);
  res.writeHead(status, length === 0 ? ['Content-Length', '0'] : ['Content-Type', type, ...headers, 'Content-Length', String(length)]);
  if (typeof body === 'string') res.end(body);
  else if (body.length === 1) res.end(body[0]);
  else sendPieces(res, body);
}

/** Bytes written to the socket at a time. */
const BURST_BYTES = 1 << 20;

/** Writes pieces as fast as the client reads them: the rest waits here, not in the buffer of the socket. */
function sendPieces(res: ReplyStream, pieces: readonly Uint8Array[]): void {
  let next = 0;
  const burst = (): void => {
    let room = BURST_BYTES;
    res.cork();
    for (; next < pieces.length && room > 0; next++) {
      const piece = pieces[next] as Uint8Array;
      room -= piece.length;
      res.write(piece);
    }
    if (next === pieces.length) res.end();
    res.uncork();
  };
  const goOn = (): void => {
    if (next < pieces.length && !res.destroyed) burst();
  };
  // A client that reads fast has room again at once: others have their turn all the same.
  res.on('drain', () => setImmediate(goOn));
  burst();
}

/** A status without a body. */
export function sendEmpty(res: ReplyStream, status: number): void {
  send(res, status, TEXT_TYPE, '');
}

/** A short refusal in words, after which the connection ends: what the client still sends is not read. */
export function refuseRequest(res: ReplyStream, status: number, text: string): void {
  res.setHeader('Connection', 'close');
  send(res, status, TEXT_TYPE, text);
}

/**
 * Refuses a WebSocket and closes its connection, also if the client keeps its end open.
 * @param header a further line of the head
 */
export function refuseSocket(socket: Duplex, status: number, header?: string): void {
  const lines = [`HTTP/1.1 ${status} Refused`, ...(header ? [header] : []), 'Connection: close', 'Content-Length: 0'];
  socket.on('error', () => socket.destroy());
  socket.once('finish', () => socket.destroy());
  socket.end(`${lines.join('\r\n')}\r\n\r\n`);
}
