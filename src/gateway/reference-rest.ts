import type { IncomingMessage, ServerResponse } from 'node:http';
import { Role } from '../rpc/options.js';
import { NodeError } from '../util/errors.js';
import type { Logger } from '../util/logger.js';
import { type BodyBudget, RequestBody, readBody } from './body.js';
import { HttpCall } from './http-call.js';
import type { RpcOperations } from './jsonrpc.js';
import type { PendingCalls } from './pending-calls.js';
import { RestRefusal } from './reference-answer.js';
import { ReferenceResources } from './reference-resources.js';
import { type Body, JSON_TYPE, refuseRequest, send, TEXT_TYPE } from './reply.js';

const BINARY_TYPE = 'application/octet-stream';

/** Nobody in particular, who may read. */
const ANYONE = { user: '', role: Role.READ };

/** Bytes of a request. The few outputs that may be asked for at once take less than a kilobyte. */
const MAX_BODY_BYTES = 65_536;
const NO_BODY = new Uint8Array();

/** The reference's own REST paths, `-rest=1`: read only and without credentials. spec: rpc-chain 1.15 */
export class ReferenceRest {
  constructor(
    readonly operations: RpcOperations,
    readonly pending: PendingCalls,
    readonly bodies: BodyBudget,
    readonly log: Logger,
    /** Outputs are written with their token. */
    readonly tokenIds: boolean,
  ) {}

  handle(req: IncomingMessage, res: ServerResponse): void {
    if (req.method !== 'POST') this.#handle(req, res, NO_BODY);
    else
      readBody(req, res, MAX_BODY_BYTES, this.bodies, (body) => {
        if (body instanceof RequestBody) this.#handle(req, res, body.bytes);
        else refuseRequest(res, body === 'too-large' ? 413 : 503, '');
      });
  }

  #handle(req: IncomingMessage, res: ServerResponse, body: Uint8Array): void {
    const call = new HttpCall('jsonrpc', ANYONE, undefined, undefined, undefined);
    const path = (req.url ?? '').slice('/rest/'.length);
    const replied = this.#answer(path, new ReferenceResources(this.operations, call, body, this.tokenIds), res);
    this.pending.track(
      call,
      res,
      replied.catch((error: unknown) => this.#refuse(error, res)),
    );
  }

  async #answer(path: string, resources: ReferenceResources, res: ServerResponse): Promise<void> {
    const dot = path.lastIndexOf('.');
    const [name, format] = dot < 0 ? [path, ''] : [path.slice(0, dot), path.slice(dot + 1)];
    const resource = resources.find(name);
    if (!resource) throw new RestRefusal(404, '');
    const { warmup } = this.operations;
    if (warmup !== undefined) throw new RestRefusal(503, `Service temporarily unavailable: ${warmup}`);
    const { json, hex, formats } = resource();
    if (format === 'json' && json) send(res, 200, JSON_TYPE, withLineFeed(await json()));
    else if (format === 'hex' && hex) send(res, 200, TEXT_TYPE, `${await hex(format)}\n`);
    else if (format === 'bin' && hex) send(res, 200, BINARY_TYPE, [Buffer.from(await hex(format), 'hex')]);
    else throw new RestRefusal(404, `output format not found (available: ${formats})`);
  }

  #refuse(error: unknown, res: ServerResponse): void {
    if (error instanceof RestRefusal) send(res, error.status, TEXT_TYPE, error.message === '' ? '' : `${error.message}\r\n`);
    else if (error instanceof NodeError) send(res, 500, TEXT_TYPE, `${error.message}\r\n`);
    else {
      this.log.error('a REST call failed unexpectedly', { error: String(error) });
      send(res, 500, TEXT_TYPE, 'Internal error\r\n');
    }
  }
}

function withLineFeed(body: Body): Body {
  return typeof body === 'string' ? `${body}\n` : [...body, Buffer.from('\n')];
}
