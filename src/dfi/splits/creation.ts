import { BlockInvalid } from '../../consensus/errors.js';
import { isActive, type NetworkParams } from '../../params/network.js';
import { ByteReader, ByteWriter, DecodeError } from '../../primitives/codec.js';
import type { Hash256 } from '../../primitives/hash.js';
import { NULL_OUTPOINT } from '../../primitives/outpoint.js';
import { makeTransaction, type Transaction, TX_VERSION_TOKENS } from '../../primitives/transaction.js';
import { type Marker, markerPayload } from '../../script/marker.js';
import { Op } from '../../script/opcodes.js';
import { buildScript, scriptNumber } from '../../script/script.js';
import type { StateView } from '../../storage/view.js';
import { concatBytes } from '../../util/bytes.js';
import type { AttributeSource } from '../attributes/attributes.js';
import { letter } from '../attributes/key.js';
import type { SplitCreation, SplitOrder } from '../context/split-creation.js';
import { pools } from '../pools/columns.js';
import { getToken, isDestroyed } from '../tokens/columns.js';

/** Key of the splits of a height. */
export function splitsKey(height: number) {
  return { type: letter('o'), id: letter('a'), key: height, keyId: 0 };
}

/** Splits of a height, ascending by token. */
export function splitOrders(source: AttributeSource, height: number): readonly SplitOrder[] {
  const found = source.get(splitsKey(height));
  if (found?.form !== 'splits' && found?.form !== 'fractions') return [];
  const isFraction = found.form === 'fractions';
  return found.value.map(({ id, multiplier }) => ({ tokenId: id, multiplier: { value: multiplier, isFraction } }));
}

/** Pools of a token that live, ascending. */
export function poolsOfToken(view: StateView, tokenId: number): number[] {
  const lives = (id: number) => {
    const token = getToken(view, id);
    return token !== undefined && !isDestroyed(token);
  };
  const found: number[] = [];
  for (const { id, pool } of pools(view)) {
    if ((pool.tokenA === tokenId || pool.tokenB === tokenId) && lives(pool.tokenA) && lives(pool.tokenB)) found.push(id);
  }
  return found;
}

const MARKER: Marker = 'DfTS';

export interface CreationOutput {
  /** 0 the token, from 1 on its pools. */
  readonly position: number;
  readonly tokenId: number;
  readonly multiplier: bigint;
}

/**
 * What transactions say of successors.
 * @param readMultiplier splits read it in 4 bytes, also where 8 were written: then only its low half counts
 */
export function creationOutputs(
  transactions: readonly Transaction[],
  readMultiplier: (r: ByteReader) => bigint,
): readonly (CreationOutput & { readonly txid: Hash256 })[] {
  return transactions.flatMap(({ txid, vout }) => {
    const found = vout[0] && markerPayload(vout[0].scriptPubKey, MARKER);
    if (!found) return [];
    const r = new ByteReader(found.payload);
    try {
      return [{ position: r.u32(), tokenId: r.u32(), multiplier: readMultiplier(r), txid }];
    } catch (error) {
      if (error instanceof DecodeError) return [];
      throw error;
    }
  });
}

/**
 * Finds what splits need among the transactions of their block.
 * @throws {BlockInvalid} if the minter left something out
 * @see docs/protocol/defi.md 9.2
 */
export function requireSplitCreations(
  view: StateView,
  transactions: readonly Transaction[],
  orders: readonly SplitOrder[],
): readonly SplitCreation[] {
  const offered = creationOutputs(transactions, (r) => BigInt(r.i32()));
  return orders.map((order) => {
    const own = offered.filter(({ tokenId, multiplier }) => tokenId === order.tokenId && multiplier === order.multiplier.value);
    const token = own.findLast(({ position }) => position === 0)?.txid;
    if (!token) throw new BlockInvalid('bad-cb-token-split', 'consensus', 'coinbase missing split token creation TX');
    const forPools = own.filter(({ position }) => position > 0);
    const ids = poolsOfToken(view, order.tokenId);
    if (forPools.length !== ids.length) {
      throw new BlockInvalid('bad-cb-pool-split', 'consensus', 'coinbase missing split pool creation TX');
    }
    return { ...order, token, pools: ids.map((poolId, i) => ({ poolId, txid: (forPools[i] as { txid: Hash256 }).txid })) };
  });
}

/** What a minter adds to the block of a split. @see docs/protocol/defi.md 9.2 */
export function makeSplitCreations(view: StateView, orders: readonly SplitOrder[], height: number, params: NetworkParams): Transaction[] {
  if (!isActive(params, 'fortCanningCrunch', height)) return [];
  return orders.flatMap((order) => {
    const count = 1 + poolsOfToken(view, order.tokenId).length;
    return Array.from({ length: count }, (_, position) => makeCreation(position, order, height, params));
  });
}

/** A transaction that a successor is named by. @param position 0 a token; above 0 a pool */
export function makeCreation(
  position: number,
  { tokenId, multiplier }: SplitOrder,
  height: number,
  { txFormat }: NetworkParams,
): Transaction {
  const w = new ByteWriter();
  w.bytes(Buffer.from(MARKER, 'latin1'));
  w.u32(position);
  w.u32(tokenId);
  if (multiplier.isFraction) w.i64(multiplier.value);
  else w.i32(Number(multiplier.value));
  const scriptSig = concatBytes(scriptNumber(height), Uint8Array.of(Op.ZERO));
  const fields = {
    version: TX_VERSION_TOKENS,
    vin: [{ prevout: NULL_OUTPOINT, scriptSig, sequence: 0xffffffff, witness: [] }],
    vout: [{ value: 0n, scriptPubKey: buildScript(Op.RETURN, w.finish()), tokenId: 0 }],
    lockTime: 0,
  };
  return makeTransaction(fields, txFormat);
}
