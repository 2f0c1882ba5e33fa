import type { Codec } from '../../primitives/codec.js';
import { type InventoryItem, inventoryItem } from './inventory.js';
import { limitedList } from './limits.js';

/** Names what was asked for and cannot be sent. */
export const notfound: Codec<readonly InventoryItem[]> = limitedList(inventoryItem, 'notfound');
