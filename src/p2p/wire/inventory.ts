import { type Codec, struct, u32 } from '../../primitives/codec.js';
import { type Hash256, hash256 } from '../../primitives/hash.js';

/** What an inventory names. An unknown type is no error: it is passed over. */
export const InvType = {
  tx: 1,
  block: 2,
  filteredBlock: 3,
  compactBlock: 4,
  anchorAuth: 5,
  /** An earlier form of anchor confirms; ignored. */
  oldAnchorConfirm: 6,
  anchorConfirm: 7,
  witnessTx: 0x40000001,
  witnessBlock: 0x40000002,
  witnessFilteredBlock: 0x40000003,
} as const;

/** Set in a type: with witness data. */
export const WITNESS_FLAG = 0x40000000;

export interface InventoryItem {
  readonly type: number;
  readonly hash: Hash256;
}

/** 36 bytes. */
export const inventoryItem: Codec<InventoryItem> = struct<InventoryItem>({ type: u32, hash: hash256 });
