import { empty } from './empty.js';

/** Asks for `addr`. */
export const getaddr = empty;
