import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from './shared.js';

/** The bundled daemon. */
export const programPath = join(projectRoot, 'dist', 'main.js');
/** Variable of the environment that is set if the bundles are those of the current sources. */
export const BUILT = 'DFI_TEST_BUILT';
let built = process.env[BUILT] !== undefined;

/** Builds the bundles from the current sources: once per run, as a build deletes files that another one writes at the same time. */
export function buildPrograms(): void {
  if (built) return;
  const { status, stderr } = spawnSync(process.execPath, [join(projectRoot, 'build.mjs')], { encoding: 'utf8' });
  if (status !== 0 || !existsSync(programPath)) throw new Error(`the build failed: ${stderr}`);
  built = true;
}

/** Ports that no system gives to outgoing connections, which could take one before a daemon binds it. */
const PORTS = { first: 11_000, count: 21_000 };
let nextPort = randomInt(PORTS.count);

/** A port that nothing listens on. Processes that run at once begin at different ones. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = PORTS.first + nextPort;
    nextPort = (nextPort + 1) % PORTS.count;
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = net.createServer();
    server.once('error', () => resolve(false));
    server.listen(port, () => server.close(() => resolve(true)));
  });
}

export interface JsonRpcAnswer {
  readonly result: unknown;
  readonly error: { readonly code: number; readonly message: string } | null;
}

/** A daemon in a process of its own, on regtest. Its data directory is deleted with it, unless the caller named one. */
export class Daemon {
  static readonly authorization = `Basic ${Buffer.from('user:password').toString('base64')}`;
  readonly directory: string;
  readonly #agent = new http.Agent({ keepAlive: true });
  readonly #ownsDirectory: boolean;
  process: ChildProcess | undefined;
  stderr = '';
  rpcPort = 0;
  grpcPort = 0;

  /** @param program daemon of another build; by default that of the current sources */
  constructor(
    private readonly flags: readonly string[] = [],
    directory?: string,
    private readonly program = programPath,
  ) {
    this.#ownsDirectory = directory === undefined;
    this.directory = directory ?? mkdtempSync(join(tmpdir(), 'dfi-daemon-'));
  }

  /**
   * Starts the process and waits for its first answer.
   * @param more flags of this start only
   * @returns duration in milliseconds
   */
  async start(more: readonly string[] = []): Promise<number> {
    buildPrograms();
    this.rpcPort = await freePort();
    this.grpcPort = await freePort();
    const own = [
      `-datadir=${this.directory}`,
      `-rpcport=${this.rpcPort}`,
      `-grpcport=${this.grpcPort}`,
      '-metricsport=0',
      '-ethrpcport=-1',
      '-wsport=-1',
    ];
    const credentials = ['-rpcuser=user', '-rpcpassword=password'];
    const from = performance.now();
    const child = spawn(
      process.execPath,
      [this.program, '-regtest', '-printtoconsole=0', '-listen=0', ...own, ...credentials, ...this.flags, ...more],
      {
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    );
    child.stderr?.on('data', (chunk) => {
      this.stderr += String(chunk);
    });
    this.process = child;
    for (;;) {
      const end = child.exitCode ?? child.signalCode;
      if (end !== null) throw new Error(`the daemon ended with ${end}: ${this.stderr}`);
      const answer = await this.call('getblockcount').catch(() => undefined);
      if (answer && answer.error === null) return performance.now() - from;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  async call(method: string, ...params: unknown[]): Promise<JsonRpcAnswer> {
    return JSON.parse(await this.post(JSON.stringify({ id: 1, method, params }))) as JsonRpcAnswer;
  }

  /** @throws {Error} if the answer is an error */
  async ask(method: string, ...params: unknown[]): Promise<unknown> {
    const { result, error } = await this.call(method, ...params);
    if (error) throw new Error(`${method}: ${error.message} (${error.code})`);
    return result;
  }

  post(body: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const options = { port: this.rpcPort, method: 'POST', agent: this.#agent, headers: { authorization: Daemon.authorization } };
      const request = http.request(options, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve(Buffer.concat(chunks).toString()));
        response.on('error', reject);
      });
      request.on('error', reject).end(body);
    });
  }

  /** Ends the process. @returns its exit code; null after a signal that it could not catch */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    const child = this.process;
    if (!child) return null;
    const exited = new Promise<number | null>((resolve) => {
      if (child.exitCode !== null || child.signalCode !== null) resolve(child.exitCode);
      else child.once('exit', resolve);
    });
    child.kill(signal);
    const code = await exited;
    this.process = undefined;
    return code;
  }

  async destroy(): Promise<void> {
    await this.end('SIGKILL');
    this.#agent.destroy();
    if (this.#ownsDirectory) rmSync(this.directory, { recursive: true, force: true });
  }
}
