import type { IncomingHttpHeaders } from 'node:http';

/** Head of a plain request: a POST whose request line and headers have one possible meaning. */
export interface PlainHead {
  /** Request line and headers with the empty line after them. */
  readonly text: string;
  readonly path: string;
  /** Values by lower-case name, as `node:http` has them. */
  readonly headers: IncomingHttpHeaders;
  /** Length of the body, at most PLAIN_BODY_BYTES. */
  readonly bodyBytes: number;
  /** True if the client wants the connection to end with the reply. */
  readonly isLast: boolean;
}

/** Maximum length of a plain head, in bytes; `node:http` reads longer ones. */
export const PLAIN_HEAD_BYTES = 4096;

/** Maximum length of a plain body, in bytes. */
const PLAIN_BODY_BYTES = 256 * 1024;

const END = '\r\n\r\n';

const REQUEST_LINE = /^POST (\/|\/wallet\/[\w.~%-]*) HTTP\/1\.1$/;

/** A name, a colon, at most one space, and a value of printable ASCII with no blank at either end. */
const HEADER = /^([A-Za-z0-9-]{1,64}): ?([!-~](?:[ -~]*[!-~])?)$/;

/** Headers about the connection, headers about the form of the body, and those that AllowedSites reads. */
const UNUSUAL = new Set([
  'expect',
  'http2-settings',
  'keep-alive',
  'origin',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Parses the head of a plain request.
 * @param text start of the received bytes, decoded as latin1, at most PLAIN_HEAD_BYTES
 * @returns undefined for a head that is incomplete, malformed, or in any way unusual: `node:http` decides about those
 */
export function parsePlainHead(text: string): PlainHead | undefined {
  const end = text.indexOf(END);
  if (end < 0) return undefined;
  const [requestLine = '', ...lines] = text.slice(0, end).split('\r\n');
  const path = REQUEST_LINE.exec(requestLine)?.[1];
  const headers = path === undefined ? undefined : parseHeaders(lines);
  const length = headers?.['content-length'];
  if (path === undefined || !headers || headers.host === undefined || length === undefined || !/^(?:0|[1-9]\d{0,5})$/.test(length)) {
    return undefined;
  }
  const connection = headers.connection?.toLowerCase() ?? 'keep-alive';
  if (connection !== 'keep-alive' && connection !== 'close') return undefined;
  const bodyBytes = Number(length);
  if (bodyBytes > PLAIN_BODY_BYTES) return undefined;
  return { text: text.slice(0, end + END.length), path, headers, bodyBytes, isLast: connection === 'close' };
}

/** @returns undefined if a header is unusual, malformed or given twice */
function parseHeaders(lines: readonly string[]): IncomingHttpHeaders | undefined {
  const headers = Object.create(null) as IncomingHttpHeaders;
  for (const line of lines) {
    const [, given = '', value] = HEADER.exec(line) ?? [];
    const name = given.toLowerCase();
    if (value === undefined || UNUSUAL.has(name) || headers[name] !== undefined) return undefined;
    headers[name] = value;
  }
  return headers;
}
