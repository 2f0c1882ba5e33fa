import type { Metadata } from '@grpc/grpc-js';
import { type Caller, requireAccess } from '../../rpc/access.js';
import type { Operation } from '../../rpc/catalogue.js';
import { Role } from '../../rpc/options.js';
import type { MaybePromise } from '../../util/slicer.js';
import { type CallSource, firstText, GrpcCall } from '../call.js';
import { EncodedRequest } from '../request.js';
import type { Method, UnaryCalls } from '../unary.js';
import { PlainCall } from './plain-call.js';
import type { PlainHead } from './plain-head.js';

/** Metadata key by which a plain connection names a call that it has begun; it removes the key from the calls of clients. */
export const BEGUN_KEY = 'x-dfi-begun';

/** A call that was begun before the library received it. */
export interface BegunCall {
  /** `performance.now()` */
  readonly startedMs: number;
  readonly source: PlainCall;
  readonly context: GrpcCall;
  readonly answer: MaybePromise<Uint8Array>;
}

/** The part of a connection that its plain calls use. */
export interface PlainPeer {
  /** Callers that have authenticated over the connection, by their credentials. */
  readonly proofs: { get(authorization: string): Caller | undefined };
  readonly begun: Map<string, BegunCall>;
}

/** Modules and limits of plain calls. */
export interface PlainCallsParts {
  readonly methods: ReadonlyMap<string, Method>;
  readonly unary: Pick<UnaryCalls, 'answer'>;
  /** Time limit of a call without a deadline of the client. */
  readonly limitMs: number;
  /** False from the start of the shutdown. */
  readonly isServing: () => boolean;
}

/**
 * Decides which calls are answered without the library, and runs them. Only calls that read are: one that is begun here may still be
 * refused by the library if it takes long.
 */
export class PlainCalls {
  constructor(readonly parts: PlainCallsParts) {}

  /** The method of a call that may be answered here, if its caller is known and may make it. */
  methodOf(head: PlainHead): Method | undefined {
    const method = this.parts.methods.get(head.path);
    return method && isPlain(method.operation) && this.parts.isServing() ? method : undefined;
  }

  callerOf({ operation }: Method, head: PlainHead, peer: PlainPeer): Caller | undefined {
    const authorization = head.headers.get('authorization');
    const caller = authorization === undefined ? undefined : peer.proofs.get(authorization);
    return caller && mayCall(operation, caller) ? caller : undefined;
  }

  /** Runs a call. Its answer is late if it is a promise, which rejects with the error of the call even if that is thrown immediately. */
  run(method: Method, head: PlainHead, caller: Caller, message: Buffer): BegunCall {
    const startedMs = performance.now();
    const source = new PlainCall(head);
    const context = new GrpcCall(source, caller, this.parts.limitMs);
    let answer: MaybePromise<Uint8Array>;
    try {
      answer = this.parts.unary.answer(method, new EncodedRequest(message), context);
    } catch (error) {
      answer = Promise.reject(error);
    }
    const end = (): void => context.end();
    if (answer instanceof Promise) answer.then(end, end);
    else end();
    return { startedMs, source, context, answer };
  }
}

/** Takes over a call that a plain connection has begun. */
export function takeBegun(call: CallSource & { readonly metadata: Metadata }, peer: PlainPeer | undefined): BegunCall | undefined {
  const name = peer && firstText(call.metadata, BEGUN_KEY);
  const begun = name === undefined ? undefined : peer?.begun.get(name);
  if (name === undefined || !begun) return undefined;
  peer?.begun.delete(name);
  begun.source.follow(call);
  return begun;
}

function isPlain({ role, streams, large, heavy }: Operation): boolean {
  return role === Role.READ && !streams && !large && !heavy;
}

function mayCall(op: Operation, caller: Caller): boolean {
  try {
    requireAccess(op.name, op, caller);
    return true;
  } catch {
    return false;
  }
}
