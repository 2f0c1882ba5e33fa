import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Authenticator } from './auth.js';
import { bodyText, readBody } from './body.js';
import { HttpCall } from './http-call.js';
import type { JsonRpc, Reply } from './jsonrpc.js';
import { MAX_RPC_BODY_BYTES } from './options.js';
import type { PendingCalls } from './pending-calls.js';
import type { Rejected } from './rejected.js';
import { JSON_TYPE, refuseBody, send, sendEmpty, TEXT_TYPE } from './reply.js';
import { requestIdOf } from './request-id.js';

/** JSON-RPC over HTTP: who may call, how much may be sent, which status a reply has. spec: rpc-chain 1.2, 1.13 */
export class RpcEndpoint {
  constructor(
    readonly rpc: JsonRpc,
    readonly auth: Authenticator,
    readonly pending: PendingCalls,
    readonly corsOrigin: string,
    readonly rejected: Rejected,
  ) {}

  /** @param wallet the wallet that the path names; undefined for the path `/` */
  handle(req: IncomingMessage, res: ServerResponse, wallet: string | undefined): void {
    if (this.corsOrigin !== '') allowOrigin(res, this.corsOrigin);
    if (req.method === 'POST') this.#admit(req, res, wallet);
    else if (req.method === 'OPTIONS' && this.corsOrigin !== '') sendEmpty(res, 204);
    else send(res, 405, TEXT_TYPE, 'JSONRPC server handles only POST requests');
  }

  #admit(req: IncomingMessage, res: ServerResponse, wallet: string | undefined): void {
    const { authorization } = req.headers;
    const admission = this.auth.admit(authorization, req.socket);
    if ('refusedAfterMs' in admission) refuse(res, admission.refusedAfterMs);
    else if (this.pending.full) {
      this.rejected('queue');
      send(res, 500, TEXT_TYPE, 'Work queue depth exceeded');
    } else {
      const call = new HttpCall('jsonrpc', admission.caller, wallet, authorization, requestIdOf(req), req.headers);
      readBody(req, MAX_RPC_BODY_BYTES, (body) => {
        if (body) this.#answer(body, call, res);
        else {
          this.rejected('size');
          refuseBody(res);
        }
      });
    }
  }

  #answer(bytes: Uint8Array, call: HttpCall, res: ServerResponse): void {
    const reply = this.rpc.answer(bodyText(bytes), call);
    if (reply instanceof Promise) {
      this.pending.track(call, res, reply);
      reply.then((late) => sendReply(res, late));
    } else sendReply(res, reply);
  }
}

function sendReply(res: ServerResponse, { status, body }: Reply): void {
  // Only a gateway in front of another node learns this late that the credentials are wrong.
  if (status === 401) refuse(res, 0);
  else send(res, status, JSON_TYPE, body);
}

function refuse(res: ServerResponse, afterMs: number): void {
  const refuseNow = (): void => {
    if (res.destroyed) return;
    res.writeHead(401, ['WWW-Authenticate', 'Basic realm="jsonrpc"', 'Content-Length', '0']);
    res.end();
  };
  if (afterMs === 0) refuseNow();
  else setTimeout(refuseNow, afterMs);
}

function allowOrigin(res: ServerResponse, origin: string): void {
  res.setHeader('Access-Control-Allow-Origin', origin);
  // A browser refuses the pair of any origin and credentials.
  if (origin !== '*') res.setHeader('Access-Control-Allow-Credentials', 'true');
  res.setHeader('Access-Control-Allow-Methods', 'POST, GET, OPTIONS');
  res.setHeader('Access-Control-Allow-Headers', 'Content-Type, Authorization');
}
