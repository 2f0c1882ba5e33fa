/** Bytes that are not a canonical encoding of the expected type. */
export class DecodeError extends Error {
  override name = 'DecodeError';
}

/** A value that does not fit its format, such as an integer beyond the size of its field. */
export class EncodeError extends RangeError {
  override name = 'EncodeError';
}

/** Encoder and decoder of a byte format. */
export interface Codec<T> {
  /** @throws {EncodeError} if the value does not fit; {@link encode} converts range errors of the writer to it */
  write(w: ByteWriter, value: T): void;
  /** @throws {DecodeError} on truncated or non-canonical input */
  read(r: ByteReader): T;
}

/** Maximum bytes or elements of a list (`MAX_SIZE` of Bitcoin Core). */
export const MAX_SIZE = 0x08000000;

const MAX_U64 = 2n ** 64n - 1n;
const MAX_I64 = 2n ** 63n - 1n;
const MIN_I64 = -(2n ** 63n);

/** Shared memory for numbers of 8 bytes: the methods of `Buffer` for them make several bigints of each. */
const word = new DataView(new ArrayBuffer(8));

/** Reads little-endian values from a byte array without copying it. */
export class ByteReader {
  readonly #buffer: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#buffer = bytes;
  }

  get position(): number {
    return this.#at;
  }

  get remaining(): number {
    return this.#buffer.length - this.#at;
  }

  #take(size: number): number {
    const at = this.#at;
    if (size > this.#buffer.length - at) throw new DecodeError('end of data');
    this.#at = at + size;
    return at;
  }

  /** Four bytes at a position that is known to be inside, as a signed number. */
  #i32At(at: number): number {
    const bytes = this.#buffer;
    return (bytes[at] as number) | ((bytes[at + 1] as number) << 8) | ((bytes[at + 2] as number) << 16) | ((bytes[at + 3] as number) << 24);
  }

  #readWord(): void {
    const at = this.#take(8);
    word.setInt32(0, this.#i32At(at), true);
    word.setInt32(4, this.#i32At(at + 4), true);
  }

  /** A view that is a `Buffer`: `Buffer.from` makes it in half the time of `subarray`. */
  #view(from: number, to: number): Uint8Array {
    const { buffer, byteOffset } = this.#buffer;
    return Buffer.from(buffer, byteOffset + from, to - from);
  }

  u8(): number {
    return this.#buffer[this.#take(1)] as number;
  }
  u16(): number {
    const at = this.#take(2);
    return (this.#buffer[at] as number) | ((this.#buffer[at + 1] as number) << 8);
  }
  u32(): number {
    return this.#i32At(this.#take(4)) >>> 0;
  }
  i32(): number {
    return this.#i32At(this.#take(4));
  }
  u64(): bigint {
    this.#readWord();
    return word.getBigUint64(0, true);
  }
  i64(): bigint {
    this.#readWord();
    return word.getBigInt64(0, true);
  }
  /** Reads a view of the next `size` bytes, which shares memory with the input. */
  bytes(size: number): Uint8Array {
    const at = this.#take(size);
    return this.#view(at, at + size);
  }
  /** Moves on without making a view. */
  skip(size: number): void {
    this.#take(size);
  }
  /** A view of the bytes read since position `from`. */
  since(from: number): Uint8Array {
    return this.#view(from, this.#at);
  }
  /** Resets the position to an earlier one. */
  rewind(to: number): void {
    this.#at = to;
  }
}

/** Writes little-endian values into a buffer that grows. */
export class ByteWriter {
  #buffer: Buffer;
  #at = 0;
  /** Views of the buffer, by length. */
  #views: Uint8Array[] = [];

  constructor(sizeHint = 256) {
    this.#buffer = Buffer.allocUnsafe(sizeHint);
  }

  /** Reserves space and returns its start. May replace the buffer, so it must be called before the buffer is accessed. */
  #room(size: number): number {
    const at = this.#at;
    if (at + size > this.#buffer.length) {
      const grown = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, at + size));
      this.#buffer.copy(grown, 0, 0, at);
      this.#buffer = grown;
      this.#views = [];
    }
    this.#at = at + size;
    return at;
  }

  u8(value: number): void {
    const at = this.#room(1);
    this.#buffer[at] = value;
  }
  u16(value: number): void {
    const at = this.#room(2);
    this.#buffer.writeUInt16LE(value, at);
  }
  u32(value: number): void {
    const at = this.#room(4);
    this.#buffer.writeUInt32LE(value, at);
  }
  i32(value: number): void {
    const at = this.#room(4);
    this.#buffer.writeInt32LE(value, at);
  }
  u64(value: bigint): void {
    if (value < 0n || value > MAX_U64) throw new EncodeError(`${value} is not an unsigned number of 64 bits`);
    word.setBigUint64(0, value, true);
    this.#writeWord();
  }
  i64(value: bigint): void {
    if (value < MIN_I64 || value > MAX_I64) throw new EncodeError(`${value} is not a number of 64 bits`);
    word.setBigInt64(0, value, true);
    this.#writeWord();
  }
  #writeWord(): void {
    const at = this.#room(8);
    const buffer = this.#buffer;
    for (let i = 0; i < 8; i++) buffer[at + i] = word.getUint8(i);
  }
  bytes(value: Uint8Array): void {
    const at = this.#room(value.length);
    this.#buffer.set(value, at);
  }
  /** Writes a text of one char per byte. */
  latin1(text: string): void {
    const at = this.#room(text.length);
    this.#buffer.write(text, at, 'latin1');
  }
  /** Copy of the bytes written so far. */
  finish(): Uint8Array {
    return Uint8Array.prototype.slice.call(this.#buffer, 0, this.#at);
  }
  /** View of the bytes written so far, until the next one is written. Views of short values are made once for each length. */
  view(): Uint8Array {
    const size = this.#at;
    if (size > KEPT_VIEWS) return this.#buffer.subarray(0, size);
    const view = this.#views[size] ?? this.#buffer.subarray(0, size);
    this.#views[size] = view;
    return view;
  }
  /** The bytes written so far, as a string of one char per byte. */
  text(): string {
    return this.#buffer.toString('latin1', 0, this.#at);
  }
  /** Resets to empty, and releases the buffer of a large value. */
  reset(): void {
    this.#at = 0;
    if (this.#buffer.length <= KEPT_BYTES) return;
    this.#buffer = Buffer.allocUnsafeSlow(SCRATCH_BYTES);
    this.#views = [];
  }
}

const SCRATCH_BYTES = 4096;
const KEPT_BYTES = 1 << 18;
/** Size up to which views are kept. */
const KEPT_VIEWS = 512;
/** Shared buffer for encoding, as values are small and frequent: only results are allocated. */
const scratch = new ByteWriter(SCRATCH_BYTES);
let scratchInUse = false;

/** Writes a value to the shared buffer and returns the result of `take`. Nested calls use a buffer of their own. */
function written<T, R>(codec: Codec<T>, value: T, take: (w: ByteWriter) => R): R {
  if (scratchInUse) {
    const w = new ByteWriter();
    codec.write(w, value);
    return take(w);
  }
  scratchInUse = true;
  try {
    scratch.reset();
    encodeInto(scratch, codec, value);
    return take(scratch);
  } finally {
    scratchInUse = false;
  }
}

/** Appends a value to the bytes of a writer. @throws {EncodeError} if it does not fit */
export function encodeInto<T>(w: ByteWriter, codec: Codec<T>, value: T): void {
  try {
    codec.write(w, value);
  } catch (error) {
    throw isOutOfRange(error) ? new EncodeError(error.message, { cause: error }) : error;
  }
}

/** True for the error of Node's `Buffer` for an integer out of range. */
function isOutOfRange(error: unknown): error is RangeError {
  return error instanceof RangeError && (error as NodeJS.ErrnoException).code === 'ERR_OUT_OF_RANGE';
}

const finish = (w: ByteWriter): Uint8Array => w.finish();
const text = (w: ByteWriter): string => w.text();

/** Encodes a value. @throws {EncodeError} if it does not fit */
export function encode<T>(codec: Codec<T>, value: T): Uint8Array {
  return written(codec, value, finish);
}

/** Encodes a value to a string of one char per byte. */
export function encodeText<T>(codec: Codec<T>, value: T): string {
  return written(codec, value, text);
}

/** Decodes all bytes. @throws {DecodeError} if they are malformed or have trailing data */
export function decode<T>(codec: Codec<T>, bytes: Uint8Array): T {
  const r = new ByteReader(bytes);
  const value = codec.read(r);
  if (r.remaining > 0) throw new DecodeError(`excess ${r.remaining} bytes`);
  return value;
}

/** Unsigned byte. */
export const u8: Codec<number> = { write: (w, v) => w.u8(v), read: (r) => r.u8() };
/** 2 bytes, unsigned, little-endian. */
export const u16: Codec<number> = { write: (w, v) => w.u16(v), read: (r) => r.u16() };
/** 4 bytes, unsigned, little-endian. */
export const u32: Codec<number> = { write: (w, v) => w.u32(v), read: (r) => r.u32() };
/** 4 bytes, two's complement, little-endian. */
export const i32: Codec<number> = { write: (w, v) => w.i32(v), read: (r) => r.i32() };
/** 8 bytes, unsigned, little-endian. */
export const u64: Codec<bigint> = { write: (w, v) => w.u64(v), read: (r) => r.u64() };
/** 8 bytes, two's complement, little-endian. */
export const i64: Codec<bigint> = { write: (w, v) => w.i64(v), read: (r) => r.i64() };

/** Big-endian, so that the order of keys is the order of numbers. */
export const u32be: Codec<number> = {
  write(w, v) {
    w.u8(v >>> 24);
    w.u8((v >>> 16) & 0xff);
    w.u8((v >>> 8) & 0xff);
    w.u8(v & 0xff);
  },
  read(r) {
    const [a = 0, b = 0, c = 0, d = 0] = r.bytes(4);
    return ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;
  },
};

export const bool: Codec<boolean> = { write: (w, v) => w.u8(v ? 1 : 0), read: (r) => r.u8() !== 0 };

/** Bitcoin's CompactSize: 1, 3, 5 or 9 bytes, shortest form only, at most `MAX_SIZE`. */
export const compactSize: Codec<number> = {
  write(w, v) {
    if (v < 0xfd) w.u8(v);
    else if (v <= 0xffff) {
      w.u8(0xfd);
      w.u16(v);
    } else {
      w.u8(0xfe);
      w.u32(v);
    }
  },
  read(r) {
    const first = r.u8();
    if (first < 0xfd) return first;
    const [value, least] = first === 0xfd ? [r.u16(), 0xfd] : first === 0xfe ? [r.u32(), 0x10000] : [Number(r.u64()), 0x100000000];
    if (value < least) throw new DecodeError('non-canonical ReadCompactSize()');
    if (value > MAX_SIZE) throw new DecodeError('ReadCompactSize(): size too large');
    return value;
  },
};

/** CompactSize length, then that many bytes. */
export const varBytes: Codec<Uint8Array> = {
  write(w, v) {
    compactSize.write(w, v.length);
    w.bytes(v);
  },
  read: (r) => r.bytes(compactSize.read(r)),
};

/** UTF-8 text with a CompactSize length in bytes. */
export const varString: Codec<string> = {
  write: (w, v) => varBytes.write(w, Buffer.from(v, 'utf8')),
  read: (r) => Buffer.from(varBytes.read(r)).toString('utf8'),
};

/** Exactly `size` bytes. */
export function fixedBytes(size: number): Codec<Uint8Array> {
  return {
    write(w, v) {
      if (v.length !== size) throw new EncodeError(`${v.length} bytes where ${size} belong`);
      w.bytes(v);
    },
    read: (r) => r.bytes(size),
  };
}

/** All remaining bytes. */
export const restBytes: Codec<Uint8Array> = { write: (w, v) => w.bytes(v), read: (r) => r.bytes(r.remaining) };

/** CompactSize count, then the elements. */
export function list<T>(element: Codec<T>): Codec<readonly T[]> {
  return {
    write(w, values) {
      compactSize.write(w, values.length);
      for (const value of values) element.write(w, value);
    },
    read(r) {
      const count = compactSize.read(r);
      const values: T[] = [];
      for (let i = 0; i < count; i++) values.push(element.read(r));
      return values;
    },
  };
}

/** A flag byte, then the value if there is one. */
export function optional<T>(codec: Codec<T>): Codec<T | undefined> {
  return {
    write(w, value) {
      bool.write(w, value !== undefined);
      if (value !== undefined) codec.write(w, value);
    },
    read: (r) => (bool.read(r) ? codec.read(r) : undefined),
  };
}

/** Fields in the listed order. */
export function struct<T extends object>(fields: { readonly [K in keyof T]: Codec<T[K]> }): Codec<T> {
  const names = Object.keys(fields) as (keyof T)[];
  return {
    write(w, value) {
      for (const name of names) fields[name].write(w, value[name]);
    },
    read(r) {
      const value: Partial<T> = {};
      for (const name of names) value[name] = fields[name].read(r);
      return value as T;
    },
  };
}

/** A format mapped to another type. */
export function mapped<A, B>(codec: Codec<A>, to: (a: A) => B, from: (b: B) => A): Codec<B> {
  return { write: (w, v) => codec.write(w, from(v)), read: (r) => to(codec.read(r)) };
}
