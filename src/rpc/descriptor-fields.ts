import type { DescEnum, DescExtension, DescFile, DescMessage, Descriptors } from './descriptors.js';
import { bytesOf, eachField, joined, numberOf, qualified, textOf } from './wire-fields.js';

/** Types of scalars, with the numbers of FieldDescriptorProto.Type. */
export const ScalarType = {
  DOUBLE: 1,
  FLOAT: 2,
  INT64: 3,
  UINT64: 4,
  INT32: 5,
  FIXED64: 6,
  FIXED32: 7,
  BOOL: 8,
  STRING: 9,
  BYTES: 12,
  UINT32: 13,
  SFIXED32: 15,
  SFIXED64: 16,
  SINT32: 17,
  SINT64: 18,
} as const;
export type ScalarType = (typeof ScalarType)[keyof typeof ScalarType];

const GROUP = 10;
const MESSAGE = 11;
const ENUM = 14;

/** Presence of a field: explicit if an absent field differs from one with the zero of its type; never for lists and maps. */
export const Presence = { EXPLICIT: 1, IMPLICIT: 2 } as const;
export type Presence = (typeof Presence)[keyof typeof Presence];

/** A oneof as it is declared: not that of a field with `optional`. */
export interface DescOneof {
  readonly kind: 'oneof';
  readonly name: string;
  readonly fields: readonly DescField[];
}

interface FieldCommon {
  readonly kind: 'field';
  readonly name: string;
  readonly jsonName: string;
  readonly number: number;
  /** Position in the declaration of the message. */
  readonly index: number;
  readonly parent: DescMessage;
  readonly oneof: DescOneof | undefined;
  readonly presence: Presence;
  /** Declared as `optional`. */
  readonly isOptional: boolean;
  /** Encoded FieldOptions. */
  readonly options: Uint8Array;
}

/** Type of a field, or of the elements of a list or map. */
type Typed<Key extends string> =
  | ({ readonly [K in Key]: 'scalar' } & { readonly scalar: ScalarType; readonly enum: undefined; readonly message: undefined })
  | ({ readonly [K in Key]: 'enum' } & { readonly scalar: undefined; readonly enum: DescEnum; readonly message: undefined })
  | ({ readonly [K in Key]: 'message' } & { readonly scalar: undefined; readonly enum: undefined; readonly message: DescMessage });

type Single = Typed<'fieldKind'>;
type List = { readonly fieldKind: 'list'; readonly packed: boolean } & Typed<'listKind'>;
type MapOf = { readonly fieldKind: 'map'; readonly mapKey: ScalarType } & Typed<'mapKind'>;

/** A field, with the names of the types of `@bufbuild/protobuf`. */
export type DescField = FieldCommon & (Single | List | MapOf);

/** Fields and oneofs of a message. */
export interface DeclaredFields {
  readonly fields: readonly DescField[];
  readonly oneofs: readonly DescOneof[];
}

/** Reads the declarations of fields and oneofs. */
export function readDeclared(message: DescMessage): DeclaredFields {
  const oneofs = bytesOf(message.bytes, 8).map((each) => ({ kind: 'oneof' as const, name: textOf(each, 1), fields: [] as DescField[] }));
  const fields = bytesOf(message.bytes, 2).map((bytes, index) => {
    const raw = readField(bytes);
    // Each field with `optional` has a oneof in the image.
    const oneof = raw.oneofIndex === undefined || raw.isOptional ? undefined : oneofs[raw.oneofIndex];
    const field = makeField(raw, message, index, oneof);
    oneof?.fields.push(field);
    return field;
  });
  return { fields, oneofs: oneofs.filter((each) => each.fields.length > 0) };
}

type RawField = ReturnType<typeof readField>;

/** @param bytes encoded FieldDescriptorProto */
function readField(bytes: Uint8Array) {
  const raw = { name: '', jsonName: '', extendee: '', number: 0, isList: false, type: 0, typeName: '', isOptional: false };
  let oneofIndex: number | undefined;
  const options: Uint8Array[] = [];
  eachField(bytes, (field, reader) => {
    if (field === 1) raw.name = reader.string();
    else if (field === 2) raw.extendee = reader.string();
    else if (field === 3) raw.number = reader.int32();
    else if (field === 4) raw.isList = reader.int32() === 3;
    else if (field === 5) raw.type = reader.int32();
    else if (field === 6) raw.typeName = reader.string();
    else if (field === 8) options.push(reader.bytes());
    else if (field === 9) oneofIndex = reader.int32();
    else if (field === 10) raw.jsonName = reader.string();
    else if (field === 17) raw.isOptional = reader.bool();
    else return false;
    return true;
  });
  return { ...raw, oneofIndex, options: joined(options) };
}

function makeField(raw: RawField, parent: DescMessage, index: number, oneof: DescOneof | undefined): DescField {
  const { file } = parent;
  const { name, jsonName, number, isOptional, options } = raw;
  const isExplicit = !raw.isList && (raw.oneofIndex !== undefined || isMessage(raw) || !file.isProto3);
  const presence = isExplicit ? Presence.EXPLICIT : Presence.IMPLICIT;
  const common = { kind: 'field' as const, name, jsonName, number, index, parent, oneof, presence, isOptional, options };
  if (!raw.isList) return { ...common, ...typed('fieldKind', raw, file.image) };
  const entry = isMessage(raw) ? parent.mapEntry(raw.typeName) : undefined;
  if (!entry) return { ...common, fieldKind: 'list', packed: isPacked(raw, file), ...typed('listKind', raw, file.image) };
  const [key, value] = bytesOf(entry.bytes, 2).map(readField);
  if (!key || !value) throw new Error(`${entry.typeName} lacks a key or a value`);
  return { ...common, fieldKind: 'map', mapKey: key.type as ScalarType, ...typed('mapKind', value, file.image) };
}

function isMessage({ type }: RawField): boolean {
  return type === MESSAGE || type === GROUP;
}

/** @param key name of the property for the kind of the type */
function typed<Key extends string>(key: Key, raw: RawField, image: Descriptors): Typed<Key> {
  const { type, typeName } = raw;
  const none = { scalar: undefined, enum: undefined, message: undefined };
  // A computed key has no literal type.
  if (isMessage(raw)) return { ...none, [key]: 'message', message: image.message(typeName) } as unknown as Typed<Key>;
  if (type === ENUM) return { ...none, [key]: 'enum', enum: image.enum(typeName) } as unknown as Typed<Key>;
  return { ...none, [key]: 'scalar', scalar: type } as unknown as Typed<Key>;
}

/** True if the numbers of a list are one record. */
function isPacked(raw: RawField, file: DescFile): boolean {
  if (isMessage(raw) || raw.type === ScalarType.STRING || raw.type === ScalarType.BYTES) return false;
  const declared = numberOf(raw.options, 2);
  return declared === undefined ? file.isProto3 : declared === 1;
}

/** @param bytes encoded FieldDescriptorProto @param scope package or type in which it is declared */
export function readExtension(bytes: Uint8Array, scope: string): DescExtension {
  const { name, extendee, number } = readField(bytes);
  return { typeName: qualified(scope, name), extendee: extendee.slice(1), number };
}
