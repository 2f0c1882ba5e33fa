import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import type { ServerInterceptingCallInterface } from '@grpc/grpc-js';
import type { Operation } from '../rpc/catalogue.js';
import type { DescField } from '../rpc/descriptor-fields.js';
import type { DescMessage } from '../rpc/descriptors.js';
import { errorText, NodeError } from '../util/errors.js';

/** Maximum size of a request, in bytes. */
export const MAX_REQUEST_BYTES = 1024 * 1024;

/** Maximum size of a request of an operation that is declared `large`: its arguments are blocks, transactions or PSBTs. */
export const MAX_LARGE_REQUEST_BYTES = 8 * 1024 * 1024;

/** Maximum number of values in a request: creating so many takes a few milliseconds. */
export const MAX_VALUES = 50_000;

/** Maximum nesting of messages. */
const MAX_DEPTH = 100;

/** A request as it was received. It is decoded after the call was admitted. */
export class EncodedRequest {
  constructor(readonly bytes: Buffer) {}

  /** @throws {NodeError} `invalid-params` for bytes that are no request of the operation, or for one with too many values */
  decode(op: Operation, deserialize: (bytes: Buffer) => unknown): object {
    try {
      if (this.bytes.length > 0 && countValues(this.bytes, layoutOf(op.input)) > MAX_VALUES) {
        throw new NodeError('invalid-params', `the request has more than ${MAX_VALUES} values`);
      }
      return deserialize(this.bytes) as object;
    } catch (error) {
      if (error instanceof NodeError) throw error;
      throw new NodeError('invalid-params', `cannot decode the request: ${errorText(error)}`);
    }
  }
}

/** Maximum size of a request of an operation, in bytes. */
export function requestLimit(op: Pick<Operation, 'large'>): number {
  return op.large ? MAX_LARGE_REQUEST_BYTES : MAX_REQUEST_BYTES;
}

/**
 * Sets the maximum message size of one call. The gRPC library has a single limit for all methods, but the decoder of each call has a limit
 * of its own and rejects a message by its announced length, before the rest of it is received.
 */
export function limitRequest(call: ServerInterceptingCallInterface, bytes: number): void {
  const base = call as { maxReceiveMessageSize?: number; decoder?: { maxReadMessageLength: number } };
  if (base.decoder) base.decoder.maxReadMessageLength = bytes;
  // Limits the size of a decompressed message.
  base.maxReceiveMessageSize = bytes;
}

/** Fields of a message that may hold several values, by number. */
interface Layout {
  readonly messages: ReadonlyMap<number, () => Layout>;
  /** Lists of numbers, which may be packed into one field. */
  readonly packed: ReadonlySet<number>;
}

/** Counts the values that decoding would create, without creating them. Stops soon after the maximum is exceeded. */
function countValues(bytes: Uint8Array, { messages, packed }: Layout, counted = 0, depth = 0): number {
  if (depth > MAX_DEPTH) throw new Error(`more than ${MAX_DEPTH} messages within each other`);
  const reader = new BinaryReader(bytes);
  let count = counted;
  while (reader.pos < reader.len && count <= MAX_VALUES) {
    const [number, wireType] = reader.tag();
    const layout = wireType === WireType.LengthDelimited ? messages.get(number) : undefined;
    count += 1;
    if (layout) count = countValues(reader.bytes(), layout(), count, depth + 1);
    // Each packed number has at least one byte.
    else if (wireType === WireType.LengthDelimited && packed.has(number)) count += reader.bytes().length;
    else reader.skip(wireType, number);
  }
  return count;
}

const layouts = new WeakMap<DescMessage, Layout>();

function layoutOf(desc: DescMessage): Layout {
  let layout = layouts.get(desc);
  if (!layout) {
    const messages = desc.fields.flatMap((field) => {
      const inner = innerLayout(field);
      return inner ? [[field.number, inner] as const] : [];
    });
    const packed = desc.fields.filter((field) => field.fieldKind === 'list' && field.packed).map(({ number }) => number);
    layout = { messages: new Map(messages), packed: new Set(packed) };
    layouts.set(desc, layout);
  }
  return layout;
}

/** An entry of a map is a message with the key as field 1 and the value as field 2. */
function innerLayout({ fieldKind, message }: DescField): (() => Layout) | undefined {
  const value = message && (() => layoutOf(message));
  if (fieldKind !== 'map') return value;
  const entry: Layout = { messages: new Map(value ? [[2, value]] : []), packed: new Set() };
  return () => entry;
}
