import type { IncomingMessage } from 'node:http';

/** The caller's own id of the request, for logs. */
export function requestIdOf({ headers }: IncomingMessage): string | undefined {
  const id = headers['x-request-id'];
  return typeof id === 'string' && id !== '' ? id.slice(0, 128) : undefined;
}
