import { empty } from './empty.js';

/** Drops the filter: all transactions again (BIP37). */
export const filterclear = empty;
