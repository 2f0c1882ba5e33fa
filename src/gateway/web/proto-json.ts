import { create, createFileRegistry, type FileRegistry, fromBinary, fromJson, type JsonValue, toBinary, toJson } from '@bufbuild/protobuf';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { MAX_VALUES } from '../../grpc/request.js';
import { type DescField, ScalarType } from '../../rpc/descriptor-fields.js';
import type { DescMessage, Descriptors } from '../../rpc/descriptors.js';
import { plainJson } from '../../rpc/document.js';
import { errorText, NodeError } from '../../util/errors.js';
import { parseJson, quoteJson } from '../../util/json.js';
import type { Steps } from '../../util/slicer.js';

/**
 * The standard JSON of messages, which clients of Connect send and receive: not the JSON of REST. Requests are short and converted by
 * `@bufbuild/protobuf`; answers are converted here in slices, from the bytes of our own encoder, which keeps the elements of a field together.
 */
export class ProtoJson {
  readonly #descriptors: Descriptors;
  #registry: FileRegistry | undefined;
  readonly #fields = new WeakMap<DescMessage, ReadonlyMap<number, DescField>>();

  constructor(descriptors: Descriptors) {
    this.#descriptors = descriptors;
  }

  /** Bytes of a request. @throws {NodeError} `invalid-params` for a text that is no JSON of the message, or one with too many values */
  encode(desc: DescMessage, json: string): Uint8Array {
    try {
      const schema = this.#schemaOf(desc);
      const value = json === '' ? {} : (plainJson(parseJson(json, VALUE_LIMIT)) as JsonValue);
      return toBinary(schema, fromJson(schema, value, { registry: this.registry }));
    } catch (error) {
      throw new NodeError('invalid-params', `cannot decode the request: ${errorText(error)}`);
    }
  }

  /** JSON of an answer, in steps. */
  *decode(desc: DescMessage, bytes: Uint8Array): Steps<Uint8Array[]> {
    const out = new Pieces();
    yield* this.#message(desc, bytes, out);
    return out.finish();
  }

  get registry(): FileRegistry {
    if (!this.#registry) {
      const file = this.#descriptors.files.map((each) => fromBinary(FileDescriptorProtoSchema, each.bytes));
      this.#registry = createFileRegistry(create(FileDescriptorSetSchema, { file }));
    }
    return this.#registry;
  }

  #schemaOf(desc: DescMessage) {
    const schema = this.registry.getMessage(desc.typeName);
    if (!schema) throw new Error(`no message ${desc.typeName}`);
    return schema;
  }

  *#message(desc: DescMessage, bytes: Uint8Array, out: Pieces): Steps<void> {
    if (desc.typeName.startsWith('google.protobuf.')) {
      const schema = this.#schemaOf(desc);
      out.put(JSON.stringify(toJson(schema, fromBinary(schema, bytes), { registry: this.registry })));
      return;
    }
    const reader = new BinaryReader(bytes);
    let current: DescField | undefined;
    let separator = '{';
    while (reader.pos < reader.len) {
      const [number, wireType] = reader.tag();
      const field = this.#fieldsOf(desc).get(number);
      if (!field) {
        reader.skip(wireType, number);
        continue;
      }
      const isNext = field !== current;
      if (isNext) {
        out.put(`${closeOf(current)}${separator}${quoteJson(field.jsonName)}:${openOf(field)}`);
        separator = ',';
        current = field;
      } else out.put(',');
      if (field.fieldKind === 'map') yield* this.#entry(field, reader.bytes(), out);
      else if (field.fieldKind === 'list' && field.packed && wireType === WireType.LengthDelimited) packed(field, reader.bytes(), out);
      else yield* this.#value(field, reader, out);
      yield;
    }
    out.put(`${separator === '{' ? '{' : closeOf(current)}}`);
  }

  *#entry(field: DescField & { readonly fieldKind: 'map' }, bytes: Uint8Array, out: Pieces): Steps<void> {
    const reader = new BinaryReader(bytes);
    let key = zeroText(field.mapKey);
    let value: BinaryReader | undefined;
    while (reader.pos < reader.len) {
      const [number, wireType] = reader.tag();
      if (number === 1) key = scalarText(field.mapKey, reader);
      else if (number === 2) {
        value = new BinaryReader(bytes);
        value.pos = reader.pos;
        reader.skip(wireType, number);
      } else reader.skip(wireType, number);
    }
    out.put(`${key.startsWith('"') ? key : `"${key}"`}:`);
    if (value) yield* this.#value(field, value, out);
    else out.put(field.message ? '{}' : field.enum ? enumText(field, 0) : zeroText(field.scalar));
  }

  /** Reads a value that is neither in a map nor packed. */
  *#value(field: DescField, reader: BinaryReader, out: Pieces): Steps<void> {
    if (field.message) yield* this.#message(field.message, reader.bytes(), out);
    else out.put(elementText(field, reader));
  }

  #fieldsOf(desc: DescMessage): ReadonlyMap<number, DescField> {
    let fields = this.#fields.get(desc);
    if (!fields) {
      fields = new Map(desc.fields.map((field) => [field.number, field]));
      this.#fields.set(desc, fields);
    }
    return fields;
  }
}

/** Limits of values, equal to those of gRPC messages. */
const VALUE_LIMIT = {
  onValues(count: number): void {
    if (count > MAX_VALUES) throw new RangeError(`the request has more than ${MAX_VALUES} values`);
  },
};

/** Characters of a piece: encoding them takes a fraction of a millisecond. */
const PIECE_CHARS = 32 * 1024;

class Pieces {
  #text = '';
  readonly #pieces: Uint8Array[] = [];

  put(text: string): void {
    this.#text += text;
    if (this.#text.length >= PIECE_CHARS) this.#flush();
  }

  finish(): Uint8Array[] {
    this.#flush();
    return this.#pieces;
  }

  #flush(): void {
    this.#pieces.push(Buffer.from(this.#text));
    this.#text = '';
  }
}

function openOf({ fieldKind }: DescField): string {
  return fieldKind === 'list' ? '[' : fieldKind === 'map' ? '{' : '';
}

function closeOf(field: DescField | undefined): string {
  return field?.fieldKind === 'list' ? ']' : field?.fieldKind === 'map' ? '}' : '';
}

function packed(field: DescField, bytes: Uint8Array, out: Pieces): void {
  const reader = new BinaryReader(bytes);
  const texts: string[] = [];
  while (reader.pos < reader.len) texts.push(elementText(field, reader));
  out.put(texts.join());
}

function elementText(field: DescField, reader: BinaryReader): string {
  return field.enum ? enumText(field, reader.int32()) : scalarText(field.scalar ?? ScalarType.STRING, reader);
}

function enumText(field: DescField, number: number): string {
  const name = field.enum?.value[number]?.name;
  return name === undefined ? String(number) : quoteJson(name);
}

/** Numbers of 64 bits are strings. */
function scalarText(type: ScalarType, reader: BinaryReader): string {
  switch (type) {
    case ScalarType.DOUBLE:
      return doubleText(reader.double());
    case ScalarType.FLOAT:
      return doubleText(reader.float());
    case ScalarType.INT64:
      return `"${reader.int64()}"`;
    case ScalarType.UINT64:
      return `"${reader.uint64()}"`;
    case ScalarType.SINT64:
      return `"${reader.sint64()}"`;
    case ScalarType.FIXED64:
      return `"${reader.fixed64()}"`;
    case ScalarType.SFIXED64:
      return `"${reader.sfixed64()}"`;
    case ScalarType.INT32:
      return String(reader.int32());
    case ScalarType.UINT32:
      return String(reader.uint32());
    case ScalarType.SINT32:
      return String(reader.sint32());
    case ScalarType.FIXED32:
      return String(reader.fixed32());
    case ScalarType.SFIXED32:
      return String(reader.sfixed32());
    case ScalarType.BOOL:
      return String(reader.bool());
    case ScalarType.BYTES:
      return `"${Buffer.from(reader.bytes()).toString('base64')}"`;
    case ScalarType.STRING:
      return quoteJson(reader.string());
  }
}

/** A value of a map that is not encoded because it is zero. */
function zeroText(type: ScalarType | undefined): string {
  return scalarText(type ?? ScalarType.STRING, new BinaryReader(Buffer.alloc(8)));
}

function doubleText(value: number): string {
  return Number.isFinite(value) ? JSON.stringify(value) : `"${value}"`;
}
