import { decodeHuffman } from './huffman.js';

/** Names and values of a header block, by turns, in latin1. */
export type Fields = readonly string[];

/** The static table of RFC 7541 appendix A: names, with the values that entries have. */
const STATIC: readonly (readonly [string, string])[] = (
  ':authority|:method=GET|:method=POST|:path=/|:path=/index.html|:scheme=http|:scheme=https|:status=200|:status=204|:status=206|' +
  ':status=304|:status=400|:status=404|:status=500|accept-charset|accept-encoding=gzip, deflate|accept-language|accept-ranges|accept|' +
  'access-control-allow-origin|age|allow|authorization|cache-control|content-disposition|content-encoding|content-language|' +
  'content-length|content-location|content-range|content-type|cookie|date|etag|expect|expires|from|host|if-match|if-modified-since|' +
  'if-none-match|if-range|if-unmodified-since|last-modified|link|location|max-forwards|proxy-authenticate|proxy-authorization|range|' +
  'referer|refresh|retry-after|server|set-cookie|strict-transport-security|transfer-encoding|user-agent|vary|via|www-authenticate'
)
  .split('|')
  .map((entry) => {
    const [name = '', value = ''] = entry.split('=');
    return [name, value];
  });

/** Default of SETTINGS_HEADER_TABLE_SIZE, which our server keeps. */
const MAX_TABLE_BYTES = 4096;
/** Size of an entry of the table besides its texts. @see RFC 7541 4.1 */
const ENTRY_BYTES = 32;
/** Maximum size of a decoded block, by the same measure. */
const MAX_BLOCK_BYTES = 64 * 1024;

/** Decodes the header blocks that one client sends, all of them and in order. @see RFC 7541 */
export class HeaderDecoder {
  /** Changes with each change of the table: until then equal blocks have equal fields. */
  changes = 0;
  /** Oldest first. */
  readonly #table: (readonly [string, string])[] = [];
  #bytes = 0;
  #maxBytes = MAX_TABLE_BYTES;
  #block: Uint8Array = new Uint8Array();
  #at = 0;

  /** @returns undefined for a block that is malformed or too long, after which no further block can be decoded */
  decode(block: Uint8Array): Fields | undefined {
    this.#block = block;
    this.#at = 0;
    const fields: string[] = [];
    let bytes = 0;
    while (this.#at < block.length) {
      const first = block[this.#at] as number;
      if (first >= 0x20 && first < 0x40) {
        if (fields.length > 0 || !this.#resize()) return undefined;
        continue;
      }
      const field = first >= 0x80 ? this.#indexed() : this.#literal(first);
      if (!field) return undefined;
      bytes += sizeOf(field);
      if (bytes > MAX_BLOCK_BYTES) return undefined;
      fields.push(field[0], field[1]);
    }
    return fields;
  }

  #indexed(): readonly [string, string] | undefined {
    const index = this.#integer(7);
    return index === undefined ? undefined : this.#entry(index);
  }

  #literal(first: number): readonly [string, string] | undefined {
    const isKept = first >= 0x40;
    const index = this.#integer(isKept ? 6 : 4);
    if (index === undefined) return undefined;
    const name = index === 0 ? this.#text() : this.#entry(index)?.[0];
    const value = name === undefined ? undefined : this.#text();
    if (name === undefined || value === undefined) return undefined;
    const field = [name, value] as const;
    if (isKept) this.#keep(field);
    return field;
  }

  #entry(index: number): readonly [string, string] | undefined {
    return index <= STATIC.length ? STATIC[index - 1] : this.#table[this.#table.length - (index - STATIC.length)];
  }

  #keep(field: readonly [string, string]): void {
    this.changes += 1;
    this.#table.push(field);
    this.#bytes += sizeOf(field);
    this.#evict();
  }

  #resize(): boolean {
    const size = this.#integer(5);
    if (size === undefined || size > MAX_TABLE_BYTES) return false;
    this.changes += 1;
    this.#maxBytes = size;
    this.#evict();
    return true;
  }

  #evict(): void {
    while (this.#bytes > this.#maxBytes) this.#bytes -= sizeOf(this.#table.shift() as readonly [string, string]);
  }

  /** @returns undefined for an integer that is incomplete or needs more than three bytes after the first */
  #integer(prefixBits: number): number | undefined {
    const mask = (1 << prefixBits) - 1;
    let value = (this.#block[this.#at++] as number) & mask;
    if (value < mask) return value;
    for (let shift = 0; shift < 21; shift += 7) {
      const byte = this.#block[this.#at++];
      if (byte === undefined) return undefined;
      value += (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    return undefined;
  }

  #text(): string | undefined {
    const first = this.#block[this.#at];
    const length = first === undefined ? undefined : this.#integer(7);
    if (first === undefined || length === undefined) return undefined;
    const from = this.#at;
    this.#at += length;
    if (this.#at > this.#block.length) return undefined;
    if (first >= 0x80) return decodeHuffman(this.#block, from, this.#at);
    return Buffer.from(this.#block.buffer, this.#block.byteOffset + from, length).toString('latin1');
  }
}

function sizeOf([name, value]: readonly [string, string]): number {
  return name.length + value.length + ENTRY_BYTES;
}

/** A header block that changes no table and can be decoded with any. */
export function encodeFields(fields: Fields): Buffer {
  const parts: Buffer[] = [];
  for (let i = 0; i < fields.length; i += 2) {
    parts.push(Buffer.of(0), encodeText(fields[i] as string), encodeText(fields[i + 1] as string));
  }
  return Buffer.concat(parts);
}

function encodeText(text: string): Buffer {
  const length: number[] = [];
  if (text.length < 0x7f) length.push(text.length);
  else {
    length.push(0x7f);
    let rest = text.length - 0x7f;
    for (; rest >= 0x80; rest >>>= 7) length.push((rest & 0x7f) | 0x80);
    length.push(rest);
  }
  return Buffer.concat([Buffer.from(length), Buffer.from(text, 'latin1')]);
}
