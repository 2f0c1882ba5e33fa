import { JsonObject, type JsonValue, kindOf } from '../../util/json.js';
import { invalid, OceanError, OperationFailed } from '../api/errors.js';
import { pathText } from '../api/request.js';
import { type OceanRequest, post, type Route } from '../api/route.js';
import type { Operations } from '../node/operations.js';

/** Operations that any client may call. */
const PUBLIC_OPERATIONS: ReadonlySet<string> = new Set([
  'getblockchaininfo',
  'getblockhash',
  'getblockcount',
  'getblock',
  'getblockstats',
  'getgov',
  'validateaddress',
  'listcommunitybalances',
  'getaccounthistory',
  'getfutureswapblock',
  'getpendingfutureswaps',
  'sendrawtransaction',
  'getrawtransaction',
  'getgovproposal',
  'listgovproposals',
  'listgovproposalvotes',
  'vmmap',
  'gettxout',
]);

const REFUSAL = 'RPC method not whitelisted';

/** Operations of the node with the texts of their numbers. @see docs/protocol/ocean.md 2.14 */
export const rpcRoutes: readonly Route[] = [
  post('rpc', async ({ operations }, request) => {
    const method = member(request, 'method');
    if (typeof method !== 'string' || !PUBLIC_OPERATIONS.has(method)) {
      throw invalid({ property: 'method', value: typeof method === 'string' ? method : undefined, constraints: [REFUSAL] });
    }
    return { body: await jsonRpcAnswer(operations, method, paramsOf(request)) };
  }),
  post('rpc/{method}', async ({ operations }, request) => {
    const method = pathText(request, 'method');
    if (!PUBLIC_OPERATIONS.has(method)) throw new OceanError('Forbidden', REFUSAL);
    return { body: `{"data":${await operations.callRaw(method, paramsOf(request))}}` };
  }),
];

function member({ body }: OceanRequest, name: string): JsonValue | undefined {
  return body instanceof JsonObject ? body.get(name) : undefined;
}

/** Arguments of the body; none if it has no `params`. @throws {OceanError} if they are no array */
function paramsOf(request: OceanRequest): readonly JsonValue[] {
  const params = member(request, 'params') ?? null;
  if (params === null) return [];
  if (Array.isArray(params)) return params;
  throw invalid({ property: 'params', value: kindOf(params), constraints: ['params must be an array'] });
}

/** Answer of JSON-RPC, whose errors are part of it. */
async function jsonRpcAnswer(operations: Operations, method: string, params: readonly JsonValue[]): Promise<string> {
  try {
    return `{"result":${await operations.callRaw(method, params)},"error":null,"id":null}`;
  } catch (error) {
    if (!(error instanceof OperationFailed)) throw error;
    return JSON.stringify({ result: null, error: { code: error.code, message: error.message }, id: null });
  }
}
