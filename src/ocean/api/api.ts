import type { OceanMetrics } from '../../metrics/ocean.js';
import { NodeError } from '../../util/errors.js';
import type { JsonValue } from '../../util/json.js';
import type { Logger } from '../../util/logger.js';
import { Slicer } from '../../util/slicer.js';
import type { OceanModules } from '../modules.js';
import { type InvalidField, OceanError, OperationFailed } from './errors.js';
import type { OceanAnswer, Route } from './route.js';
import { type Met, Router } from './router.js';

/** A request as it arrived. */
export interface OceanCall {
  /** `GET` or `POST`, or any other, which no route has. */
  readonly method: string;
  /** Path and query as sent. */
  readonly target: string;
  /** Reads the body of a POST as JSON. @throws {SyntaxError} if it is none @throws {NodeError} if it takes too much memory */
  body(): Promise<JsonValue | undefined>;
}

/** A whole answer: status and JSON text. */
export interface OceanReply {
  readonly status: number;
  readonly body: string;
}

interface Observers {
  readonly log: Logger;
  readonly metrics: OceanMetrics;
}

/** Names of the networks in paths that differ from ours. */
const NETWORK_NAMES: Readonly<Record<string, string>> = { main: 'mainnet', test: 'testnet' };

/** `v0`, and `v0.` with digits or `x`, which clients send as well. */
const VERSION = /^v0(?:\.(?:\d+|x))?$/;

/** Answers requests by the routes: envelope, errors, network. @see docs/protocol/ocean.md 1 */
export class OceanApi {
  readonly #modules: OceanModules;
  readonly #router: Router;
  readonly #network: string;
  readonly #observers: Observers;

  constructor(modules: OceanModules, routes: readonly Route[], observers: Observers) {
    const { name } = modules.chain.params;
    this.#modules = modules;
    this.#router = new Router(routes);
    this.#network = NETWORK_NAMES[name] ?? name;
    this.#observers = observers;
  }

  /** Never rejects. */
  async answer(call: OceanCall): Promise<OceanReply> {
    const startedMs = performance.now();
    const [path, query] = split(call.target);
    const below = this.#belowNetwork(path);
    const met = below === undefined ? undefined : this.#router.find(call.method, below);
    const reply = await this.#reply(call, async () => {
      if (!met) throw new OceanError('NotFound', `Cannot ${call.method} ${path}`);
      return this.#answer(call, met, query);
    });
    this.#observers.metrics.answered(met?.route.path ?? 'unknown', reply.status, (performance.now() - startedMs) / 1000);
    return reply;
  }

  /** Answer to a request that is not processed: its body is too long, or too many others are running. */
  refuse(target: string, reason: 'size' | 'queue'): OceanReply {
    const error =
      reason === 'size'
        ? new OceanError('PayloadTooLarge', 'request entity too large')
        : new OceanError('BadGateway', 'Work queue depth exceeded');
    return this.#refuse({ target }, error);
  }

  async #reply(call: OceanCall, answer: () => Promise<OceanAnswer>): Promise<OceanReply> {
    try {
      return { status: 200, body: textOf(await answer()) };
    } catch (error) {
      return this.#refuse(call, refusalOf(error) ?? this.#unexpected(call, error));
    }
  }

  async #answer({ method, body }: OceanCall, { route, path }: Met, query: string): Promise<OceanAnswer> {
    const request = { path, query: new URLSearchParams(query), body: method === 'POST' ? await body() : undefined };
    // Yields, so that requests that arrive together are answered in several turns of the event loop.
    await new Slicer().pause();
    return route.answer(this.#modules, request);
  }

  /** Path below the network, without a slash at the end; undefined for another version or network. */
  #belowNetwork(path: string): string | undefined {
    const [empty, version = '', network, ...rest] = path.split('/');
    if (empty !== '' || !VERSION.test(version) || network !== this.#network) return undefined;
    if (rest.at(-1) === '') rest.pop();
    return rest.join('/');
  }

  #unexpected({ target }: OceanCall, error: unknown): OceanError {
    this.#observers.log.error('request failed unexpectedly', { target, error });
    return new OceanError('UnknownError');
  }

  #refuse({ target }: Pick<OceanCall, 'target'>, error: OceanError): OceanReply {
    const { status, type, invalid } = error;
    const at = this.#modules.clock.now();
    const facts = { code: status, type, at, ...(error.message === '' ? {} : { message: error.message }), url: target };
    return { status, body: JSON.stringify({ error: invalid ? { ...facts, validation: { properties: invalid.map(shownField) } } : facts }) };
  }
}

function shownField({ property, value, constraints }: InvalidField) {
  return { property, value, constraints };
}

/** Path and query. */
function split(target: string): [string, string] {
  const at = target.indexOf('?');
  return at < 0 ? [target, ''] : [target.slice(0, at), target.slice(at + 1)];
}

function textOf(answer: OceanAnswer): string {
  if ('body' in answer) return answer.body;
  const { data } = answer;
  return JSON.stringify('next' in answer && answer.next !== undefined ? { data, page: { next: answer.next } } : { data });
}

/** The error as a client may see it; undefined for unexpected ones. */
function refusalOf(error: unknown): OceanError | undefined {
  if (error instanceof OceanError) return error;
  if (error instanceof SyntaxError) return new OceanError('BadRequest', error.message);
  if (error instanceof NodeError && error.kind === 'overloaded') return new OceanError('BadGateway', error.message);
  if (error instanceof NodeError && error.kind === 'invalid-request') return new OceanError('BadRequest', error.message);
  if (!(error instanceof OperationFailed)) return undefined;
  return new OceanError('BadRequest', `RpcApiError: '${error.message}', code: ${error.code}, method: ${error.method}`);
}
