import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { MethodDefinition } from '@grpc/grpc-js';
import type { Operation } from '../rpc/catalogue.js';
import type { DescField } from '../rpc/descriptor-fields.js';
import type { DescMessage } from '../rpc/descriptors.js';
import type { CallContext } from '../rpc/handler.js';
import { mapEntries } from '../rpc/long-map.js';
import { propertyName } from '../rpc/names.js';
import { inSlices, type MaybePromise, type Steps } from '../util/slicer.js';

type Method = Pick<MethodDefinition<unknown, unknown>, 'responseSerialize' | 'responseDeserialize'>;

/** In the shape of gen/ts. */
type Message = Readonly<Record<string, unknown>>;

/** A property of a message, in the order of encoding. Lists and maps are encoded in parts, and so are messages that have some. */
interface Property {
  readonly name: string;
  readonly kind: 'list' | 'map' | 'oneof' | 'single';
  /** Messages that have lists or maps, their own or those of their messages: by the case of a oneof, else of the property itself. */
  readonly nested: ReadonlyMap<string | undefined, NestedType>;
}

interface NestedType {
  readonly number: number;
  readonly properties: readonly Property[];
}

/** Value of a oneof. */
interface Case {
  readonly $case: string;
  readonly value: Message;
}

/** A message that is encoded in parts, behind a property. */
interface Nested {
  readonly type: NestedType;
  readonly value: Message;
  /** Value of the property with another message in place of this one, and that message again. */
  readonly wrap: (message: Message) => unknown;
  readonly unwrap: (value: unknown) => Message;
}

/** Codec of the messages of one type, made of the codec of the whole response. */
interface Coder {
  /** Decodes a message in which only the messages on a path of field numbers are set. */
  readonly read: (path: readonly number[]) => Message;
  readonly write: (message: Message) => Buffer;
}

/** Elements of a list or a map that are encoded together. */
const ELEMENTS_AT_ONCE = 64;

const NOTHING_NESTED: ReadonlyMap<string | undefined, NestedType> = new Map();

/**
 * Encodes responses with long lists or maps in slices, their own or those of the messages in them: the parts of a message, encoded one
 * by one and joined, are the bytes of the whole.
 */
export function encoderOf(op: Operation, method: Method): (response: unknown, call: Pick<CallContext, 'signal'>) => MaybePromise<Buffer> {
  // Read with the first answer: the start needs no message.
  let properties: readonly Property[] | undefined;
  return (response, call) => {
    properties ??= propertiesOf(op.output, []);
    const message = response as Message;
    return isLong(properties, message) ? inSlices(encode(method, message, properties), call) : method.responseSerialize(message);
  };
}

/** @param above messages that hold this one: one that holds itself is encoded at once */
function propertiesOf(desc: DescMessage, above: readonly DescMessage[]): readonly Property[] {
  const inside = [...above, desc];
  return desc.members.map((member): Property => {
    const name = propertyName(member);
    if (member.kind === 'oneof') {
      const found = member.fields.map((field) => [propertyName(field), nestedType(field, inside)] as const);
      const nested = new Map(found.flatMap(([key, type]) => (type ? [[key, type]] : [])));
      return { name, kind: 'oneof', nested };
    }
    if (member.fieldKind === 'map') return { name, kind: 'map', nested: NOTHING_NESTED };
    // The numbers of a packed list are one record.
    if (member.fieldKind === 'list' && !member.packed) return { name, kind: 'list', nested: NOTHING_NESTED };
    const type = nestedType(member, inside);
    return { name, kind: 'single', nested: type ? new Map([[undefined, type]]) : NOTHING_NESTED };
  });
}

/** Undefined for a field without a message that has lists or maps. */
function nestedType(field: DescField, above: readonly DescMessage[]): NestedType | undefined {
  const { message, number } = field;
  // Messages of google.protobuf have other shapes in gen/ts than their fields.
  if (field.fieldKind !== 'message' || !message || message.typeName.startsWith('google.protobuf.') || above.includes(message))
    return undefined;
  const properties = propertiesOf(message, above);
  const hasParts = properties.some(({ kind, nested }) => kind === 'list' || kind === 'map' || nested.size > 0);
  return hasParts ? { number, properties } : undefined;
}

function isLong(properties: readonly Property[], message: Message): boolean {
  return properties.some(
    (property) => nestedIn(property, message) !== undefined || elementsOf(property, message).length > ELEMENTS_AT_ONCE,
  );
}

/** The message behind a property if it is long. */
function nestedIn({ name, kind, nested }: Property, message: Message): Nested | undefined {
  const held = nested.size === 0 ? undefined : message[name];
  if (held === undefined) return undefined;
  const isCase = kind === 'oneof';
  const $case = isCase ? (held as Case).$case : undefined;
  const type = nested.get($case);
  const unwrap = (each: unknown): Message => (isCase ? (each as Case).value : (each as Message));
  const value = unwrap(held);
  if (!type || !isLong(type.properties, value)) return undefined;
  return { type, value, wrap: (inner) => (isCase ? { $case, value: inner } : inner), unwrap };
}

function elementsOf({ name, kind }: Property, message: Message): readonly unknown[] {
  const value = message[name];
  if (kind === 'single' || kind === 'oneof' || value === undefined) return [];
  return kind === 'map' ? mapEntries(value) : (value as readonly unknown[]);
}

function* encode(method: Method, message: Message, properties: readonly Property[]): Steps<Buffer> {
  const encoded: Buffer[] = [];
  const read = (path: readonly number[]): Message => method.responseDeserialize(emptyRecords(path)) as Message;
  yield* encodeParts(message, properties, { read, write: (part) => method.responseSerialize(part) }, encoded);
  return yield* joined(encoded);
}

/** Like `Buffer.concat`, which takes tens of milliseconds with the parts of the longest messages. */
function* joined(parts: readonly Buffer[]): Steps<Buffer> {
  const whole = Buffer.allocUnsafeSlow(lengthOf(parts));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
    yield;
  }
  return whole;
}

function lengthOf(parts: readonly Buffer[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}

function* encodeParts(message: Message, properties: readonly Property[], coder: Coder, encoded: Buffer[]): Steps<void> {
  const empty = coder.read([]);
  for (const property of properties) {
    const nested = nestedIn(property, message);
    if (nested) yield* encodeNested(property.name, nested, coder, encoded);
    else yield* encodeProperty(property, message, (part) => coder.write({ ...empty, ...part }), encoded);
  }
}

/** A long message behind a property is a record of a tag, a length, and the parts of the message. Each part is encoded as such a record first. */
function* encodeNested(name: string, { type, value, wrap, unwrap }: Nested, outer: Coder, encoded: Buffer[]): Steps<void> {
  const { number, properties } = type;
  const empty = outer.read([]);
  const write = (part: Message): Buffer => {
    const record = outer.write({ ...empty, [name]: wrap(part) });
    return record.subarray(headLength(record));
  };
  const parts: Buffer[] = [];
  yield* encodeParts(value, properties, { read: (path) => unwrap(outer.read([number, ...path])[name]), write }, parts);
  encoded.push(recordHead(number, lengthOf(parts)));
  for (const part of parts) encoded.push(part);
}

/** Messages inside each other without any other field, by the numbers of the fields that hold them. */
function emptyRecords(path: readonly number[]): Buffer {
  return path.reduceRight((inner, number) => Buffer.concat([recordHead(number, inner.length), inner]), Buffer.alloc(0));
}

function recordHead(field: number, length: number): Buffer {
  return Buffer.from(new BinaryWriter().tag(field, WireType.LengthDelimited).uint32(length).finish());
}

/** Length of the tag and the length of a record. */
function headLength(record: Uint8Array): number {
  const reader = new BinaryReader(record);
  reader.tag();
  reader.uint32();
  return reader.pos;
}

/** Encodes a property, a list or a map in parts. @param write encodes a message that has only the given property */
function* encodeProperty(property: Property, message: Message, write: (part: Message) => Buffer, encoded: Buffer[]): Steps<void> {
  const { name, kind } = property;
  if (kind === 'single' || kind === 'oneof') encoded.push(write({ [name]: message[name] }));
  const elements = elementsOf(property, message);
  for (let at = 0; at < elements.length; at += ELEMENTS_AT_ONCE) {
    const part = elements.slice(at, at + ELEMENTS_AT_ONCE);
    encoded.push(write({ [name]: kind === 'list' ? part : Object.fromEntries(part as readonly (readonly [PropertyKey, unknown])[]) }));
    yield;
  }
  yield;
}
