import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Daemon, freePort } from '../../daemon.js';
import { until } from '../../until.js';

/** Answer of a node over HTTP. */
export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** A call, for comparisons of answers. */
export type Question = readonly [method: string, ...params: readonly unknown[]];

/** A connection to the JSON-RPC port of a node, kept open between calls. */
export class NodeClient {
  readonly #agent = new http.Agent({ keepAlive: true, maxSockets: 1 });

  /** @param members further members of each request */
  constructor(
    private readonly port: number,
    private readonly members: object = {},
  ) {}

  post(body: string | Uint8Array): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const length = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
      const headers = { authorization: Daemon.authorization, ...length };
      const options = { host: '127.0.0.1', port: this.port, method: 'POST', agent: this.#agent, headers };
      const request = http.request(options, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
        response.on('error', reject);
      });
      request.on('error', (error: NodeJS.ErrnoException) => {
        // The node had closed the idle connection.
        if (request.reusedSocket && error.code === 'ECONNRESET') resolve(this.post(body));
        else reject(error);
      });
      request.end(body);
    });
  }

  call(method: string, params: readonly unknown[] = []): Promise<Answer> {
    return this.post(JSON.stringify({ ...this.members, id: 1, method, params }));
  }

  /** @returns the result of a call; undefined after an error */
  async result(method: string, params: readonly unknown[] = []): Promise<unknown> {
    const { result, error } = JSON.parse((await this.call(method, params)).text) as { result: unknown; error: unknown };
    return (error ?? null) === null ? result : undefined;
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Ports that a daemon with an EVM opens further. */
export interface EthereumPorts {
  /** 0 without an EVM. */
  readonly port: number;
  readonly flags: readonly string[];
}

/** Free ports for the EVM of a daemon. */
export async function ethereumPorts(): Promise<EthereumPorts> {
  const [port, sockets] = [await freePort(), await freePort()];
  return { port, flags: [`-ethrpcport=${port}`, `-wsport=${sockets}`] };
}

/** Maximum time of a start: the build of 4.2.5 without optimisation takes more than half a minute on a busy machine. */
const START_MS = 180_000;

/** A `defid` in a process of its own, on regtest. */
export class DefidDaemon {
  readonly #directory = mkdtempSync(join(tmpdir(), 'dfi-reference-'));
  #process: ChildProcess | undefined;
  rpcPort = 0;

  constructor(
    private readonly program: string,
    private readonly flags: readonly string[],
  ) {}

  async start(): Promise<void> {
    this.rpcPort = await freePort();
    const own = [`-datadir=${this.#directory}`, `-rpcport=${this.rpcPort}`, '-rpcuser=user', '-rpcpassword=password'];
    const child = spawn(this.program, ['-regtest', '-server', '-listen=0', '-printtoconsole=0', ...own, ...this.flags], {
      stdio: 'ignore',
    });
    this.#process = child;
    const client = new NodeClient(this.rpcPort);
    await until(
      async () => {
        if (!this.isRunning) throw new Error(`defid ended with ${child.exitCode ?? child.signalCode}`);
        return (await client.call('getblockcount').catch(() => undefined))?.status === 200;
      },
      'start of defid',
      START_MS,
    );
    client.close();
  }

  get isRunning(): boolean {
    return this.#process?.exitCode === null && this.#process.signalCode === null;
  }

  destroy(): void {
    this.#process?.kill('SIGKILL');
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
