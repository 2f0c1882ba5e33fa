import type { MethodDefinition } from '@grpc/grpc-js';
import type { Operation } from '../rpc/catalogue.js';
import type { CallContext } from '../rpc/handler.js';
import { propertyName } from '../rpc/names.js';
import { inSlices, type MaybePromise, type Steps } from '../util/slicer.js';

/** A response that is encoded already. */
export class Encoded {
  constructor(readonly bytes: Buffer) {}
}

type Method = Pick<MethodDefinition<unknown, unknown>, 'responseSerialize' | 'responseDeserialize'>;

/** In the shape of gen/ts. */
type Message = Readonly<Record<string, unknown>>;

/** A property of a response, in the order of encoding. */
interface Property {
  readonly name: string;
  /** Lists and maps are encoded in parts. */
  readonly kind: 'list' | 'map' | 'single';
}

/** A property with the elements of its list or the keys of its map, listed once: to list the keys of a large map takes milliseconds. */
interface Value extends Property {
  readonly elements: readonly unknown[];
}

/** Elements of a list or a map that are encoded together. */
const ELEMENTS_AT_ONCE = 64;

/**
 * Encodes responses whose own lists or maps are long in slices: the parts of a message, encoded one by one and joined, are the bytes of
 * the whole.
 * @returns the response itself if it is short: the gRPC library encodes it
 */
export function encoderOf(op: Operation, method: Method): (response: unknown, call: Pick<CallContext, 'signal'>) => MaybePromise<unknown> {
  const properties = propertiesOf(op);
  if (properties.every(({ kind }) => kind === 'single')) return (response) => response;
  return (response, call) => {
    const message = response as Message;
    const values = properties.map((property) => ({ ...property, elements: elementsOf(property, message) }));
    const isShort = values.every(({ elements }) => elements.length <= ELEMENTS_AT_ONCE);
    return isShort ? response : inSlices(encode(method, message, values), call);
  };
}

function propertiesOf(op: Operation): readonly Property[] {
  return op.output.members.map((member): Property => {
    const name = propertyName(member);
    if (member.kind !== 'field') return { name, kind: 'single' };
    if (member.fieldKind === 'map') return { name, kind: 'map' };
    // The numbers of a packed list are one record.
    return { name, kind: member.fieldKind === 'list' && !member.packed ? 'list' : 'single' };
  });
}

function elementsOf({ name, kind }: Property, message: Message): readonly unknown[] {
  const value = message[name];
  if (kind === 'single' || value === undefined) return [];
  return kind === 'map' ? Object.keys(value as Message) : (value as readonly unknown[]);
}

function* encode(method: Method, message: Message, values: readonly Value[]): Steps<Encoded> {
  const empty = method.responseDeserialize(Buffer.alloc(0)) as Message;
  const encoded: Buffer[] = [];
  for (const part of partsOf(message, values)) {
    encoded.push(method.responseSerialize({ ...empty, ...part }));
    yield;
  }
  return new Encoded(Buffer.concat(encoded));
}

/** Messages with a part of the response each, in the order of encoding. */
function* partsOf(message: Message, values: readonly Value[]): Generator<Message, void> {
  for (const { name, kind, elements } of values) {
    if (kind === 'single') yield { [name]: message[name] };
    for (let at = 0; at < elements.length; at += ELEMENTS_AT_ONCE) {
      const part = elements.slice(at, at + ELEMENTS_AT_ONCE);
      yield { [name]: kind === 'list' ? part : entriesOf(message[name] as Message, part as readonly string[]) };
    }
  }
}

function entriesOf(map: Message, keys: readonly string[]): Message {
  return Object.fromEntries(keys.map((key) => [key, map[key]]));
}
