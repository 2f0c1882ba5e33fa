import type { Codec } from '../../primitives/codec.js';
import { type InventoryItem, inventoryItem } from './inventory.js';
import { limitedList } from './limits.js';

/** Announces what the sender has. */
export const inv: Codec<readonly InventoryItem[]> = limitedList(inventoryItem, 'inv');
