import { toHex } from '../util/bytes.js';
import { type Codec, u32 } from './codec.js';
import { type Hash256, hash256, isNullHash, NULL_HASH } from './hash.js';

/** One output of one transaction. */
export interface OutPoint {
  readonly txid: Hash256;
  readonly vout: number;
}

/** 36 bytes: txid in wire order, then the index. */
export const outPoint: Codec<OutPoint> = {
  write(w, { txid, vout }) {
    hash256.write(w, txid);
    u32.write(w, vout);
  },
  read: (r) => ({ txid: hash256.read(r), vout: u32.read(r) }),
};

/** Key of an output in maps: txid in wire order as hex, then the index. */
export function pointKey({ txid, vout }: OutPoint): string {
  return `${toHex(txid)}${vout}`;
}

/** Input of a coinbase. */
export const NULL_OUTPOINT: OutPoint = { txid: NULL_HASH, vout: 0xffffffff };

export function isNullOutPoint(point: OutPoint): boolean {
  return point.vout === 0xffffffff && isNullHash(point.txid);
}
