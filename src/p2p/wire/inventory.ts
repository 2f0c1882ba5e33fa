import { type Codec, struct, u32 } from '../../primitives/codec.js';
import { type Hash256, hash256 } from '../../primitives/hash.js';
import { limitedList } from './limits.js';

/** Types of inventory items. Items of other types are ignored. */
export const InvType = {
  tx: 1,
  block: 2,
  filteredBlock: 3,
  compactBlock: 4,
  anchorAuth: 5,
  /** Earlier form of anchor confirm messages; ignored. */
  oldAnchorConfirm: 6,
  anchorConfirm: 7,
  witnessTx: 0x40000001,
  witnessBlock: 0x40000002,
  witnessFilteredBlock: 0x40000003,
} as const;

/** Bit of a type in `getdata`: send the transaction or block with witness data. */
export const WITNESS_FLAG = 0x40000000;

/** Type (`InvType`) and hash of a block, transaction or anchor message. */
export interface InventoryItem {
  readonly type: number;
  readonly hash: Hash256;
}

const INVENTORY_ITEM_SIZE = 36;
const inventoryItem: Codec<InventoryItem> = struct<InventoryItem>({ type: u32, hash: hash256 });

/** Announces blocks, transactions or anchor messages that the sender has. */
export const inv: Codec<readonly InventoryItem[]> = limitedList(inventoryItem, 'inv', INVENTORY_ITEM_SIZE);
/** Requests announced items. */
export const getdata: Codec<readonly InventoryItem[]> = limitedList(inventoryItem, 'getdata', INVENTORY_ITEM_SIZE);
/** Lists requested items that the sender does not have. */
export const notfound: Codec<readonly InventoryItem[]> = limitedList(inventoryItem, 'notfound', INVENTORY_ITEM_SIZE);

/** Returns true for a transaction, with or without witness data. */
export function isTransaction({ type }: InventoryItem): boolean {
  return (type & ~WITNESS_FLAG) === InvType.tx;
}

/** Inventory items of one type, in the order of the hashes. */
export function itemsOf(type: number, hashes: readonly Hash256[]): InventoryItem[] {
  return hashes.map((hash) => ({ type, hash }));
}
