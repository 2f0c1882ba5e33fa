import { locatorRequest } from './locator.js';

/** Asks for up to 2000 headers. With an empty locator: for the one header that `stop` names. */
export const getheaders = locatorRequest;
