import type { DescField, DescMessage, DescMethod } from '@bufbuild/protobuf';
import { BinaryReader } from '@bufbuild/protobuf/wire';

/**
 * Comments of proto elements by `<file>:<path>`, read from an image with source info. The image is parsed by hand: decoding 300 kB of
 * source positions by reflection would delay the usage error of a call with a wrong number of arguments.
 */
export class Comments {
  readonly #text = new Map<string, string>();

  constructor(image: Uint8Array) {
    eachField(image, (field, reader) => {
      if (field !== 1) return false;
      this.#readFile(reader.bytes());
      return true;
    });
  }

  /** Comment of an element; empty if it has none. */
  of(desc: DescMethod | DescField | DescMessage): string {
    return this.#text.get(keyOf(desc)) ?? '';
  }

  /** True if the proto file gives a `json_name` for the field. */
  hasJsonName(field: DescField): boolean {
    return this.#text.has(`${keyOf(field)},10`);
  }

  #readFile(file: Uint8Array): void {
    let name = '';
    eachField(file, (field, reader) => {
      if (field === 1) name = reader.string();
      else if (field === 9) {
        eachField(reader.bytes(), (inner, source) => {
          if (inner !== 1) return false;
          this.#readLocation(name, source.bytes());
          return true;
        });
      } else return false;
      return true;
    });
  }

  #readLocation(file: string, location: Uint8Array): void {
    const path: number[] = [];
    let leading = '';
    eachField(location, (field, reader) => {
      if (field === 1) {
        const end = reader.uint32() + reader.pos;
        while (reader.pos < end) path.push(reader.int32());
      } else if (field === 3) leading = reader.string();
      else return false;
      return true;
    });
    // Other positions are not needed. Path element 10 is `json_name`.
    if (leading !== '' || path.at(-1) === 10) this.#text.set(`${file}:${path.join(',')}`, tidy(leading));
  }
}

/** Calls `visit` with the number of each field. It reads the value and returns true; the value is skipped if it returns false. */
function eachField(bytes: Uint8Array, visit: (field: number, reader: BinaryReader) => boolean): void {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    if (!visit(field, reader)) reader.skip(wireType);
  }
}

/** Strips the blank that follows `//` from each line of a comment. */
function tidy(comment: string): string {
  return comment
    .split('\n')
    .map((line) => line.replace(/^ /, '').trimEnd())
    .join('\n')
    .trim();
}

function keyOf(desc: DescMethod | DescField | DescMessage): string {
  return `${desc.kind === 'rpc' ? desc.parent.file.proto.name : fileOf(desc)}:${pathOf(desc).join(',')}`;
}

function fileOf(desc: DescField | DescMessage): string {
  return desc.kind === 'message' ? desc.file.proto.name : desc.parent.file.proto.name;
}

/** Path of an element in its FileDescriptorProto: field numbers and positions, as in `SourceCodeInfo.Location`. */
function pathOf(desc: DescMethod | DescField | DescMessage): number[] {
  switch (desc.kind) {
    case 'rpc':
      return [6, desc.parent.file.proto.service.indexOf(desc.parent.proto), 2, desc.parent.proto.method.indexOf(desc.proto)];
    case 'field':
      return [...pathOf(desc.parent), 2, desc.parent.proto.field.indexOf(desc.proto)];
    default:
      return desc.parent
        ? [...pathOf(desc.parent), 3, desc.parent.proto.nestedType.indexOf(desc.proto)]
        : [4, desc.file.proto.messageType.indexOf(desc.proto)];
  }
}
