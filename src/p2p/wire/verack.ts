import { empty } from './empty.js';

/** The other side's version was accepted. */
export const verack = empty;
