import { type DeclaredFields, type DescField, type DescOneof, readDeclared, readExtension } from './descriptor-fields.js';
import { bytesOf, eachField, joined, numberOf, qualified, textOf } from './wire-fields.js';

/** A value of an enum. */
export interface DescEnumValue {
  readonly name: string;
  readonly number: number;
  /** Name without the name of the enum before it, if all values begin with that. */
  readonly localName: string;
}

/** An enum, in a file or in a message. */
export interface DescEnum {
  readonly name: string;
  readonly typeName: string;
  readonly values: readonly DescEnumValue[];
  /** By number. */
  readonly value: Readonly<Record<number, DescEnumValue>>;
}

/** An extension, for example an option of ours. */
export interface DescExtension {
  readonly typeName: string;
  /** Type that it extends. */
  readonly extendee: string;
  readonly number: number;
}

/** A method of a service. Its messages are looked up when they are asked for. */
export interface DescMethod {
  readonly kind: 'rpc';
  readonly name: string;
  readonly parent: DescService;
  /** Position in the declaration of the service. */
  readonly index: number;
  readonly input: DescMessage;
  readonly output: DescMessage;
  readonly streams: boolean;
  /** Declared without side effects. */
  readonly isFreeOfEffects: boolean;
  /** Encoded MethodOptions. */
  readonly options: Uint8Array;
}

/**
 * The descriptors of an image (an encoded FileDescriptorSet). Each is built when it is first asked for: a start needs the declarations of
 * the operations but hardly any message, and decoding all of them takes longer than the rest of the start.
 */
export class Descriptors {
  readonly files: readonly DescFile[];

  constructor(image: Uint8Array) {
    this.files = bytesOf(image, 1).map((bytes) => new DescFile(bytes, this));
  }

  /** Every message, also those in messages. */
  get messages(): readonly DescMessage[] {
    const withNested = (message: DescMessage): readonly DescMessage[] => [message, ...message.nestedMessages.flatMap(withNested)];
    return this.files.flatMap(({ messages }) => messages.flatMap(withNested));
  }

  /** Number of an extension, e.g. `dfi.rpc.v1.param`; undefined if the image does not declare it. */
  extensionNumber(typeName: string): number | undefined {
    return this.files.flatMap(({ extensions }) => extensions).find((each) => each.typeName === typeName)?.number;
  }

  /** @param reference in a descriptor, e.g. `.dfi.types.v1.Amount` @throws {Error} if the image lacks the message */
  message(reference: string): DescMessage {
    return this.#find(reference, (file, path) => file.message(path));
  }

  /** @throws {Error} as {@link message} */
  enum(reference: string): DescEnum {
    return this.#find(reference, (file, path) => file.enum(path));
  }

  #find<T>(reference: string, find: (file: DescFile, path: readonly string[]) => T | undefined): T {
    for (const file of this.files) {
      const prefix = file.package === '' ? '.' : `.${file.package}.`;
      const found = reference.startsWith(prefix) ? find(file, reference.slice(prefix.length).split('.')) : undefined;
      if (found !== undefined) return found;
    }
    throw new Error(`the descriptor image lacks ${reference}`);
  }
}

/** A proto file of an image. */
export class DescFile {
  readonly name: string;
  readonly package: string;
  readonly dependencies: readonly string[];
  readonly services: readonly DescService[];
  readonly isProto3: boolean;
  readonly #extensions: readonly Uint8Array[];
  #messages: ReadonlyMap<string, DescMessage> | undefined;
  #enums: readonly DescEnum[] | undefined;

  /** @param bytes encoded FileDescriptorProto */
  constructor(
    readonly bytes: Uint8Array,
    readonly image: Descriptors,
  ) {
    let [name, scope, syntax] = ['', '', ''];
    const dependencies: string[] = [];
    const services: Uint8Array[] = [];
    const extensions: Uint8Array[] = [];
    eachField(bytes, (field, reader) => {
      if (field === 1) name = reader.string();
      else if (field === 2) scope = reader.string();
      else if (field === 3) dependencies.push(reader.string());
      else if (field === 6) services.push(reader.bytes());
      else if (field === 7) extensions.push(reader.bytes());
      else if (field === 12) syntax = reader.string();
      else return false;
      return true;
    });
    this.name = name;
    this.package = scope;
    this.isProto3 = syntax === 'proto3';
    this.dependencies = dependencies;
    this.#extensions = extensions;
    this.services = services.map((each, index) => new DescService(each, this, index));
  }

  /** Messages that are not in another one. */
  get messages(): readonly DescMessage[] {
    return [...this.#byName.values()];
  }

  get enums(): readonly DescEnum[] {
    this.#enums ??= bytesOf(this.bytes, 5).map((each) => readEnum(each, this.package));
    return this.#enums;
  }

  get extensions(): readonly DescExtension[] {
    return this.#extensions.map((each) => readExtension(each, this.package));
  }

  /** @param path name of the message, after those of the messages that it is in */
  message([first = '', ...rest]: readonly string[]): DescMessage | undefined {
    let found = this.#byName.get(first);
    for (const name of rest) found = found?.nestedMessages.find((each) => each.name === name);
    return found;
  }

  /** @param path as in {@link message} */
  enum(path: readonly string[]): DescEnum | undefined {
    const among = path.length === 1 ? this.enums : this.message(path.slice(0, -1))?.nestedEnums;
    return among?.find(({ name }) => name === path.at(-1));
  }

  get #byName(): ReadonlyMap<string, DescMessage> {
    if (!this.#messages) {
      const messages = bytesOf(this.bytes, 4).map((each, index) => new DescMessage(each, this, undefined, index));
      this.#messages = new Map(messages.map((each) => [each.name, each]));
    }
    return this.#messages;
  }
}

/** A service of a proto file. */
export class DescService {
  readonly name: string;
  readonly typeName: string;
  readonly methods: readonly DescMethod[];

  /** @param bytes encoded ServiceDescriptorProto @param index position in the file */
  constructor(
    bytes: Uint8Array,
    readonly file: DescFile,
    readonly index: number,
  ) {
    this.name = textOf(bytes, 1);
    this.typeName = qualified(file.package, this.name);
    this.methods = bytesOf(bytes, 2).map((each, position) => readMethod(each, this, position));
  }
}

/** A message; its fields are read when they are first asked for. */
export class DescMessage {
  readonly kind = 'message';
  readonly name: string;
  readonly typeName: string;
  #declared: DeclaredFields | undefined;
  #nested: readonly DescMessage[] | undefined;

  /** @param bytes encoded DescriptorProto @param index position in the file or in the message that it is in */
  constructor(
    readonly bytes: Uint8Array,
    readonly file: DescFile,
    readonly parent: DescMessage | undefined,
    readonly index: number,
  ) {
    this.name = textOf(bytes, 1);
    this.typeName = qualified(parent?.typeName ?? file.package, this.name);
  }

  get fields(): readonly DescField[] {
    return this.#declaredFields.fields;
  }

  get oneofs(): readonly DescOneof[] {
    return this.#declaredFields.oneofs;
  }

  /** Fields outside of oneofs, and oneofs, in the order of the declaration. */
  get members(): readonly (DescField | DescOneof)[] {
    return [...new Set(this.fields.map((field) => field.oneof ?? field))];
  }

  /** Encoded MessageOptions. */
  get options(): Uint8Array {
    return joined(bytesOf(this.bytes, 7));
  }

  get nestedMessages(): readonly DescMessage[] {
    return this.#allNested.filter((each) => !each.isMapEntry);
  }

  get nestedEnums(): readonly DescEnum[] {
    return bytesOf(this.bytes, 4).map((each) => readEnum(each, this.typeName));
  }

  get nestedExtensions(): readonly DescExtension[] {
    return bytesOf(this.bytes, 6).map((each) => readExtension(each, this.typeName));
  }

  /** True for the entries of a map, a message that only the image has. */
  get isMapEntry(): boolean {
    return numberOf(this.options, 7) === 1;
  }

  /** The entries of a map with this type. */
  mapEntry(reference: string): DescMessage | undefined {
    return this.#allNested.find((each) => reference === `.${each.typeName}` && each.isMapEntry);
  }

  get #allNested(): readonly DescMessage[] {
    this.#nested ??= bytesOf(this.bytes, 3).map((each, index) => new DescMessage(each, this.file, this, index));
    return this.#nested;
  }

  get #declaredFields(): DeclaredFields {
    this.#declared ??= readDeclared(this);
    return this.#declared;
  }
}

/** @param bytes encoded MethodDescriptorProto */
function readMethod(bytes: Uint8Array, parent: DescService, index: number): DescMethod {
  const raw = { name: '', input: '', output: '', streams: false };
  const options: Uint8Array[] = [];
  eachField(bytes, (field, reader) => {
    if (field === 1) raw.name = reader.string();
    else if (field === 2) raw.input = reader.string();
    else if (field === 3) raw.output = reader.string();
    else if (field === 4) options.push(reader.bytes());
    else if (field === 5 || field === 6) raw.streams = reader.bool() || raw.streams;
    else return false;
    return true;
  });
  const { name, streams } = raw;
  const { image } = parent.file;
  const all = joined(options);
  let input: DescMessage | undefined;
  let output: DescMessage | undefined;
  return {
    kind: 'rpc',
    name,
    parent,
    index,
    streams,
    options: all,
    get input() {
      input ??= image.message(raw.input);
      return input;
    },
    get output() {
      output ??= image.message(raw.output);
      return output;
    },
    get isFreeOfEffects() {
      return numberOf(all, 34) === 1;
    },
  };
}

/** Names of enum values that every object has as a property. */
const PROPERTIES_OF_OBJECTS = new Set(['constructor', 'toString', 'toJSON', 'valueOf']);

/** @param bytes encoded EnumDescriptorProto @param scope package or message in which it is declared */
function readEnum(bytes: Uint8Array, scope: string): DescEnum {
  const name = textOf(bytes, 1);
  const declared = bytesOf(bytes, 2).map((each) => ({ name: textOf(each, 1), number: numberOf(each, 2) ?? 0 }));
  const prefix = `${name.replace(/(?<=.)[A-Z]/g, '_$&').toLowerCase()}_`;
  const isShared = declared.every((each) => each.name.toLowerCase().startsWith(prefix) && /^\D/.test(each.name.slice(prefix.length)));
  const values = declared.map((each) => {
    const rest = isShared ? each.name.slice(prefix.length) : each.name;
    return { ...each, localName: PROPERTIES_OF_OBJECTS.has(rest) ? `${rest}$` : rest };
  });
  const value: Record<number, DescEnumValue> = {};
  for (const each of values) value[each.number] ??= each;
  return { name, typeName: qualified(scope, name), values, value };
}
