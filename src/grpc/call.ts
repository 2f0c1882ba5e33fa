import type { Metadata, ServerUnaryCall } from '@grpc/grpc-js';
import type { Caller } from '../rpc/access.js';
import { type CallSettings, readCallSettings } from '../rpc/call-settings.js';
import { FIELDS_METADATA } from '../rpc/field-mask.js';
import type { CallContext } from '../rpc/handler.js';
import { NodeError } from '../util/errors.js';
import { dialectOf } from './dialect.js';

/** The deadline of a client ends a little before ours: a call that is cancelled this close to it has exceeded its deadline, ms. */
const SLACK_MS = 100;

let lastRequestId = 0;

/** Longest delay of a timer of Node.js, ms. */
const MAX_TIMER_MS = 0x7fff_ffff;

/** The part of a call of the library that its context uses. */
export interface CallSource extends Pick<ServerUnaryCall<unknown, unknown>, 'getDeadline' | 'cancelled'> {
  readonly metadata: Pick<Metadata, 'get'>;
  on(event: 'cancelled', listener: () => void): unknown;
}

/**
 * Context of one gRPC call. The signal is made when it is first read, because calls that are answered synchronously need neither timer
 * nor listener. Its reason distinguishes a cancelled call from one whose deadline has passed.
 */
export class GrpcCall implements CallContext {
  readonly dialect: CallContext['dialect'];
  readonly transport = 'grpc';
  readonly #call: CallSource;
  readonly #limitMs: number;
  #controller: AbortController | undefined;
  #timer: NodeJS.Timeout | undefined;
  #requestId: string | undefined;

  /** @param limitMs time limit of a call without a deadline of the client; JSON-RPC calls of a gateway have none */
  constructor(
    call: CallSource,
    readonly caller: Caller,
    limitMs: number,
  ) {
    this.#call = call;
    this.dialect = dialectOf(call.metadata);
    this.#limitMs = limitMs;
  }

  get user(): string {
    return this.caller.user;
  }

  get requestId(): string {
    this.#requestId ??= firstText(this.#call.metadata, 'x-request-id') ?? `grpc-${(++lastRequestId).toString(36)}`;
    return this.#requestId;
  }

  get wallet(): string | undefined {
    return firstText(this.#call.metadata, 'x-wallet');
  }

  /** Fields of the answer that the caller asks for. */
  get fields(): string | undefined {
    return firstText(this.#call.metadata, FIELDS_METADATA);
  }

  get settings(): CallSettings {
    return readCallSettings((name) => firstText(this.#call.metadata, name));
  }

  get signal(): AbortSignal {
    this.#controller ??= this.#watch();
    return this.#controller.signal;
  }

  /** Aborts the call. */
  abort(reason: NodeError): void {
    this.#controller ??= this.#watch();
    this.#controller.abort(reason);
  }

  /** Stops the timer: the call was answered. */
  end(): void {
    clearTimeout(this.#timer);
  }

  #watch(): AbortController {
    const controller = new AbortController();
    const deadlineMs = Number(this.#call.getDeadline());
    const remainingMs = Number.isFinite(deadlineMs) ? deadlineMs - Date.now() : this.dialect === 'json-rpc' ? Infinity : this.#limitMs;
    const late = (): void => controller.abort(new NodeError('deadline-exceeded', 'the deadline of the call has passed'));
    const cancelled = (): void => {
      if (Number.isFinite(deadlineMs) && Date.now() >= deadlineMs - SLACK_MS) late();
      else controller.abort(new NodeError('cancelled', 'the caller cancelled the call'));
      this.end();
    };
    if (this.#call.cancelled) cancelled();
    else {
      this.#call.on('cancelled', cancelled);
      if (remainingMs <= MAX_TIMER_MS) this.#timer = setTimeout(late, Math.max(0, remainingMs));
    }
    return controller;
  }
}

/** First value of a metadata key; undefined if there is none or it is binary. */
export function firstText(metadata: Pick<Metadata, 'get'>, key: string): string | undefined {
  const [value] = metadata.get(key);
  return typeof value === 'string' ? value : undefined;
}
