import type { AnswerCache } from '../rpc/answer-cache.js';
import type { Operation } from '../rpc/catalogue.js';
import { applyDocumentDefaults } from '../rpc/document.js';
import { FIELDS_METADATA, type FieldMask, fieldMask } from '../rpc/field-mask.js';
import type { CallContext } from '../rpc/handler.js';
import type { Invoker } from '../rpc/invoke.js';
import { NodeError } from '../util/errors.js';
import { type MaybePromise, withValue } from '../util/slicer.js';
import type { encoderOf } from './encode.js';
import type { EncodedRequest } from './request.js';

/** An operation and the codecs of its messages. */
export interface Method {
  readonly operation: Operation;
  readonly decode: (bytes: Buffer) => unknown;
  readonly encode: ReturnType<typeof encoderOf>;
}

/** A call, of gRPC or over the port of the gateway. */
export interface UnaryCall extends CallContext {
  /** Fields of the answer that the caller asks for; undefined for all. */
  readonly fields: string | undefined;
}

type RequestCall = Pick<UnaryCall, 'dialect' | 'fields'>;

/** Calls with longer requests are not cached, bytes. */
const MAX_KEY_BYTES = 16 * 1024;

/** Runs calls that have one answer, or finds the answer in the cache. */
export class UnaryCalls {
  constructor(
    readonly invoker: Pick<Invoker, 'invoke'>,
    /** Undefined without a cache of answers. */
    readonly cache: AnswerCache | undefined,
  ) {}

  /**
   * @returns the encoded response, as a promise only if the call takes more than this turn of the event loop
   * @throws whatever the call throws
   */
  answer(method: Method, request: EncodedRequest, call: UnaryCall): MaybePromise<Uint8Array> {
    const { operation } = method;
    const { cache } = this;
    const { fields } = call;
    const mask = fieldMask(operation, fields);
    if (!cache?.holds(operation, call) || request.bytes.length > MAX_KEY_BYTES) return this.#run(method, request, call, mask);
    const key = `grpc ${call.dialect} ${operation.name} ${fields === undefined ? '' : `${fields.length} ${fields}`} ${request.bytes.toString('latin1')}`;
    const run = () => withValue(this.#run(method, request, call, mask), (response) => [response]);
    return withValue(cache.answer(operation, key, call, run), ([response]) => response as Uint8Array);
  }

  #run(method: Method, request: EncodedRequest, call: UnaryCall, mask: FieldMask | undefined): MaybePromise<Uint8Array> {
    const response = this.invoker.invoke(method.operation, requestOf(method, request, call), call);
    const encode = (value: unknown) => method.encode(value, call);
    return mask ? withValue(response, (whole) => withValue(mask.apply(whole, true, call), encode)) : withValue(response, encode);
  }
}

/**
 * The request of a call, with its defaults.
 * @throws {NodeError} `invalid-params` for bytes that are no request, and for a stream of which only some fields are wanted
 */
export function requestOf({ operation, decode }: Method, request: EncodedRequest, { dialect, fields }: RequestCall): object {
  if (operation.streams && fields !== undefined)
    throw new NodeError('invalid-params', `messages of a stream are sent whole: ${FIELDS_METADATA} is for calls with one answer`);
  const message = request.decode(operation, decode);
  // A gateway has set the defaults of JSON-RPC already, when it bound the arguments.
  if (dialect === 'document') applyDocumentDefaults(operation, message);
  return message;
}
