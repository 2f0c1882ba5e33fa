import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import type { Settings } from '../config/settings.js';
import type { Sources } from '../config/sources.js';
import { CALL_SETTINGS, headerOf } from '../rpc/call-settings.js';
import { type JsonValue, parseJson } from '../util/json.js';

/** The node is unreachable or in warm-up: `-rpcwait` retries. */
export class ConnectionFailed extends Error {
  override name = 'ConnectionFailed';
}

/** The server, or a proxy before it, answered with a status that has no reply. */
export class NoReply extends Error {
  override name = 'NoReply';

  constructor(readonly status: number | undefined) {
    super(`server returned HTTP error ${status}`);
  }
}

/** Address, credentials and limits of a call. */
export interface Target {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly timeoutMs: number;
  /** `user:password`; read for each attempt, since a starting node rewrites its cookie. */
  readonly credentials: () => string | undefined;
  readonly confFile: string;
  /** Additional headers. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Methods of the EVM RPC server. */
const EVM_METHOD = /^(eth|debug|net|web3)_/;
const JSON_STATUSES: ReadonlySet<number | undefined> = new Set([200, 400, 404, 500]);

/** Address and credentials for a method. @param password overrides the configured one */
export function targetOf(
  { settings, network, confFile }: Sources,
  cookieFile: string,
  method: string,
  password: string | undefined,
): Target {
  const evm = EVM_METHOD.test(method);
  const { host, port } = splitHostPort(settings.text('rpcconnect'));
  const ownPort = settings.isSet('rpcport') ? settings.int('rpcport') : (port ?? network.ports.rpc);
  const evmPort = settings.isSet('ethrpcport') ? settings.int('ethrpcport') : network.ports.eth;
  return {
    host,
    port: evm ? evmPort : ownPort,
    path: settings.isSet('rpcwallet') ? `/wallet/${encodeURIComponent(settings.text('rpcwallet'))}` : '/',
    timeoutMs: settings.int('rpcclienttimeout') * 1000,
    credentials: () => credentialsOf(settings, cookieFile, password ?? settings.text('rpcpassword')),
    confFile,
    headers: callSettings(settings),
  };
}

/** Settings of this call, sent as headers. */
function callSettings(settings: Settings): Record<string, string> {
  const given = CALL_SETTINGS.filter((setting) => settings.isSet(setting));
  return Object.fromEntries(given.map((setting) => [headerOf(setting), settings.bool(setting) ? '1' : '0']));
}

/** `host`, `host:port`, `[v6]:port` or a bare IPv6 address. */
export function splitHostPort(text: string): { host: string; port: number | undefined } {
  const match = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(text);
  if (!match) return { host: text, port: undefined };
  return { host: match[1] ?? match[2] ?? text, port: match[3] === undefined ? undefined : Number(match[3]) };
}

function credentialsOf(settings: Settings, cookieFile: string, password: string): string | undefined {
  if (password !== '') return `${settings.text('rpcuser')}:${password}`;
  try {
    return readFileSync(cookieFile, 'utf8').split('\n')[0];
  } catch {
    return undefined;
  }
}

/**
 * Posts a request and waits for the reply.
 * @throws {ConnectionFailed} if there is no reply
 * @throws {NoReply} for a status without a reply
 * @throws {Error} with the text of `defi-cli` if the answer is not a reply
 */
export async function post(target: Target, body: string): Promise<JsonValue> {
  const credentials = target.credentials();
  const { status, text } = await exchange(target, body, credentials ?? '');
  if (status === 401) {
    throw new Error(
      credentials === undefined
        ? 'Could not locate RPC credentials. No authentication cookie could be found, and RPC password is not set.  ' +
            `See -rpcpassword and -stdinrpcpass.  Configuration file: (${target.confFile})`
        : 'Authorization failed: Incorrect rpcuser or rpcpassword',
    );
  }
  if (!JSON_STATUSES.has(status)) throw new NoReply(status);
  if (text === '') throw new Error('no response from server');
  try {
    return parseJson(text.trimEnd());
  } catch {
    throw new Error("couldn't parse reply from server");
  }
}

function exchange(target: Target, body: string, credentials: string): Promise<{ status: number | undefined; text: string }> {
  const { host, port, path, timeoutMs } = target;
  const headers = {
    Authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
    ...target.headers,
  };
  return new Promise((resolve, reject) => {
    const fail = (detail: string) =>
      reject(
        new ConnectionFailed(
          `Could not connect to the server ${host}:${port}${detail}\n\n` +
            'Make sure the defid server is running and that you are connecting to the correct RPC port.',
        ),
      );
    if (port > 65_535) return fail(''); // node:http throws
    const call = request({ host, port, path, method: 'POST', headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve({ status: response.statusCode, text: Buffer.concat(chunks).toString('utf8') }));
      response.on('error', () => fail(' (error code 1 - "EOF reached")'));
    });
    if (timeoutMs > 0) call.setTimeout(timeoutMs, () => call.destroy(Object.assign(new Error(), { code: 'ETIMEDOUT' })));
    call.on('error', ({ code }: NodeJS.ErrnoException) => {
      if (code === 'ECONNRESET') fail(' (error code 1 - "EOF reached")');
      else fail(code === 'ETIMEDOUT' ? ' (error code 0 - "timeout reached")' : '');
    });
    call.end(body);
  });
}
