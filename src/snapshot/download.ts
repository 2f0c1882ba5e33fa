import { once } from 'node:events';
import { createWriteStream, existsSync, statSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { type RequestOptions, request } from 'node:https';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDiskFull } from '../util/disk.js';
import { errorText } from '../util/errors.js';
import { SnapshotError } from './errors.js';

const MAX_REDIRECTS = 5;
const OK = 200;
const PARTIAL = 206;
const NOT_SATISFIABLE = 416;

/** Limits of a download. */
export interface DownloadLimits {
  readonly maxBytes: number;
  /** Time without data after which a connection is given up. */
  readonly idleMs: number;
  /** Attempts in a row that bring no data. */
  readonly attempts: number;
  readonly retryMs: number;
}

const DOWNLOAD_LIMITS: DownloadLimits = { maxBytes: 256 * 2 ** 30, idleMs: 60_000, attempts: 5, retryMs: 5_000 };

/** Request of a download. */
export interface DownloadRequest {
  readonly url: string;
  /** File that is written. One that exists is continued. */
  readonly path: string;
  readonly limits?: DownloadLimits;
  /** Certificates to trust instead of those of Node.js; for tests. */
  readonly ca?: string;
  readonly onProgress?: (bytes: number) => void;
}

/**
 * Downloads a file over https. After an interruption it continues with what is missing, also in a later call. The contents are not checked.
 * @throws {SnapshotError} if the server refuses, redirects too often or elsewhere than to https, or the file is too large; of the network
 * after the last attempt
 * @throws {Error} of the system if the disk is full
 */
export async function download({ limits = DOWNLOAD_LIMITS, ...wanted }: DownloadRequest): Promise<void> {
  for (let failures = 0; ; ) {
    const before = sizeOf(wanted.path);
    try {
      if (await fetchRest(wanted, limits)) return;
    } catch (error) {
      if (error instanceof SnapshotError || isDiskFull(error)) throw error;
      failures = sizeOf(wanted.path) > before ? 1 : failures + 1;
      if (failures >= limits.attempts) {
        throw new SnapshotError(`cannot download ${wanted.url}: ${errorText(error)}; start again to continue`, { cause: error });
      }
      await sleep(limits.retryMs);
    }
  }
}

function sizeOf(path: string): number {
  return existsSync(path) ? statSync(path).size : 0;
}

/** Requests the bytes that the file lacks. @returns true if it is complete */
async function fetchRest({ url, path, ca, onProgress }: DownloadRequest, limits: DownloadLimits): Promise<boolean> {
  const offset = sizeOf(path);
  const response = await follow(url, {
    headers: offset > 0 ? { Range: `bytes=${offset}-` } : {},
    ...(ca ? { ca } : {}),
    timeout: limits.idleMs,
  });
  const { statusCode } = response;
  const range = response.headers['content-range'] ?? '';
  if (statusCode === NOT_SATISFIABLE) {
    response.destroy();
    if (range === `bytes */${offset}`) return true;
    throw new SnapshotError(`${path} is not the beginning of the file at ${url}: delete it to start again`);
  }
  if (statusCode !== OK && statusCode !== PARTIAL) {
    response.destroy();
    throw new SnapshotError(`the server answers ${statusCode} for ${url}`);
  }
  const continues = statusCode === PARTIAL && range.startsWith(`bytes ${offset}-`);
  if (statusCode === PARTIAL && !continues) {
    response.destroy();
    throw new SnapshotError(`the server sends another range than was requested of ${url}`);
  }
  let size = continues ? offset : 0;
  const length = Number(response.headers['content-length'] ?? Number.NaN);
  const isTooLarge = () => new SnapshotError(`the file at ${url} is larger than ${limits.maxBytes} bytes`);
  if (size + length > limits.maxBytes) {
    response.destroy();
    throw isTooLarge();
  }
  const expected = size + length;
  const file = createWriteStream(path, { flags: continues ? 'a' : 'w' });
  // A write may be under way when the connection ends; the size of the file is known after it.
  const closed = once(file, 'close');
  await pipeline(
    response,
    async function* (source: AsyncIterable<Buffer>) {
      for await (const bytes of source) {
        size += bytes.length;
        if (size > limits.maxBytes) throw isTooLarge();
        onProgress?.(size);
        yield bytes;
      }
    },
    file,
  ).finally(() => closed);
  return Number.isNaN(expected) || size === expected;
}

/** Answer to a request, after redirects. */
async function follow(url: string, options: RequestOptions): Promise<IncomingMessage> {
  let at = addressOf(url);
  for (let redirects = 0; ; redirects++) {
    if (at.protocol !== 'https:') throw new SnapshotError(`${at.href} is not an https address`);
    if (redirects > MAX_REDIRECTS) throw new SnapshotError(`${url} redirects more than ${MAX_REDIRECTS} times`);
    const call = request(at, { ...options, agent: false });
    call.on('timeout', () => call.destroy(new Error(`${at.host} sends no data`)));
    call.end();
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    // A later error of the connection is reported by the response.
    call.on('error', () => {});
    const { location } = response.headers;
    if (!location || (response.statusCode ?? 0) < 300 || (response.statusCode ?? 0) >= 400) return response;
    response.destroy();
    at = addressOf(location, at);
  }
}

/** @throws {SnapshotError} if the text is no address */
function addressOf(text: string, base?: URL): URL {
  if (!URL.canParse(text, base?.href)) throw new SnapshotError(`'${text}' is not an address`);
  return new URL(text, base);
}
