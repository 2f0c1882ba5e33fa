import type { Codec } from '../../primitives/codec.js';
import { type InventoryItem, inventoryItem } from './inventory.js';
import { limitedList } from './limits.js';

/** Asks for what an inventory announced. */
export const getdata: Codec<readonly InventoryItem[]> = limitedList(inventoryItem, 'getdata');
