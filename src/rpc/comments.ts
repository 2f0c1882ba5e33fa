import type { DescField } from './descriptor-fields.js';
import type { DescMessage, DescMethod } from './descriptors.js';
import { eachField } from './wire-fields.js';

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

  /** Comment of an element for readers of JSON, where amounts are decimal numbers instead of integers in 1e-8. */
  inJson(desc: DescField | DescMessage): string {
    return this.of(desc).replaceAll(/\b([iI])n 1e-8\b/g, (_, first: string) => `${first === 'I' ? 'W' : 'w'}ith eight decimals`);
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

/** Strips the blank that follows `//` from each line of a comment. */
function tidy(comment: string): string {
  return comment
    .split('\n')
    .map((line) => line.replace(/^ /, '').trimEnd())
    .join('\n')
    .trim();
}

function keyOf(desc: DescMethod | DescField | DescMessage): string {
  const { file } = desc.kind === 'message' ? desc : desc.parent;
  return `${file.name}:${pathOf(desc).join(',')}`;
}

/** Path of an element in its FileDescriptorProto: field numbers and positions, as in `SourceCodeInfo.Location`. */
function pathOf(desc: DescMethod | DescField | DescMessage): number[] {
  switch (desc.kind) {
    case 'rpc':
      return [6, desc.parent.index, 2, desc.index];
    case 'field':
      return [...pathOf(desc.parent), 2, desc.index];
    default:
      return desc.parent ? [...pathOf(desc.parent), 3, desc.index] : [4, desc.index];
  }
}
