import type { IncomingMessage, ServerResponse } from 'node:http';
import { Router } from 'express';
import type { Rejected } from '../metrics/rpc.js';
import type { Operation } from '../rpc/catalogue.js';
import { FIELDS_PARAMETER } from '../rpc/field-mask.js';
import type { HttpRoute } from '../rpc/options.js';
import { NodeError } from '../util/errors.js';
import { JsonObject, type JsonValue } from '../util/json.js';
import type { Logger } from '../util/logger.js';
import { withValue } from '../util/slicer.js';
import type { AnswerEncoding } from './answer-encoding.js';
import type { Admission, Authenticator } from './auth.js';
import { type BodyBudget, RequestBody, readBody } from './body.js';
import { HttpCall } from './http-call.js';
import type { OperationTable } from './operations.js';
import { MAX_REST_BODY_BYTES } from './options.js';
import type { PendingCalls } from './pending-calls.js';
import { type Pair, queryJson } from './query.js';
import { JSON_TYPE, refuseRequest } from './reply.js';
import { requestIdOf } from './request-id.js';
import { sendRestError } from './rest-error.js';
import { type PathTemplate, PlainRoutes, pathTemplate } from './route.js';
import { lastEventId, sendEvents, streamTexts, tooManyStreams } from './streams.js';
import { restWallet } from './wallet-path.js';

/** Modules that REST calls use. */
export interface RestParts {
  readonly operations: OperationTable;
  readonly auth: Authenticator;
  readonly pending: PendingCalls;
  /** Streams, which do not count towards the work queue. */
  readonly streams: PendingCalls;
  /** Time in which the client of a stream has to read something. */
  readonly stallMs?: number | undefined;
  readonly bodies: BodyBudget;
  readonly encoding: AnswerEncoding;
  readonly rejected: Rejected;
  readonly log: Logger;
}

interface Route {
  readonly op: Operation;
  readonly rule: HttpRoute;
  readonly template: PathTemplate;
}

/** REST as declared by `google.api.http`: path, query and body form one request in the dialect of the operations document. */
export function restRouter(parts: RestParts): Router {
  const router = Router({ caseSensitive: true, strict: true });
  for (const route of routesOf(parts.operations.catalogue.operations)) {
    const verb = route.rule.verb.toLowerCase() as 'get' | 'put' | 'post' | 'delete' | 'patch';
    router[verb](route.template.expressPath, (req, res) => {
      const params: Record<string, string | string[] | undefined> = req.params;
      const values = route.template.fields.map((_, i) => params[`p${i}`] ?? '');
      new RestCall(
        parts,
        route,
        values.map((value) => (Array.isArray(value) ? value.join('/') : value)),
        req,
        res,
      ).run();
    });
  }
  return router;
}

/** Runs the call of a GET request with a plain path. @returns false for any other request, and for a path that has no route */
export type PlainRest = (req: IncomingMessage, res: ServerResponse) => boolean;

/** REST calls that {@link restRouter} would route in the same way. @param before prepares each reply */
export function plainRest(parts: RestParts, before: (req: IncomingMessage, res: ServerResponse) => void): PlainRest {
  const gets = routesOf(parts.operations.catalogue.operations).filter(({ rule }) => rule.verb === 'GET');
  const routes = new PlainRoutes(gets.map((route) => ({ path: route.rule.path, route })));
  return (req, res) => {
    const { url = '' } = req;
    const query = url.indexOf('?');
    const found = req.method === 'GET' ? routes.find(query < 0 ? url : url.slice(0, query)) : undefined;
    if (!found) return false;
    try {
      before(req, res);
      new RestCall(parts, found.route, found.values, req, res).run();
    } catch (error) {
      sendRestError(res, error);
    }
    return true;
  };
}

/** All routes, those with fewer parameters and longer text first: `/v1/blocks:verify` must not match a parameter. */
function routesOf(operations: readonly Operation[]): Route[] {
  const routes = operations.flatMap((op) => op.http.map((rule) => ({ op, rule, template: pathTemplate(rule.path) })));
  const fixed = ({ rule }: Route): number => rule.path.replace(/\{[^}]*\}/g, '').length;
  return routes.sort((a, b) => a.template.fields.length - b.template.fields.length || fixed(b) - fixed(a));
}

class RestCall {
  constructor(
    readonly parts: RestParts,
    readonly route: Route,
    /** Values of the parameters of the path. */
    readonly values: readonly string[],
    readonly req: IncomingMessage,
    readonly res: ServerResponse,
  ) {}

  run(): void {
    const { authorization } = this.req.headers;
    void withValue(this.parts.auth.admit(authorization, this.req.socket), (admission) => this.#onAdmission(admission));
  }

  #onAdmission(admission: Admission): void {
    const { parts, req, res } = this;
    if ('refusal' in admission) void withValue(admission.due, () => sendRestError(res, admission.refusal));
    else if (this.route.op.streams && parts.streams.full) sendRestError(res, tooManyStreams());
    else if (!this.route.op.streams && parts.pending.full) {
      parts.rejected('queue');
      sendRestError(res, new NodeError('resource-exhausted', 'Work queue depth exceeded'));
    } else {
      const call = new HttpCall('rest', admission.caller, this.#wallet(), req.headers.authorization, requestIdOf(req.headers), req.headers);
      if (this.#isAllowed(call)) this.#withBody((body) => this.#invoke(body, call));
    }
  }

  #isAllowed({ caller }: HttpCall): boolean {
    try {
      this.parts.operations.requireAccess(this.route.op.name, caller);
      return true;
    } catch (error) {
      this.#fail(error);
      return false;
    }
  }

  #withBody(next: (body: JsonValue | undefined) => void): void {
    if (this.route.rule.body === '') {
      next(undefined);
      return;
    }
    readBody(this.req, this.res, MAX_REST_BODY_BYTES, this.parts.bodies, (body) => {
      if (body instanceof RequestBody) this.#parse(body, next);
      else {
        this.parts.rejected('size');
        if (body === 'too-large') refuseRequest(this.res, 413, '');
        else {
          this.res.setHeader('Connection', 'close');
          sendRestError(this.res, body);
        }
      }
    });
  }

  #parse(body: RequestBody, next: (body: JsonValue | undefined) => void): void {
    const fail = (error: unknown): void => sendRestError(this.res, error);
    try {
      const parsed = body.isEmpty ? undefined : body.parse();
      if (parsed instanceof Promise) parsed.then(next, fail);
      else next(parsed);
    } catch (error) {
      fail(error);
    }
  }

  #invoke(body: JsonValue | undefined, call: HttpCall): void {
    const { op } = this.route;
    try {
      const { operations, pending } = this.parts;
      if (op.streams) {
        this.#stream(call);
        return;
      }
      const answer = operations.answerRest(op, this.#requestJson(body), body === undefined, call, this.#fields());
      const replied = withValue(answer, (json) => this.parts.encoding.send(this.res, this.req, call, 200, JSON_TYPE, json));
      if (!(replied instanceof Promise)) return;
      const settled = replied.catch((error: unknown) => this.#fail(call.abortReason ?? error));
      pending.track(call, this.req.socket, settled);
    } catch (error) {
      this.#fail(error);
    }
  }

  #stream(call: HttpCall): void {
    const { req, res, parts } = this;
    const { op } = this.route;
    const fromUrl = this.#requestJson(undefined);
    const cursor = lastEventId(req);
    // The browser repeats the URL of its first request.
    const json =
      cursor === undefined ? fromUrl : new JsonObject([['cursor', cursor], ...fromUrl.entries.filter(([name]) => name !== 'cursor')]);
    const texts = streamTexts(op, json, call, parts.operations.invoker);
    const sent = sendEvents(texts, call, res, { stallMs: parts.stallMs }).catch((error: unknown) => this.#fail(call.abortReason ?? error));
    parts.streams.track(call, req.socket, sent);
  }

  /** Values of path, query and body as one JSON object; path and query take precedence over the body. */
  #requestJson(body: JsonValue | undefined): JsonObject {
    const { op, rule } = this.route;
    const fromUrl = queryJson(op.input, [...this.#pathPairs(), ...this.#queryPairs()]);
    if (body === undefined) return fromUrl;
    if (rule.body !== '*') return new JsonObject([...fromUrl.entries, [rule.body, body]]);
    if (!(body instanceof JsonObject)) throw new NodeError('invalid-params', 'the body must be a JSON object');
    return new JsonObject([...fromUrl.entries, ...body.entries.filter(([name]) => !fromUrl.has(name))]);
  }

  #pathPairs(): Pair[] {
    const values = this.#pathValues();
    return values.filter(([field]) => field !== 'wallet' || this.route.op.params.some((param) => param.name === field));
  }

  #pathValues(): Pair[] {
    return this.route.template.fields.map((field, i) => [field, this.values[i] ?? '']);
  }

  #queryPairs(): Pair[] {
    const { url = '' } = this.req;
    const at = url.indexOf('?');
    if (at < 0) return [];
    const pairs = [...new URLSearchParams(url.slice(at + 1))];
    return this.route.op.streams ? pairs : pairs.filter(([name]) => name !== FIELDS_PARAMETER);
  }

  /** Fields of the answer that the caller asks for. */
  #fields(): string | undefined {
    const { url = '' } = this.req;
    const at = url.indexOf('?');
    return at < 0 || !url.includes(FIELDS_PARAMETER, at) ? undefined : new URLSearchParams(url.slice(at)).getAll(FIELDS_PARAMETER).join();
  }

  /** @see restWallet */
  #wallet(): string | undefined {
    const named = this.#pathValues().find(([field]) => field === 'wallet');
    return restWallet(named?.[1], this.req.headers['x-wallet']);
  }

  #fail(error: unknown): void {
    if (!(error instanceof NodeError)) {
      this.parts.log.error('REST call failed unexpectedly', {
        method: this.route.op.name,
        error: String(error),
        stack: error instanceof Error ? error.stack : undefined,
      });
    }
    sendRestError(this.res, error);
  }
}
