import type { Metadata, ServerUnaryCall } from '@grpc/grpc-js';
import type { Caller } from '../rpc/access.js';
import { type CallSettings, readCallSettings } from '../rpc/call-settings.js';
import type { CallContext } from '../rpc/handler.js';
import { NodeError } from '../util/errors.js';
import { dialectOf } from './dialect.js';

/** A caller's own clock runs out a little before ours: a call cancelled this close to its deadline was late. */
const SLACK_MS = 100;

let lastRequestId = 0;

/** Longest time a timer can hold. */
const MAX_TIMER_MS = 0x7fff_ffff;

type Call = Pick<ServerUnaryCall<unknown, unknown>, 'metadata' | 'getDeadline' | 'on' | 'cancelled'>;

/**
 * The context of one gRPC call. Its signal is made when it is first asked for: the calls that answer at once need neither timer
 * nor listener. It tells a caller who left from one whose time is up.
 */
export class GrpcCall implements CallContext {
  readonly dialect: CallContext['dialect'];
  readonly transport = 'grpc';
  readonly #call: Call;
  readonly #limitMs: number;
  #controller: AbortController | undefined;
  #timer: NodeJS.Timeout | undefined;
  #requestId: string | undefined;

  /** @param limitMs time the call gets when the caller sets no deadline; JSON-RPC behind a gateway has no such limit */
  constructor(
    call: Call,
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

  get settings(): CallSettings {
    return readCallSettings((name) => firstText(this.#call.metadata, name));
  }

  get signal(): AbortSignal {
    this.#controller ??= this.#watch();
    return this.#controller.signal;
  }

  /** Gives the call up. */
  abort(reason: NodeError): void {
    this.#controller ??= this.#watch();
    this.#controller.abort(reason);
  }

  /** The call was answered. */
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

/** First text under a key of the metadata. */
export function firstText(metadata: Metadata, key: string): string | undefined {
  const [value] = metadata.get(key);
  return typeof value === 'string' ? value : undefined;
}
