import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Rejected } from '../metrics/rpc.js';
import type { NodeError } from '../util/errors.js';
import { withValue } from '../util/slicer.js';
import type { Admission, Authenticator } from './auth.js';
import { type BodyBudget, type BodyRefusal, RequestBody, readBody } from './body.js';
import { HttpCall } from './http-call.js';
import type { JsonRpc, Reply } from './jsonrpc.js';
import { MAX_BODY_BYTES } from './options.js';
import type { PendingCalls } from './pending-calls.js';
import { JSON_TYPE, refuseRequest, send, sendEmpty, TEXT_TYPE } from './reply.js';
import { requestIdOf } from './request-id.js';

/** JSON-RPC over HTTP: authentication, size limits, and the status of replies. @see docs/protocol/rpc-chain.md 1.2, 1.13 */
export class RpcEndpoint {
  constructor(
    readonly rpc: JsonRpc,
    readonly auth: Authenticator,
    readonly pending: PendingCalls,
    readonly bodies: BodyBudget,
    readonly corsOrigin: string,
    readonly rejected: Rejected,
  ) {}

  /** @param wallet wallet named by the path; undefined for the path `/` */
  handle(req: IncomingMessage, res: ServerResponse, wallet: string | undefined): void {
    if (this.corsOrigin !== '') allowOrigin(res, this.corsOrigin);
    if (req.method === 'POST') this.#admit(req, res, wallet);
    else if (req.method === 'OPTIONS' && this.corsOrigin !== '') sendEmpty(res, 204);
    else send(res, 405, TEXT_TYPE, 'JSONRPC server handles only POST requests');
  }

  #admit(req: IncomingMessage, res: ServerResponse, wallet: string | undefined): void {
    const admission = this.auth.admit(req.headers.authorization, req.socket);
    void withValue(admission, (settled) => this.#onAdmission(settled, req, res, wallet));
  }

  #onAdmission(admission: Admission, req: IncomingMessage, res: ServerResponse, wallet: string | undefined): void {
    if ('refusal' in admission) void withValue(admission.due, () => this.#refuse(admission.refusal, res));
    else if (this.pending.full) {
      this.rejected('queue');
      send(res, 500, TEXT_TYPE, 'Work queue depth exceeded');
    } else {
      const call = new HttpCall('jsonrpc', admission.caller, wallet, req.headers.authorization, requestIdOf(req), req.headers);
      readBody(req, res, MAX_BODY_BYTES, this.bodies, (body) => {
        if (body instanceof RequestBody) this.#answer(body, call, res);
        else this.#refuseBody(body, res);
      });
    }
  }

  #refuseBody(reason: BodyRefusal, res: ServerResponse): void {
    this.rejected('size');
    if (reason === 'too-large') refuseRequest(res, 413, '');
    else {
      res.setHeader('Connection', 'close');
      this.#refuse(reason, res);
    }
  }

  #answer(body: RequestBody, call: HttpCall, res: ServerResponse): void {
    const reply = this.rpc.answer(body, call);
    if (reply instanceof Promise) {
      this.pending.track(call, res, reply);
      reply.then((late) => this.#sendReply(res, late));
    } else this.#sendReply(res, reply);
  }

  #sendReply(res: ServerResponse, { status, body }: Reply): void {
    if (status === 401) {
      // The upstream node of a gateway may have changed its credentials since it accepted them.
      this.auth.forget(res.req.socket);
      refuseCredentials(res);
    } else send(res, status, JSON_TYPE, body);
  }

  #refuse(refusal: NodeError, res: ServerResponse): void {
    if (refusal.kind === 'unauthenticated') refuseCredentials(res);
    else if (refusal.kind === 'resource-exhausted') refuseRequest(res, 429, refusal.message);
    else this.#sendReply(res, this.rpc.refuse(refusal));
  }
}

function refuseCredentials(res: ServerResponse): void {
  if (res.destroyed) return;
  res.writeHead(401, ['WWW-Authenticate', 'Basic realm="jsonrpc"', 'Content-Length', '0']);
  res.end();
}

function allowOrigin(res: ServerResponse, origin: string): void {
  res.setHeader('Access-Control-Allow-Origin', origin);
  // Browsers reject credentials in combination with `*`.
  if (origin !== '*') res.setHeader('Access-Control-Allow-Credentials', 'true');
  res.setHeader('Access-Control-Allow-Methods', 'POST, GET, OPTIONS');
  res.setHeader('Access-Control-Allow-Headers', 'Content-Type, Authorization');
}
