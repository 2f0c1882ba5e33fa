import { BinaryReader } from '@bufbuild/protobuf/wire';

/** Calls `visit` with the number of each field. It reads the value and returns true; the value is skipped if it returns false. */
export function eachField(bytes: Uint8Array, visit: (field: number, reader: BinaryReader) => boolean): void {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    if (!visit(field, reader)) reader.skip(wireType);
  }
}

/** Values of a field of bytes or messages. */
export function bytesOf(bytes: Uint8Array, wanted: number): Uint8Array[] {
  const found: Uint8Array[] = [];
  eachField(bytes, (field, reader) => {
    if (field !== wanted) return false;
    found.push(reader.bytes());
    return true;
  });
  return found;
}

/** Value of a field of text; empty if it is not set. */
export function textOf(bytes: Uint8Array, wanted: number): string {
  let found = '';
  eachField(bytes, (field, reader) => {
    if (field !== wanted) return false;
    found = reader.string();
    return true;
  });
  return found;
}

/** Value of a field of a whole number, an enum or a boolean; undefined if it is not set. */
export function numberOf(bytes: Uint8Array, wanted: number): number | undefined {
  let found: number | undefined;
  eachField(bytes, (field, reader) => {
    if (field !== wanted) return false;
    found = reader.int32();
    return true;
  });
  return found;
}

/** Full name of an element. @param scope package or type in which it is declared */
export function qualified(scope: string, name: string): string {
  return scope === '' ? name : `${scope}.${name}`;
}

/** A message whose field occurs several times has all of them. */
export function joined(parts: readonly Uint8Array[]): Uint8Array {
  return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
}
