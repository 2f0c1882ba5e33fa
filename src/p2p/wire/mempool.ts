import { empty } from './empty.js';

/** Asks for an inventory of the pool (BIP35). */
export const mempool = empty;
