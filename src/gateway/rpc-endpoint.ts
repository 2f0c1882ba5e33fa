import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Rejected } from '../metrics/rpc.js';
import type { NodeError } from '../util/errors.js';
import { type MaybePromise, withValue } from '../util/slicer.js';
import { type AnswerEncoding, type EncodedRequest, isLocal } from './answer-encoding.js';
import type { Admission, Authenticator } from './auth.js';
import { type BodyBudget, type BodyOwner, type BodyRefusal, RequestBody, readBody } from './body.js';
import { allowOrigin } from './cors.js';
import type { Reply } from './envelope.js';
import { HttpCall } from './http-call.js';
import type { JsonRpc } from './jsonrpc.js';
import { MAX_BODY_BYTES } from './options.js';
import type { PendingCalls } from './pending-calls.js';
import { JSON_TYPE, type ReplyStream, refuseRequest, send, sendEmpty, TEXT_TYPE } from './reply.js';
import { requestIdOf } from './request-id.js';

/** A POST request to a path of JSON-RPC. */
export interface PostRequest {
  readonly socket: Socket;
  readonly headers: IncomingHttpHeaders;
  /** Wallet named by the path; undefined for the path `/`. */
  readonly wallet: string | undefined;
}

/** JSON-RPC over HTTP: authentication, size limits, and the status of replies. @see docs/protocol/rpc-chain.md 1.2, 1.13 */
export class RpcEndpoint {
  constructor(
    readonly rpc: JsonRpc,
    readonly auth: Authenticator,
    readonly pending: PendingCalls,
    readonly bodies: BodyBudget,
    readonly encoding: AnswerEncoding,
    readonly corsOrigin: string,
    readonly rejected: Rejected,
  ) {}

  /** @param wallet wallet named by the path; undefined for the path `/` */
  handle(req: IncomingMessage, res: ServerResponse, wallet: string | undefined): void {
    if (this.corsOrigin !== '') allowOrigin(res, this.corsOrigin);
    if (req.method === 'POST') this.#post(req, res, wallet);
    else if (req.method === 'OPTIONS' && this.corsOrigin !== '') sendEmpty(res, 204);
    else send(res, 405, TEXT_TYPE, 'JSONRPC server handles only POST requests');
  }

  #post(req: IncomingMessage, res: ServerResponse, wallet: string | undefined): void {
    const { socket, headers } = req;
    this.#admit({ socket, headers, wallet }, res, (call) =>
      readBody(req, res, MAX_BODY_BYTES, this.bodies, (body) => {
        if (body instanceof RequestBody) this.#reply(this.#answerBody(body, call), call, req, res);
        else this.#refuseBody(body, socket, res);
      }),
    );
  }

  #answerBody(body: RequestBody, call: HttpCall): MaybePromise<Reply> {
    const text = body.shortText;
    return text === undefined ? this.rpc.answer(body, call) : this.rpc.answerText(text, call);
  }

  /** Answers a POST whose body is complete. @param text body of at most SHORT_BODY_BYTES */
  answer(request: PostRequest, text: string, res: ReplyStream): void {
    this.#admit(request, res, (call) => this.#reply(this.rpc.answerText(text, call), call, request, res));
  }

  /** Answers a POST whose body is complete and longer than SHORT_BODY_BYTES. */
  answerLong(request: PostRequest, bytes: Buffer, res: ReplyStream & BodyOwner): void {
    const { socket } = request;
    this.#admit(request, res, (call) => {
      const body = new RequestBody(this.bodies, res);
      body.chunks = [bytes];
      try {
        body.reserve(bytes.length);
      } catch (error) {
        this.#refuseBody(error as NodeError, socket, res);
        return;
      }
      this.#reply(this.#answerBody(body, call), call, request, res);
    });
  }

  #admit(request: PostRequest, res: ReplyStream, admitted: (call: HttpCall) => void): void {
    const admission = this.auth.admit(request.headers.authorization, request.socket);
    if (admission instanceof Promise) void admission.then((settled) => this.#onAdmission(settled, request, res, admitted));
    else this.#onAdmission(admission, request, res, admitted);
  }

  #onAdmission(admission: Admission, { socket, headers, wallet }: PostRequest, res: ReplyStream, admitted: (call: HttpCall) => void): void {
    if ('refusal' in admission) void withValue(admission.due, () => this.#refuse(admission.refusal, socket, res));
    else if (this.pending.full) {
      this.rejected('queue');
      send(res, 500, TEXT_TYPE, 'Work queue depth exceeded');
    } else admitted(new HttpCall('jsonrpc', admission.caller, wallet, headers.authorization, requestIdOf(headers), headers));
  }

  #refuseBody(reason: BodyRefusal, socket: Socket, res: ReplyStream): void {
    this.rejected('size');
    if (reason === 'too-large') refuseRequest(res, 413, '');
    else {
      res.setHeader('Connection', 'close');
      this.#refuse(reason, socket, res);
    }
  }

  #reply(reply: MaybePromise<Reply>, call: HttpCall, request: EncodedRequest, res: ReplyStream): void {
    if (reply instanceof Promise) {
      this.pending.track(call, request.socket, reply);
      reply.then((late) => this.#sendAnswer(late, call, request, res));
    } else this.#sendAnswer(reply, call, request, res);
  }

  #sendAnswer(reply: Reply, call: HttpCall, request: EncodedRequest, res: ReplyStream): void {
    if (typeof reply.body === 'string' || isLocal(request)) this.#sendReply(reply, request.socket, res);
    else this.encoding.send(res, request, call, reply.status, JSON_TYPE, reply.body);
  }

  #sendReply({ status, body }: Reply, socket: Socket, res: ReplyStream): void {
    if (status === 401) {
      // The upstream node of a gateway may have changed its credentials since it accepted them.
      this.auth.forget(socket);
      refuseCredentials(res);
    } else send(res, status, JSON_TYPE, body);
  }

  #refuse(refusal: NodeError, socket: Socket, res: ReplyStream): void {
    if (refusal.kind === 'unauthenticated') refuseCredentials(res);
    else if (refusal.kind === 'resource-exhausted') refuseRequest(res, 429, refusal.message);
    else this.#sendReply(this.rpc.refuse(refusal), socket, res);
  }
}

function refuseCredentials(res: ReplyStream): void {
  if (res.destroyed) return;
  res.writeHead(401, ['WWW-Authenticate', 'Basic realm="jsonrpc"', 'Content-Length', '0']);
  res.end();
}
