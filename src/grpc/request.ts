import type { DescField, DescMessage } from '@bufbuild/protobuf';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import type { ServerInterceptingCallInterface } from '@grpc/grpc-js';
import type { Operation } from '../rpc/catalogue.js';
import { errorText, NodeError } from '../util/errors.js';

/** Largest request, in bytes. */
export const MAX_REQUEST_BYTES = 1024 * 1024;

/** The same for an operation that is declared to take blocks, transactions or PSBTs. */
export const MAX_LARGE_REQUEST_BYTES = 8 * 1024 * 1024;

/** Values of a request: creating them takes a few milliseconds. */
const MAX_VALUES = 50_000;

/** Messages within messages. */
const MAX_DEPTH = 100;

/** A request as it arrived. It is decoded once the call is known to be admitted. */
export class EncodedRequest {
  constructor(readonly bytes: Buffer) {}

  /** @throws {NodeError} for bytes that are no request of the operation, or one with too many values */
  decode(op: Operation, deserialize: (bytes: Buffer) => unknown): object {
    try {
      if (countValues(this.bytes, layoutOf(op.input)) > MAX_VALUES) {
        throw new NodeError('invalid-params', `the request has more than ${MAX_VALUES} values`);
      }
      return deserialize(this.bytes) as object;
    } catch (error) {
      if (error instanceof NodeError) throw error;
      throw new NodeError('invalid-params', `cannot decode the request: ${errorText(error)}`);
    }
  }
}

export function requestLimit(op: Pick<Operation, 'large'>): number {
  return op.large ? MAX_LARGE_REQUEST_BYTES : MAX_REQUEST_BYTES;
}

/**
 * Sets the largest message of one call. The library knows one limit for all methods only, but each call has a decoder with a limit of
 * its own, which refuses a message by its announced length before the rest of it is received.
 */
export function limitRequest(call: ServerInterceptingCallInterface, bytes: number): void {
  const base = call as { maxReceiveMessageSize?: number; decoder?: { maxReadMessageLength: number } };
  if (base.decoder) base.decoder.maxReadMessageLength = bytes;
  // Bounds what a compressed message may decompress to.
  base.maxReceiveMessageSize = bytes;
}

/** Fields of a message that may hold several values, by number. */
interface Layout {
  readonly messages: ReadonlyMap<number, () => Layout>;
  /** Lists of numbers, which may be packed into one field. */
  readonly packed: ReadonlySet<number>;
}

/** Values that decoding would create, counted without creating them. Stops soon after there are too many. */
function countValues(bytes: Uint8Array, { messages, packed }: Layout, counted = 0, depth = 0): number {
  if (depth > MAX_DEPTH) throw new Error(`more than ${MAX_DEPTH} messages within each other`);
  const reader = new BinaryReader(bytes);
  let count = counted;
  while (reader.pos < reader.len && count <= MAX_VALUES) {
    const [number, wireType] = reader.tag();
    const layout = wireType === WireType.LengthDelimited ? messages.get(number) : undefined;
    count += 1;
    if (layout) count = countValues(reader.bytes(), layout(), count, depth + 1);
    // Each number takes a byte or more.
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
