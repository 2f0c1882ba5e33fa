import type { AccessOptions } from '../src/rpc/access.js';

/** No whitelists, and every user is an administrator. */
export const NO_RESTRICTIONS: AccessOptions = { whitelists: [], whitelistDefault: undefined, roles: [] };
