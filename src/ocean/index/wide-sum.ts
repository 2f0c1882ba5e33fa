import type { Codec } from '../../primitives/codec.js';
import { varInt } from '../../primitives/var-int.js';

/**
 * Sum of amounts in satoshis, which exceeds 64 bits when the same coins move again and again: the lowest 64 bits in 8 bytes, then the
 * others, at most 53, as VARINT.
 */
export const wideSum: Codec<bigint> = {
  write(w, value) {
    w.u64(BigInt.asUintN(64, value));
    varInt.write(w, Number(value >> 64n));
  },
  read: (r) => r.u64() + (BigInt(varInt.read(r)) << 64n),
};
