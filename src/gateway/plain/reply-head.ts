import { STATUS_CODES } from 'node:http';

let dateMs = Number.NaN;
let dateLine = '';

/** The `Date` header of a second, formatted once. */
function dateHeader(): string {
  const nowMs = Date.now();
  if (!(nowMs - dateMs < 1000 && nowMs >= dateMs)) {
    dateMs = nowMs - (nowMs % 1000);
    dateLine = `Date: ${new Date(nowMs).toUTCString()}\r\n`;
  }
  return dateLine;
}

/**
 * Head of a reply exactly as `node:http` writes it.
 * @param headers names and values by turns
 * @param keepAlive the header `Keep-Alive`; undefined if the connection ends with this reply and `headers` say so
 */
export function replyHead(status: number, headers: readonly string[], keepAlive: string | undefined): string {
  let head = status === 200 ? 'HTTP/1.1 200 OK\r\n' : `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
  for (let i = 0; i < headers.length; i += 2) head += `${headers[i]}: ${headers[i + 1]}\r\n`;
  head += dateHeader();
  return keepAlive === undefined ? `${head}\r\n` : `${head}Connection: keep-alive\r\n${keepAlive}\r\n\r\n`;
}
