import { Reader } from '../api/json.js';
import { queryInteger } from '../api/request.js';
import { get, type Route } from '../api/route.js';

/** Blocks until confirmation if a client names none. */
const DEFAULT_TARGET = 10;
/** DFI per 1,000 virtual bytes without an estimate. */
const DEFAULT_RATE = 0.00005;

/** Fee rates. @see docs/protocol/ocean.md 2.4 */
export const feeRoutes: readonly Route[] = [
  get('fee/estimate', async ({ operations }, request) => {
    const target = queryInteger(request, 'confirmationTarget', DEFAULT_TARGET);
    const rate = new Reader(await operations.call('estimatesmartfee', target, 'CONSERVATIVE')).get('feerate');
    return { data: rate.isThere ? rate.number() : DEFAULT_RATE };
  }),
];
