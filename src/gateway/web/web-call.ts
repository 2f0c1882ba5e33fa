import type { IncomingHttpHeaders } from 'node:http';
import { FIELDS_METADATA } from '../../rpc/field-mask.js';
import { NodeError } from '../../util/errors.js';
import { HttpCall } from '../http-call.js';
import { requestIdOf } from '../request-id.js';

const GRPC_TIMEOUT = /^(\d{1,8})([HMSmun])$/;
const UNIT_MS: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1000, m: 1, u: 1e-3, n: 1e-6 };
/** Longest delay of a timer of Node.js, ms. */
const MAX_TIMER_MS = 0x7fff_ffff;

/** Context of a call over gRPC-Web or Connect. Its metadata are headers. */
export class WebCall extends HttpCall {
  #timer: NodeJS.Timeout | undefined;

  constructor(caller: HttpCall['caller'], headers: IncomingHttpHeaders) {
    super('web', caller, textOf(headers['x-wallet']), headers.authorization, requestIdOf(headers), headers);
  }

  /** Fields of the answer that the caller asks for. */
  get fields(): string | undefined {
    return textOf(this.headers[FIELDS_METADATA]);
  }

  /** Aborts the call at the deadline of the client, if it has one. */
  startTimer(): void {
    const timeoutMs = this.#timeoutMs();
    if (timeoutMs === undefined || timeoutMs > MAX_TIMER_MS) return;
    this.#timer = setTimeout(() => this.abort(new NodeError('deadline-exceeded', 'the deadline of the call has passed')), timeoutMs);
  }

  /** Stops the timer: the call was answered. */
  end(): void {
    clearTimeout(this.#timer);
  }

  #timeoutMs(): number | undefined {
    const ofConnect = textOf(this.headers['connect-timeout-ms']);
    if (ofConnect !== undefined) return /^\d{1,10}$/.test(ofConnect) ? Number(ofConnect) : undefined;
    const [, count, unit = ''] = GRPC_TIMEOUT.exec(textOf(this.headers['grpc-timeout']) ?? '') ?? [];
    return count === undefined ? undefined : Number(count) * (UNIT_MS[unit] ?? 0);
  }
}

function textOf(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
