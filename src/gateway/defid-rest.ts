import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import type { Rejected } from '../metrics/rpc.js';
import { Role } from '../rpc/options.js';
import { NodeError } from '../util/errors.js';
import type { Logger } from '../util/logger.js';
import { type BodyBudget, RequestBody, readBody } from './body.js';
import { RestRefusal } from './defid-answer.js';
import { DefidResources } from './defid-resources.js';
import { HttpCall } from './http-call.js';
import type { OperationTable } from './operations.js';
import { PendingCalls } from './pending-calls.js';
import { type Body, JSON_TYPE, refuseRequest, send, TEXT_TYPE } from './reply.js';

/** Suffixes of a path; a dot at the end is no format, and not part of the name either. */
const FORMATS: ReadonlySet<string> = new Set(['', 'bin', 'hex', 'json']);
const BINARY_TYPE = 'application/octet-stream';

/** Caller without credentials, with the role `read`. */
const ANYONE = { user: '', role: Role.READ };

/** Maximum number of waiting requests. */
const MAX_PENDING = 16;

/** Maximum size of a request body in bytes. The outpoints of a getutxos request take less than a kilobyte. */
const MAX_BODY_BYTES = 65_536;
const NO_BODY = new Uint8Array();

/** REST interface of `defid` (-rest): read-only, without credentials. @see docs/protocol/rpc-chain.md 1.15 */
export class DefidRest {
  /** Separate from calls with credentials, which anonymous requests must not block. */
  readonly pending = new PendingCalls(MAX_PENDING);
  #last: Promise<void> = Promise.resolve();

  constructor(
    readonly operations: OperationTable,
    readonly bodies: BodyBudget,
    readonly rejected: Rejected,
    readonly log: Logger,
    /** Outputs are serialised with token id. */
    readonly tokenIds: boolean,
  ) {}

  handle(req: IncomingMessage, res: ServerResponse): void {
    if (!hasBody(req)) this.#handle(req, res, NO_BODY);
    else
      readBody(req, res, MAX_BODY_BYTES, this.bodies, (body) => {
        if (body instanceof RequestBody) this.#handle(req, res, body.bytes);
        else refuseRequest(res, body === 'too-large' ? 413 : 503, '');
      });
  }

  #handle(req: IncomingMessage, res: ServerResponse, body: Uint8Array): void {
    if (this.pending.full) {
      this.rejected('queue');
      send(res, 500, TEXT_TYPE, 'Work queue depth exceeded');
      return;
    }
    const call = new HttpCall('jsonrpc', ANYONE, undefined, undefined, undefined);
    const path = (req.url ?? '').slice('/rest/'.length);
    const resources = new DefidResources(this.operations, call, body, this.tokenIds);
    const replied = this.#inTurn(() => this.#answer(path, resources, res));
    this.pending.track(
      call,
      req.socket,
      replied.catch((error: unknown) => this.#refuse(error, res)),
    );
  }

  /** Answers requests one at a time, each in its own turn of the event loop. */
  #inTurn(answer: () => Promise<void>): Promise<void> {
    const replied = this.#last.then(() => setImmediate()).then(answer);
    this.#last = replied.catch(() => undefined);
    return replied;
  }

  async #answer(path: string, resources: DefidResources, res: ServerResponse): Promise<void> {
    const { name, format } = splitFormat(path);
    const resource = resources.find(name);
    if (!resource) throw new RestRefusal(404, '');
    if (resources.call.abortReason) throw resources.call.abortReason;
    this.#requireReady();
    const { json, hex, formats, requireSubject } = resource();
    if (format === 'json' && json) send(res, 200, JSON_TYPE, withLineFeed(await json()));
    else if (format === 'hex' && hex) send(res, 200, TEXT_TYPE, `${await hex(format)}\n`);
    else if (format === 'bin' && hex) sendBinary(res, Buffer.from(await hex(format), 'hex'));
    else {
      await requireSubject?.();
      throw new RestRefusal(404, `output format not found (available: ${formats})`);
    }
  }

  /** @throws {RestRefusal} 503 during warm-up */
  #requireReady(): void {
    try {
      this.operations.invoker.requireReady();
    } catch (error) {
      throw error instanceof NodeError ? new RestRefusal(503, `Service temporarily unavailable: ${error.message}`) : error;
    }
  }

  #refuse(error: unknown, res: ServerResponse): void {
    if (error instanceof RestRefusal) send(res, error.status, TEXT_TYPE, error.message === '' ? '' : `${error.message}\r\n`);
    else if (error instanceof NodeError) send(res, 500, TEXT_TYPE, `${error.message}\r\n`);
    else {
      this.log.error('REST call failed unexpectedly', { error: String(error) });
      send(res, 500, TEXT_TYPE, 'Internal error\r\n');
    }
  }
}

/** True if a body follows the head; with every verb, like `defid`. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Sends bytes, of which there are none for headers of an unknown block. */
function sendBinary(res: ServerResponse, bytes: Uint8Array): void {
  if (bytes.length === 0) res.setHeader('Content-Type', BINARY_TYPE);
  send(res, 200, BINARY_TYPE, [bytes]);
}

/** Splits a path at its last dot. A suffix that is no format belongs to the name, as for `defid`. */
function splitFormat(path: string): { readonly name: string; readonly format: string } {
  const dot = path.lastIndexOf('.');
  const format = path.slice(dot + 1);
  return dot >= 0 && FORMATS.has(format) ? { name: path.slice(0, dot), format } : { name: path, format: '' };
}

function withLineFeed(body: Body): Body {
  return typeof body === 'string' ? `${body}\n` : [...body, Buffer.from('\n')];
}
