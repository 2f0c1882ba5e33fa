import type { ServerResponse } from 'node:http';

export const JSON_TYPE = 'application/json';
export const TEXT_TYPE = 'text/plain';

/** Text, or bytes in pieces. */
export type Body = string | readonly Uint8Array[];

/** In bytes. */
export function bodyLength(body: Body): number {
  if (typeof body === 'string') return Buffer.byteLength(body);
  let length = 0;
  for (const piece of body) length += piece.length;
  return length;
}

export function textOf(body: Body): string {
  return typeof body === 'string' ? body : Buffer.concat(body).toString();
}

/** Writes a whole reply at once. An empty body has no type. */
export function send(res: ServerResponse, status: number, type: string, body: Body): void {
  if (res.destroyed) return;
  const length = bodyLength(body);
  res.writeHead(status, length === 0 ? ['Content-Length', '0'] : ['Content-Type', type, 'Content-Length', String(length)]);
  if (typeof body === 'string') res.end(body);
  else sendPieces(res, body);
}

/** As fast as the client takes them: what it has not room for waits here, not in the socket. */
function sendPieces(res: ServerResponse, pieces: readonly Uint8Array[]): void {
  if (pieces.length === 1) {
    res.end(pieces[0]);
    return;
  }
  let next = 0;
  const go = (): void => {
    while (next < pieces.length) if (res.destroyed || !res.write(pieces[next++])) return;
    res.off('drain', go);
    res.end();
  };
  res.on('drain', go);
  go();
}

/** A status without a body. */
export function sendEmpty(res: ServerResponse, status: number): void {
  send(res, status, TEXT_TYPE, '');
}

/** The rest of the body is not wanted, so the connection ends with the answer. */
export function refuseBody(res: ServerResponse): void {
  res.setHeader('Connection', 'close');
  sendEmpty(res, 413);
}
