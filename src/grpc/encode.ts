import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { MethodDefinition } from '@grpc/grpc-js';
import type { Operation } from '../rpc/catalogue.js';
import type { DescOneof } from '../rpc/descriptor-fields.js';
import type { DescMessage } from '../rpc/descriptors.js';
import type { CallContext } from '../rpc/handler.js';
import { propertyName } from '../rpc/names.js';
import { inSlices, type MaybePromise, type Steps } from '../util/slicer.js';

type Method = Pick<MethodDefinition<unknown, unknown>, 'responseSerialize' | 'responseDeserialize'>;

/** In the shape of gen/ts. */
type Message = Readonly<Record<string, unknown>>;

/** A property of a message, in the order of encoding. */
interface Property {
  readonly name: string;
  /** Lists and maps are encoded in parts. */
  readonly kind: 'list' | 'map' | 'oneof' | 'single';
  /** Messages of a oneof that have lists or maps, by the name of the case. */
  readonly cases: ReadonlyMap<string, CaseType>;
}

interface CaseType {
  readonly number: number;
  readonly properties: readonly Property[];
}

/** Value of a oneof. */
interface Case {
  readonly $case: string;
  readonly value: Message;
}

/** Elements of a list or a map that are encoded together. */
const ELEMENTS_AT_ONCE = 64;

const NO_CASES: ReadonlyMap<string, CaseType> = new Map();

/**
 * Encodes responses with long lists or maps in slices, their own or those of the message in a oneof: the parts of a message, encoded one
 * by one and joined, are the bytes of the whole.
 */
export function encoderOf(op: Operation, method: Method): (response: unknown, call: Pick<CallContext, 'signal'>) => MaybePromise<Buffer> {
  // Read with the first answer: the start needs no message.
  let properties: readonly Property[] | undefined;
  return (response, call) => {
    properties ??= propertiesOf(op.output, casesOf);
    const message = response as Message;
    return isLong(properties, message) ? inSlices(encode(method, message, properties), call) : method.responseSerialize(message);
  };
}

function propertiesOf(desc: DescMessage, cases: (oneof: DescOneof) => Property['cases'] = () => NO_CASES): readonly Property[] {
  return desc.members.map((member): Property => {
    const name = propertyName(member);
    if (member.kind === 'oneof') {
      const found = cases(member);
      return { name, kind: found.size > 0 ? 'oneof' : 'single', cases: found };
    }
    if (member.fieldKind === 'map') return { name, kind: 'map', cases: NO_CASES };
    // The numbers of a packed list are one record.
    return { name, kind: member.fieldKind === 'list' && !member.packed ? 'list' : 'single', cases: NO_CASES };
  });
}

function casesOf(oneof: DescOneof): Property['cases'] {
  const cases = new Map<string, CaseType>();
  for (const field of oneof.fields) {
    // Messages of google.protobuf have other shapes in gen/ts than their fields.
    if (!field.message || field.message.typeName.startsWith('google.protobuf.')) continue;
    const properties = propertiesOf(field.message);
    if (properties.some(({ kind }) => kind !== 'single')) cases.set(propertyName(field), { number: field.number, properties });
  }
  return cases;
}

function isLong(properties: readonly Property[], message: Message): boolean {
  return properties.some((property) => {
    const chosen = longCase(property, message);
    return chosen !== undefined || elementsOf(property, message).length > ELEMENTS_AT_ONCE;
  });
}

/** The message in a oneof if it is long. */
function longCase({ name, kind, cases }: Property, message: Message): (Case & { readonly type: CaseType }) | undefined {
  const chosen = kind === 'oneof' ? (message[name] as Case | undefined) : undefined;
  const type = chosen && cases.get(chosen.$case);
  return type && isLong(type.properties, chosen.value) ? { ...chosen, type } : undefined;
}

function elementsOf({ name, kind }: Property, message: Message): readonly unknown[] {
  const value = message[name];
  if (kind === 'single' || kind === 'oneof' || value === undefined) return [];
  return kind === 'map' ? Object.keys(value as Message) : (value as readonly unknown[]);
}

function* encode(method: Method, message: Message, properties: readonly Property[]): Steps<Buffer> {
  const empty = method.responseDeserialize(Buffer.alloc(0)) as Message;
  const encoded: Buffer[] = [];
  for (const property of properties) {
    const chosen = longCase(property, message);
    if (chosen) yield* encodeCase(method, property.name, chosen, encoded);
    else yield* encodeProperty(property, message, (part) => method.responseSerialize({ ...empty, ...part }), encoded);
  }
  return Buffer.concat(encoded);
}

/** A long message in a oneof is a record of a tag, a length, and the parts of the message. Each part is encoded as such a record first. */
function* encodeCase(
  method: Method,
  name: string,
  { $case, value, type }: Case & { readonly type: CaseType },
  encoded: Buffer[],
): Steps<void> {
  const empty = method.responseDeserialize(recordHead(type.number, 0)) as Message;
  const { value: inner } = empty[name] as Case;
  const write = (part: Message): Buffer => {
    const record = method.responseSerialize({ ...empty, [name]: { $case, value: { ...inner, ...part } } });
    return record.subarray(headLength(record));
  };
  const parts: Buffer[] = [];
  for (const property of type.properties) yield* encodeProperty(property, value, write, parts);
  encoded.push(
    recordHead(
      type.number,
      parts.reduce((sum, { length }) => sum + length, 0),
    ),
    ...parts,
  );
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
    encoded.push(write({ [name]: kind === 'list' ? part : entriesOf(message[name] as Message, part as readonly string[]) }));
    yield;
  }
  yield;
}

function entriesOf(map: Message, keys: readonly string[]): Message {
  return Object.fromEntries(keys.map((key) => [key, map[key]]));
}
