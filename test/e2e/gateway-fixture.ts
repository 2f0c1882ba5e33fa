import { readFileSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import type { TestContext } from 'node:test';
import { Gateway, type GatewayDeps } from '../../src/gateway/gateway.js';
import { defaultGatewayOptions, type GatewayOptions } from '../../src/gateway/options.js';
import { type Catalogue, loadCatalogue, type Operation } from '../../src/rpc/catalogue.js';
import type { Credentials } from '../../src/rpc/credentials.js';
import type { CallContext } from '../../src/rpc/handler.js';
import type { OpenCall } from '../../src/rpc/invoke.js';
import { Role } from '../../src/rpc/options.js';
import { NodeError } from '../../src/util/errors.js';
import { silentLogger } from '../../src/util/logger.js';

const gen = (name: string): Uint8Array => readFileSync(new URL(`../../gen/${name}`, import.meta.url));

const openApiFile = new URL('../../gen/openapi.json', import.meta.url);

let loaded: Catalogue | undefined;

/** The catalogue of the committed images. */
export function catalogue(): Catalogue {
  loaded ??= loadCatalogue(gen('image.binpb'), () => gen('docs.binpb'));
  return loaded;
}

// biome-ignore lint/suspicious/noExplicitAny: handlers of many operations stand in one table
export type FakeHandlers = Readonly<Record<string, (request: any, call: CallContext) => unknown>>;

/** An invoker of functions by wire name. */
export class FakeInvoker {
  warmup: string | undefined;
  readonly calls: CallContext[] = [];

  constructor(readonly handlers: FakeHandlers) {}

  requireReady(): void {
    if (this.warmup !== undefined) throw new NodeError('warmup', this.warmup);
  }

  open(op: Operation, call: CallContext): OpenCall {
    this.requireReady();
    return (request) => this.#run(op, request, call);
  }

  invoke(op: Operation, request: object, call: CallContext): unknown {
    return this.open(op, call)(request);
  }

  #run(op: Operation, req: object, call: CallContext): unknown {
    this.calls.push(call);
    const handler = this.handlers[op.name];
    if (!handler) throw new Error(`no handler for ${op.name}`);
    return handler(req, call);
  }

  stream(op: Operation, request: object, call: CallContext): AsyncGenerator<object> {
    this.requireReady();
    return this.#run(op, request, call) as AsyncGenerator<object>;
  }
}

export const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;

/** Accepts `user:secret`. */
export const fakeCredentials: Pick<Credentials, 'check'> = {
  check: (authorization) => (authorization === basic('user:secret') ? { user: 'user', role: Role.ADMIN } : undefined),
};

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Ask {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array;
  /** `user:password`; null for a request without credentials. */
  readonly auth?: string | null;
}

export interface Running {
  readonly gateway: Gateway;
  readonly invoker: FakeInvoker;
  readonly port: number;
  ask(path: string, ask?: Ask): Promise<Answer>;
  /** Posts a JSON-RPC body to `/`. */
  post(body: unknown, path?: string): Promise<Answer>;
}

/** A gateway on a port of the system's choice that ends with the test. */
export async function startGateway(
  t: TestContext,
  handlers: FakeHandlers,
  options: Partial<GatewayOptions> = {},
  deps: Partial<GatewayDeps> = {},
): Promise<Running> {
  const invoker = new FakeInvoker(handlers);
  const gateway = new Gateway(
    { ...defaultGatewayOptions, authDelayMs: 20, stopGraceMs: 500, openApiFile, ...options },
    { invoker, catalogue: catalogue(), credentials: fakeCredentials, log: silentLogger, ...deps },
  );
  const [endpoint] = await gateway.start();
  const port = endpoint?.port ?? 0;
  t.after(() => gateway.stop());
  const ask = (path: string, given: Ask = {}): Promise<Answer> => send(port, path, given);
  return {
    gateway,
    invoker,
    port,
    ask,
    post: (body, path = '/') => ask(path, { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  };
}

function send(port: number, path: string, { method = 'POST', headers = {}, body, auth = 'user:secret' }: Ask): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const authorization = auth === null ? {} : { authorization: basic(auth) };
    const req = request({ host: '127.0.0.1', port, path, method, agent: false, headers: { ...authorization, ...headers } }, (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.on('end', () => resolve({ status: res.statusCode ?? 0, headers: res.headers, body: Buffer.concat(chunks).toString() }));
    });
    req.on('error', reject);
    req.end(body);
  });
}
