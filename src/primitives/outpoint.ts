import { struct, u32 } from './codec.js';
import { type Hash256, hash256, isNullHash, NULL_HASH } from './hash.js';

/** One output of one transaction. */
export interface OutPoint {
  readonly txid: Hash256;
  readonly vout: number;
}

/** 36 bytes: txid in wire order, then the index. */
export const outPoint = struct<OutPoint>({ txid: hash256, vout: u32 });

/** What a coinbase spends. */
export const NULL_OUTPOINT: OutPoint = { txid: NULL_HASH, vout: 0xffffffff };

export function isNullOutPoint(point: OutPoint): boolean {
  return point.vout === 0xffffffff && isNullHash(point.txid);
}
