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
 * @param connection further headers, about the connection, each with its line end
 */
export function replyHead(status: number, headers: readonly string[], connection: string): string {
  let head = status === 200 ? 'HTTP/1.1 200 OK\r\n' : `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
  for (let i = 0; i < headers.length; i += 2) head += `${headers[i]}: ${headers[i + 1]}\r\n`;
  return `${head}${dateHeader()}${connection}\r\n`;
}
