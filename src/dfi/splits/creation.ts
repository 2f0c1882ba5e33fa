import { BlockInvalid } from '../../consensus/errors.js';
import { isActive, type NetworkParams } from '../../params/network.js';
import { ByteReader, ByteWriter, DecodeError } from '../../primitives/codec.js';
import type { Hash256 } from '../../primitives/hash.js';
import { type Transaction, TX_VERSION_TOKENS } from '../../primitives/transaction.js';
import { type Marker, markerPayload } from '../../script/marker.js';
import { Op } from '../../script/opcodes.js';
import { buildScript } from '../../script/script.js';
import type { StateView } from '../../storage/view.js';
import type { AttributeSource } from '../attributes/attributes.js';
import { groupCode, typeCode } from '../attributes/lookup.js';
import type { SplitCreation, SplitOrder } from '../context/split-creation.js';
import { makeCoinbaseForm } from '../kernel/coinbase-form.js';
import { pools } from '../pools/columns.js';
import { getToken, isDestroyed } from '../tokens/columns.js';

const ORACLES = typeCode('oracles');
const SPLITS = groupCode('oracles', 'splits');

/** Attribute key of the splits scheduled for a height. */
export function splitsKey(height: number) {
  return { type: ORACLES, id: SPLITS, key: height, keyId: 0 };
}

/** Splits scheduled for a height, ascending by token id. */
export function splitOrders(source: AttributeSource, height: number): readonly SplitOrder[] {
  const found = source.get(splitsKey(height));
  if (found?.kind !== 'splits' && found?.kind !== 'fractions') return [];
  const isFraction = found.kind === 'fractions';
  return found.value.map(({ id, multiplier }) => ({ tokenId: id, multiplier: { value: multiplier, isFraction } }));
}

/** Ids of the pools with a token, ascending; without pools that have a destroyed token. */
function poolsOfToken(view: StateView, tokenId: number): number[] {
  const exists = (id: number) => {
    const token = getToken(view, id);
    return token !== undefined && !isDestroyed(token);
  };
  const found: number[] = [];
  for (const { id, pool } of pools(view)) {
    if ((pool.tokenA === tokenId || pool.tokenB === tokenId) && exists(pool.tokenA) && exists(pool.tokenB)) found.push(id);
  }
  return found;
}

const MARKER: Marker = 'DfTS';

/** Payload of a creation transaction (marker `DfTS`). */
export interface CreationOutput {
  /** 0 for the token, 1 and above for its pools. */
  readonly position: number;
  readonly tokenId: number;
  readonly multiplier: bigint;
}

/**
 * Finds the creation transactions in a block.
 * @param readMultiplier reader of the multiplier. Splits read 4 bytes even of a fraction, which has 8: only its low half counts, as in
 * `defid`
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
 * Assigns the creation transactions of a block to its splits.
 * @throws {BlockInvalid} if one is missing or the number of pools differs
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

/** Creation transactions that a minter adds to the block of a split. @see docs/protocol/defi.md 9.2 */
export function makeSplitCreations(view: StateView, orders: readonly SplitOrder[], height: number, params: NetworkParams): Transaction[] {
  if (!isActive(params, 'fortCanningCrunch', height)) return [];
  return orders.flatMap((order) => {
    const count = 1 + poolsOfToken(view, order.tokenId).length;
    return Array.from({ length: count }, (_, position) => makeCreation(position, order, height, params));
  });
}

/** Makes the transaction whose txid becomes the creation txid of a successor. @param position 0 for a token, above 0 for a pool */
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
  const vout = [{ value: 0n, scriptPubKey: buildScript(Op.RETURN, w.finish()), tokenId: 0 }];
  return makeCoinbaseForm({ version: TX_VERSION_TOKENS, vout }, height, txFormat);
}
