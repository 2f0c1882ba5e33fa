import { locatorRequest } from './locator.js';

/** Asks for an inventory of up to 500 blocks. */
export const getblocks = locatorRequest;
