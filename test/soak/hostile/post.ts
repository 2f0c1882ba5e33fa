import http from 'node:http';
import { Daemon, type JsonRpcAnswer } from '../../daemon.js';

const TIMEOUT_MS = 30_000;

export interface Answer {
  readonly status: number;
  readonly text: string;
}

export interface Posting {
  /** That of JSON-RPC by default. */
  readonly port?: number;
  readonly path?: string;
  readonly method?: string;
  /** Value of the header; empty for none. */
  readonly auth?: string;
  /** Address of the caller. */
  readonly from?: string;
}

/** One request on a connection of its own. @returns undefined if the connection was closed, or had no answer for 30 seconds */
export function post({ rpcPort }: Daemon, body: Buffer | string, posting: Posting = {}): Promise<Answer | undefined> {
  const { port = rpcPort, path = '/', method = 'POST', auth = Daemon.authorization, from = '127.0.0.1' } = posting;
  return new Promise((resolve) => {
    const headers = { ...(auth === '' ? {} : { authorization: auth }), 'content-length': Buffer.byteLength(body) };
    const request = http.request({ port, host: '127.0.0.1', localAddress: from, path, method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
      response.on('error', () => resolve(undefined));
    });
    request.setTimeout(TIMEOUT_MS, () => request.destroy());
    request.on('error', () => resolve(undefined)).end(body);
  });
}

/** A call on a wallet. @throws {Error} if the answer is an error, or there is none */
export async function askWallet(daemon: Daemon, wallet: string, method: string, ...params: unknown[]): Promise<unknown> {
  const answer = await post(daemon, JSON.stringify({ id: 1, method, params }), { path: `/wallet/${wallet}` });
  if (!answer) throw new Error(`${method}: no answer`);
  const { result, error } = JSON.parse(answer.text) as JsonRpcAnswer;
  if (error) throw new Error(`${method}: ${error.message} (${error.code})`);
  return result;
}
