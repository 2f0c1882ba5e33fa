import { notFound, OperationFailed } from '../api/errors.js';
import { Reader } from '../api/json.js';
import { page } from '../api/page.js';
import { MAX_START, pageOf, pathInteger, queryStart } from '../api/request.js';
import { get, type Route } from '../api/route.js';
import { tokenData } from '../shapes/token.js';

/** Tokens. @see docs/protocol/ocean.md 2.12 */
export const tokenRoutes: readonly Route[] = [
  get('tokens', async ({ operations }, request) => {
    const asked = pageOf(request);
    const start = queryStart(asked, MAX_START);
    const pagination = { start: start ?? 0, including_start: start === undefined, limit: asked.size };
    const tokens = new Reader(await operations.call('listtokens', pagination, true)).members();
    return page(
      tokens,
      asked,
      ([id]) => id,
      ([id, token]) => tokenData(id, token),
    );
  }),
  get('tokens/{id}', async ({ operations }, request) => {
    const id = pathInteger(request, 'id');
    try {
      const [found] = new Reader(await operations.call('gettoken', String(id))).members();
      if (!found) throw notFound('Unable to find token');
      return { data: tokenData(...found) };
    } catch (error) {
      throw error instanceof OperationFailed ? notFound('Unable to find token') : error;
    }
  }),
];
