import type { ServerResponse } from 'node:http';

export const JSON_TYPE = 'application/json';
export const TEXT_TYPE = 'text/plain';

/** Writes a whole reply at once. An empty body has no type. */
export function send(res: ServerResponse, status: number, type: string, body: string | Uint8Array): void {
  if (res.destroyed) return;
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
  res.writeHead(status, length === 0 ? ['Content-Length', '0'] : ['Content-Type', type, 'Content-Length', String(length)]);
  res.end(body);
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
