// The package's entry `dfi-node/devnet`: a development network for test suites. It imports nothing of the node, which it starts as a process.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export interface DfiDevNetOptions {
  /** Data directory, which is kept; by default a temporary one. With one that exists the start takes less time. */
  readonly dataDir?: string;
  /** Further options of the node, such as `-devmine=off`. */
  readonly args?: readonly string[];
  /** Program of the node; by default that of this package. */
  readonly program?: string;
  /** Time for the start, milliseconds. */
  readonly timeoutMs?: number;
}

/** An answer of the node that is an error. */
export class DfiDevNetError extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
    this.name = 'DfiDevNetError';
  }
}

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 20_000;
const POLL_MS = 20;
const PORT_ATTEMPTS = 3;
/** Code of errors during the start. */
const IN_WARMUP = -28;
const OUTPUT_KEPT = 4_000;
/** Ports of a node. */
const PORT_OPTIONS = ['rpcport', 'grpcport', 'ethrpcport', 'wsport'] as const;

type Ports = Readonly<Record<(typeof PORT_OPTIONS)[number], number>>;

/** A private development network in a process of its own. */
export class DfiDevNet {
  /** JSON-RPC and REST. Calls need the header {@link DfiDevNet.authorization}. */
  readonly url: string;
  /** Ethereum's JSON-RPC. */
  readonly ethereumUrl: string;
  readonly webSocketUrl: string;
  /** Host and port of gRPC. Calls need the header {@link DfiDevNet.authorization} as metadata. */
  readonly grpcTarget: string;
  readonly #node: NodeProcess;
  #fresh = 0;

  private constructor(node: NodeProcess) {
    const { rpcport, grpcport, ethrpcport, wsport } = node.ports;
    this.#node = node;
    this.url = `http://127.0.0.1:${rpcport}`;
    this.ethereumUrl = `http://127.0.0.1:${ethrpcport}`;
    this.webSocketUrl = `ws://127.0.0.1:${wsport}`;
    this.grpcTarget = `127.0.0.1:${grpcport}`;
  }

  /** Starts a network. @throws {Error} with the output of the node if it does not start */
  static async start(options: DfiDevNetOptions = {}): Promise<DfiDevNet> {
    for (let attempt = 1; ; attempt++) {
      const net = new DfiDevNet(new NodeProcess(options, await freePorts()));
      try {
        await net.#begin(options.timeoutMs ?? START_TIMEOUT_MS);
        return net;
      } catch (error) {
        await net.stop();
        // Another program may have opened a port in the meantime.
        if (attempt === PORT_ATTEMPTS || !/in use|EADDRINUSE/i.test(String(error))) throw error;
      }
    }
  }

  async #begin(timeoutMs: number): Promise<void> {
    const deadline = Date.now() + timeoutMs;
    for (;;) {
      if (this.#node.hasEnded) throw new Error(`the node has ended: ${this.#node.output}`);
      if (Date.now() > deadline) throw new Error(`the node did not start in time: ${this.#node.output}`);
      if (await this.#isReady()) break;
      await sleep(POLL_MS);
    }
    this.#fresh = await this.snapshot();
  }

  async #isReady(): Promise<boolean> {
    if (!existsSync(this.#node.cookieFile)) return false;
    try {
      await this.call('getblockcount');
      return true;
    } catch (error) {
      // The port is not open yet, or the node is starting.
      if (error instanceof DfiDevNetError && error.code !== IN_WARMUP) throw error;
      return false;
    }
  }

  /** Value of the header `authorization`. */
  get authorization(): string {
    return `Basic ${Buffer.from(readFileSync(this.#node.cookieFile, 'utf8').trim()).toString('base64')}`;
  }

  /** Calls an operation. @throws {DfiDevNetError} */
  call<T = unknown>(method: string, ...params: readonly unknown[]): Promise<T> {
    return send<T>(this.url, { authorization: this.authorization }, method, params);
  }

  /** Calls a method of Ethereum's JSON-RPC. @throws {DfiDevNetError} */
  callEthereum<T = unknown>(method: string, ...params: readonly unknown[]): Promise<T> {
    return send<T>(this.ethereumUrl, {}, method, params);
  }

  /** Notes the current state. @returns id for {@link DfiDevNet.revert} */
  snapshot(): Promise<number> {
    return this.call<number>('dev_snapshot');
  }

  /** Returns to a snapshot, which can be used again; later ones are dropped. */
  async revert(id: number): Promise<void> {
    await this.call('dev_revert', id);
  }

  /** Returns to the state after the start: a fresh world for the next test. */
  reset(): Promise<void> {
    return this.revert(this.#fresh);
  }

  /** Mints blocks. @returns their hashes */
  mine(blocks = 1): Promise<string[]> {
    return this.call<string[]>('dev_mine', blocks);
  }

  /** Stops the node, and removes its data directory if it is a temporary one. */
  stop(): Promise<void> {
    return this.#node.stop();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}

/** Process of a node. */
class NodeProcess {
  readonly cookieFile: string;
  readonly #child: ChildProcess;
  readonly #temporary: string | undefined;
  readonly #kill = () => void this.#child.kill('SIGKILL');
  #output = '';

  constructor(
    { dataDir, args = [], program = fileURLToPath(new URL('./main.js', import.meta.url)) }: DfiDevNetOptions,
    readonly ports: Ports,
  ) {
    this.#temporary = dataDir === undefined ? mkdtempSync(join(tmpdir(), 'dfi-devnet-')) : undefined;
    // The node would look for a relative cookie file in its network directory.
    const directory = resolve(dataDir ?? (this.#temporary as string));
    mkdirSync(directory, { recursive: true });
    this.cookieFile = join(directory, 'cookie');
    rmSync(this.cookieFile, { force: true });
    const own = [`-datadir=${directory}`, `-rpccookiefile=${this.cookieFile}`, '-metrics=0', '-printtoconsole=0'];
    const flags = ['-dev', ...own, ...PORT_OPTIONS.map((name) => `-${name}=${ports[name]}`), ...args];
    this.#child = spawn(process.execPath, [program, ...flags], { stdio: ['ignore', 'pipe', 'pipe'] });
    const keep = (text: Buffer): void => {
      this.#output = (this.#output + text.toString()).slice(-OUTPUT_KEPT);
    };
    this.#child.stdout?.on('data', keep);
    this.#child.stderr?.on('data', keep);
    process.once('exit', this.#kill);
  }

  get output(): string {
    return this.#output.trim();
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  async stop(): Promise<void> {
    if (!this.hasEnded) {
      const ended = once(this.#child, 'exit');
      this.#child.kill('SIGTERM');
      const timer = setTimeout(this.#kill, STOP_TIMEOUT_MS);
      await ended;
      clearTimeout(timer);
    }
    process.off('exit', this.#kill);
    if (this.#temporary !== undefined) rmSync(this.#temporary, { recursive: true, force: true });
  }
}

interface Answer<T> {
  readonly result: T;
  readonly error?: { readonly code: number; readonly message: string } | null;
}

async function send<T>(url: string, headers: Record<string, string>, method: string, params: readonly unknown[]): Promise<T> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body });
  const text = await response.text();
  if (!text.startsWith('{')) throw new DfiDevNetError(response.status, `${method}: HTTP ${response.status} ${text}`.trim());
  const { result, error } = JSON.parse(text) as Answer<T>;
  if (error) throw new DfiDevNetError(error.code, error.message);
  return result;
}

/** Ports that no program uses now. */
async function freePorts(): Promise<Ports> {
  const servers = PORT_OPTIONS.map(() => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return Object.fromEntries(PORT_OPTIONS.map((name, i) => [name, ports[i]])) as Ports;
}
