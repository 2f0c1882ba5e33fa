import { EventEmitter } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { AnswerEncoding } from '../../src/gateway/answer-encoding.js';
import { createApp } from '../../src/gateway/app.js';
import { Authenticator } from '../../src/gateway/auth.js';
import { BodyBudget, RequestBody } from '../../src/gateway/body.js';
import { RestRefusal } from '../../src/gateway/defid-answer.js';
import { DefidResources } from '../../src/gateway/defid-resources.js';
import type { Documents } from '../../src/gateway/documents/documents.js';
import { HttpCall } from '../../src/gateway/http-call.js';
import { JsonRpc } from '../../src/gateway/jsonrpc.js';
import { OperationTable } from '../../src/gateway/operations.js';
import { PendingCalls } from '../../src/gateway/pending-calls.js';
import { walletOfPath } from '../../src/gateway/wallet-path.js';
import type { Caller } from '../../src/rpc/access.js';
import type { Operation } from '../../src/rpc/catalogue.js';
import { applyDocumentDefaults } from '../../src/rpc/document.js';
import { LoginThrottle } from '../../src/rpc/login-throttle.js';
import { Role } from '../../src/rpc/options.js';
import { NodeError } from '../../src/util/errors.js';
import { parseJson } from '../../src/util/json.js';
import { type Logger, silentLogger } from '../../src/util/logger.js';
import { bytesDecoder, type Decoder, textDecoder } from './decoder.js';
import { catalogue, type GrpcMethod, grpcMethods } from './grpc-methods.js';

const CALLER: Caller = { user: 'fuzz', role: Role.ADMIN };

/** Internal errors: their answers only say "internal", the cause is in the log. */
const unexpected: unknown[] = [];
const log: Logger = { ...silentLogger, error: (text, fields) => unexpected.push(`${text}: ${JSON.stringify(fields)}`) };

function throwUnexpected(): void {
  const [first] = unexpected.splice(0);
  if (first !== undefined) throw new Error(String(first));
}

/** Reads every field of a request, as a handler would, because fields are converted when they are read. */
function readAll(value: unknown): void {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return;
  for (const member of Object.values(value)) readAll(member);
}

const methodOf = new Map(grpcMethods.map((method) => [method.operation, method]));

/** An invoker whose handlers read the whole request and answer with an empty message. */
const invoker = {
  requireReady() {},
  open: (op: Operation) => (request: object) => invoker.invoke(op, request),
  invoke(op: Operation, request: object): unknown {
    readAll(request);
    return methodOf.get(op)?.definition.responseDeserialize(Buffer.alloc(0));
  },
  async *stream(op: Operation, request: object): AsyncGenerator<object> {
    yield invoker.invoke(op, request) as object;
  },
};
const documents = { openRpc: '{}' } as unknown as Documents;
const operations = new OperationTable(catalogue, invoker, documents, () => {});

const bodies = new BodyBudget();
const rpc = new JsonRpc(operations, log);

function httpCall(wallet?: string): HttpCall {
  return new HttpCall('jsonrpc', CALLER, wallet, undefined, undefined);
}

function requestBody(bytes: Uint8Array): RequestBody {
  return Object.assign(new RequestBody(bodies, {} as ServerResponse), { chunks: [bytes] });
}

/** The body of a JSON-RPC request. The answer must be JSON and must not be an internal error, for any input. */
function answerBody(bytes: Uint8Array): void {
  const reply = rpc.answer(requestBody(bytes), httpCall());
  if (reply instanceof Promise) reply.catch((error) => unexpected.push(error));
  else parseJson(String(reply.body));
  throwUnexpected();
}

const app = createApp({
  bodies,
  encoding: new AnswerEncoding(),
  openApiFile: undefined,
  explorerFolder: undefined,
  operations,
  auth: new Authenticator({ check: () => CALLER }, new LoginThrottle({ log }), () => {}),
  streams: new PendingCalls(1),
  pending: new PendingCalls(16),
  rejected: () => {},
  log,
});

/** Paths of streams, which begin in a later turn; a fault of theirs is seen after a later input. */
const streamPaths = new Set(catalogue.operations.filter(({ streams }) => streams).flatMap(({ http }) => http.map(({ path }) => path)));

function lineAndBody(bytes: Uint8Array): { readonly path: string; readonly body: Buffer } {
  const text = Buffer.from(bytes);
  const found = text.indexOf('\n');
  const end = found < 0 ? text.length : found;
  return { path: text.toString('latin1', 0, end), body: text.subarray(end + 1) };
}

/** A REST request: a line with method and URL, then the body. Each is answered, with a status below 500. */
function answerRest(bytes: Uint8Array): number {
  const { path, body: sent } = lineAndBody(bytes);
  const [method = '', url = ''] = path.split(' ');
  const body = new EventEmitter();
  // The application replaces the prototype of requests, so the listeners are an own property.
  const listening = { on: body.on.bind(body), method, url: url.startsWith('/') ? url : `/${url}`, headers: { authorization: 'x' } };
  const req = Object.assign(new IncomingMessage(new Socket()), listening);
  const res = new ServerResponse(req);
  app(req, res);
  body.emit('data', sent);
  body.emit('end');
  throwUnexpected();
  if (!res.headersSent && streamPaths.has(url.split('?', 1)[0] ?? '')) return 200;
  if (!res.headersSent) throw new Error('no answer');
  if (res.statusCode >= 500) throw new Error(`status ${res.statusCode}`);
  return res.statusCode;
}

interface GrpcRequest extends GrpcMethod {
  readonly number: number;
  readonly message: object;
}

/** Index of a method, then bytes of its request. Bytes that are not a valid message are rejected by the decoder. */
const grpcRequest: Decoder = {
  name: 'grpc-request',
  isExact: false,
  decode(bytes): GrpcRequest {
    const number = (((bytes[0] ?? 0) << 8) | (bytes[1] ?? 0)) % grpcMethods.length;
    const method = grpcMethods[number] as GrpcMethod;
    const message = decodeGrpc(method, Buffer.from(bytes.subarray(2)));
    applyDocumentDefaults(method.operation, message);
    return { ...method, number, message };
  },
  encode(value) {
    const { number, definition, message } = value as GrpcRequest;
    return Buffer.concat([Uint8Array.of(number >> 8, number & 0xff), definition.requestSerialize(message)]);
  },
  isOwnError: (error) => error instanceof Undecodable || error instanceof NodeError,
};

class Undecodable extends Error {}

function decodeGrpc({ definition }: GrpcMethod, bytes: Buffer): object {
  try {
    return definition.requestDeserialize(bytes) as object;
  } catch (error) {
    throw new Undecodable(String(error));
  }
}

/** The REST interface of `defid`: the path behind `/rest/`, and after a line break the body. */
function findResource(bytes: Uint8Array): unknown {
  const { path, body } = lineAndBody(bytes);
  return new DefidResources(operations, httpCall(), body, true).find(path)?.();
}

const never = (): boolean => false;

/** Decoders of requests. */
export const rpcDecoders: readonly Decoder[] = [
  bytesDecoder('json-rpc', answerBody, never),
  bytesDecoder('rest', answerRest, never),
  textDecoder('wallet-path', (text) => walletOfPath(`/wallet/${text}`), never),
  bytesDecoder('reference-rest', findResource, (error) => error instanceof RestRefusal),
  grpcRequest,
];
