import type { IncomingHttpHeaders } from 'node:http';

/** Id that the caller gave the request (`X-Request-Id`), for logs, at most 128 characters; undefined without one. */
export function requestIdOf(headers: IncomingHttpHeaders): string | undefined {
  const id = headers['x-request-id'];
  return typeof id === 'string' && id !== '' ? id.slice(0, 128) : undefined;
}
