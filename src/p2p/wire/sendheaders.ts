import { empty } from './empty.js';

/** Asks to be told of new blocks by their headers (BIP130). */
export const sendheaders = empty;
