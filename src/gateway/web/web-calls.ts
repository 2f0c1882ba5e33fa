import type { IncomingMessage, ServerResponse } from 'node:http';
import { serviceDefinitions } from '../../grpc/definitions.js';
import { encoderOf } from '../../grpc/encode.js';
import { EncodedRequest, requestLimit } from '../../grpc/request.js';
import { type Method, requestOf, UnaryCalls } from '../../grpc/unary.js';
import type { Operation } from '../../rpc/catalogue.js';
import { drained, STALL_MS } from '../../util/drain.js';
import { NodeError } from '../../util/errors.js';
import { inSlices, type MaybePromise, withValue } from '../../util/slicer.js';
import type { Admission } from '../auth.js';
import { RequestBody, readBody } from '../body.js';
import { refuseRequest, sendEmpty } from '../reply.js';
import type { RestParts } from '../rest.js';
import { destroyLater, OPEN_MS, settlesIn, tooManyStreams } from '../streams.js';
import { ProtoJson } from './proto-json.js';
import { FRAME_HEAD, messageOfQuery, type Protocol, protocolOf } from './protocol.js';
import { WebCall } from './web-call.js';

/** Kinds of content that a request may have. */
const CONTENT =
  'application/grpc-web, application/grpc-web-text, application/proto, application/json, application/connect+proto, application/connect+json';

/** Base64 takes four characters for three bytes. */
const BASE64 = 4 / 3;

/**
 * The operations as browsers call them over gRPC: gRPC-Web and Connect, with the paths of gRPC on the port of the gateway. Credentials,
 * rights, limits and answers are those of REST and gRPC; only the frames differ.
 */
export class WebCalls {
  readonly #parts: RestParts;
  readonly #unary: UnaryCalls;
  readonly #methods = new Map<string, Method>();
  readonly #json: ProtoJson;

  constructor(parts: RestParts) {
    this.#parts = parts;
    const { catalogue, invoker, cache } = parts.operations;
    this.#unary = new UnaryCalls(invoker, cache);
    this.#json = new ProtoJson(catalogue.descriptors);
    for (const method of serviceDefinitions.flatMap((service) => Object.values(service))) {
      const operation = catalogue.byPath(method.path);
      if (operation) this.#methods.set(method.path, { operation, decode: method.requestDeserialize, encode: encoderOf(operation, method) });
    }
  }

  /** Answers a request for the path of a method. */
  handle(req: IncomingMessage, res: ServerResponse): void {
    const [path = '', search] = (req.url ?? '').split('?');
    const query = new URLSearchParams(search);
    const method = this.#methods.get(path);
    if (!method) sendEmpty(res, 404);
    else if (req.method !== 'POST' && req.method !== 'GET') sendEmpty(res, 405);
    else {
      const protocol = protocolOf(req, method.operation, query);
      if (protocol) this.#admit({ method, protocol, query, req, res });
      else if (req.method === 'GET') sendEmpty(res, 405);
      else {
        res.setHeader('Accept-Post', CONTENT);
        refuseRequest(res, 415, '');
      }
    }
  }

  #admit(request: WebRequest): void {
    const { req } = request;
    void withValue(this.#parts.auth.admit(req.headers.authorization, req.socket), (admission) => this.#onAdmission(request, admission));
  }

  #onAdmission(request: WebRequest, admission: Admission): void {
    const { parts, req, res, protocol, operation } = { ...request, parts: this.#parts, operation: request.method.operation };
    if ('refusal' in admission) {
      void withValue(admission.due, () => protocol.refuse(res, admission.refusal));
      return;
    }
    const call = new WebCall(admission.caller, req.headers);
    try {
      parts.operations.requireAccess(operation.name, call.caller);
      if (operation.streams && parts.streams.full) throw tooManyStreams();
      if (!operation.streams && parts.pending.full) {
        parts.rejected('queue');
        throw new NodeError('resource-exhausted', 'Work queue depth exceeded');
      }
    } catch (error) {
      protocol.refuse(res, error);
      return;
    }
    if (req.method === 'GET') this.#run(request, call, messageOfQuery(request.query));
    else this.#withBody(request, (body) => this.#run(request, call, body));
  }

  #withBody({ req, res, protocol, method }: WebRequest, next: (body: Uint8Array) => void): void {
    const limit = Math.ceil((requestLimit(method.operation) + FRAME_HEAD) * BASE64);
    readBody(req, res, limit, this.#parts.bodies, (body) => {
      if (body instanceof RequestBody) next(body.bytes);
      else {
        this.#parts.rejected('size');
        res.setHeader('Connection', 'close');
        protocol.refuse(res, body === 'too-large' ? new NodeError('resource-exhausted', 'the request is too long') : body);
      }
    });
  }

  #run(request: WebRequest, call: WebCall, body: Uint8Array): void {
    const { req, res, protocol, method } = request;
    const { operation } = method;
    const settled = (): void => call.end();
    try {
      const message = this.#messageIn(protocol, operation, body);
      if (operation.streams) {
        call.startTimer();
        this.#parts.streams.track(call, req.socket, this.#stream(request, call, message).finally(settled));
        return;
      }
      const answer = withValue(this.#unary.answer(method, message, call), (bytes) => this.#piecesOf(protocol, operation, bytes, call));
      const sent = withValue(answer, (pieces) => {
        // A message of Connect without a set field has no bytes, but a type.
        res.setHeader('Content-Type', protocol.type);
        this.#parts.encoding.send(res, req, call, 200, protocol.type, protocol.body(pieces));
      });
      if (!(sent instanceof Promise)) return;
      call.startTimer();
      const done = sent.catch((error: unknown) => protocol.refuse(res, call.abortReason ?? error)).finally(settled);
      this.#parts.pending.track(call, req.socket, done);
    } catch (error) {
      protocol.refuse(res, error);
    }
  }

  #messageIn(protocol: Protocol, op: Operation, body: Uint8Array): EncodedRequest {
    const message = protocol.messageIn(body);
    if (message.length > requestLimit(op)) throw new NodeError('resource-exhausted', 'the request is too long');
    const bytes = protocol.isJson ? this.#json.encode(op.input, Buffer.from(message).toString()) : message;
    return new EncodedRequest(Buffer.from(bytes));
  }

  #piecesOf({ isJson }: Protocol, { output }: Operation, bytes: Uint8Array, call: WebCall): MaybePromise<readonly Uint8Array[]> {
    return isJson ? inSlices(this.#json.decode(output, bytes), call) : [bytes];
  }

  /** Serves a call that is answered with a stream, as fast as the client reads. */
  async #stream(request: WebRequest, call: WebCall, message: EncodedRequest): Promise<void> {
    const { protocol, res } = request;
    const { stallMs = STALL_MS } = this.#parts;
    const frames = this.#frames(request, call, message);
    try {
      const first = frames.next();
      const hasMessage = await settlesIn(first, OPEN_MS);
      // Errors up to here are answered without a stream. Clients call a stream open when its head has arrived.
      protocol.begin(res);
      if (!hasMessage) res.flushHeaders();
      for (let next = await first; !next.done; next = await frames.next()) {
        if (!res.write(next.value)) await drained(res, call.signal, stallMs);
      }
      res.end(protocol.end());
    } catch (error) {
      if (error instanceof NodeError) call.abort(error);
      const thrown = call.abortReason ?? error;
      if (!res.headersSent) protocol.refuse(res, thrown);
      else if (!res.destroyed) res.end(protocol.end(thrown));
    } finally {
      await frames.return(undefined);
      destroyLater(res);
    }
  }

  async *#frames({ method, protocol }: WebRequest, call: WebCall, message: EncodedRequest): AsyncGenerator<Buffer, undefined> {
    const { operation, encode } = method;
    for await (const each of this.#parts.operations.invoker.stream(operation, requestOf(method, message, call), call)) {
      yield protocol.frame(await this.#piecesOf(protocol, operation, await encode(each, call), call));
    }
    return undefined;
  }
}

interface WebRequest {
  readonly method: Method;
  readonly protocol: Protocol;
  readonly query: URLSearchParams;
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}
