import { type ByteWriter, type Codec, DecodeError } from './codec.js';

/** Bitcoin's VARINT: base 128, most significant group first, each continuation adds one. Up to 2^53 - 1. */
export const varInt: Codec<number> = {
  write(w, v) {
    if (v >= 128) writeContinued(w, Math.floor(v / 128) - 1);
    w.u8(v % 128);
  },
  read(r) {
    let value = 0;
    for (;;) {
      const group = r.u8();
      value = value * 128 + (group & 0x7f);
      if (value > Number.MAX_SAFE_INTEGER) throw new DecodeError('ReadVarInt(): size too large');
      if ((group & 0x80) === 0) return value;
      value += 1;
    }
  },
};

/** Size of a VARINT, bytes. */
export function varIntLength(value: number): number {
  let size = 1;
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128) - 1) size += 1;
  return size;
}

/** VARINT of up to 32 bits. */
export const varInt32: Codec<number> = {
  write: (w, v) => varInt.write(w, v),
  read(r) {
    const value = varInt.read(r);
    if (value > 0xffffffff) throw new DecodeError('ReadVarInt(): size too large');
    return value;
  },
};

/** Writes the groups of a VARINT before the last one. */
function writeContinued(w: ByteWriter, groups: number): void {
  if (groups >= 128) writeContinued(w, Math.floor(groups / 128) - 1);
  w.u8((groups % 128) | 0x80);
}
