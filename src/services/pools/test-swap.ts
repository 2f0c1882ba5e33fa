import type { TestPoolSwapRequest, TestPoolSwapResponse } from '../../../gen/ts/dfi/node/v1/pools.js';
import { TxRejected } from '../../dfi/kernel/rejected.js';
import { readableText } from '../../dfi/kernel/text.js';
import { poolByTokens } from '../../dfi/pools/columns.js';
import { bestPath, type PathFailure } from '../../dfi/pools/paths.js';
import { quoteSwap, type Swap } from '../../dfi/pools/swap.js';
import { rawJson } from '../../rpc/bind.js';
import type { Handler } from '../../rpc/handler.js';
import { asText } from '../../rpc/scalars.js';
import { NodeError } from '../../util/errors.js';
import { JsonObject, type JsonValue, parseJson } from '../../util/json.js';
import { leadingUint32 } from '../../util/numbers.js';
import { formatTokenAmount } from '../format/amounts.js';
import { requireArgument, strictFlag } from '../format/options-object.js';
import type { PoolsModules } from './modules.js';
import { nextBlock, readSwap } from './swap-request.js';

type Modules = { readonly chain: Pick<PoolsModules['chain'], 'params' | 'tip' | 'state'> };

/** Requested path, and the pools on it. */
interface Way {
  readonly name: string;
  readonly pools: readonly number[];
  readonly failures: readonly PathFailure[];
}

export const testPoolSwap: Handler<Modules, TestPoolSwapRequest, TestPoolSwapResponse> = ({ chain }, request, call) => {
  const verbose = strictFlag(request, 'verbose') ?? false;
  requireArgument(request, call);
  const swap = readSwap(request, chain);
  const way = findWay(request, swap, chain);
  const amount = formatTokenAmount(chain.state, { tokenId: swap.tokenTo, amount: quote(swap, way, chain) }, 'id');
  if (!verbose) return { result: { $case: 'amount', value: amount } };
  return { result: { $case: 'swap', value: { path: way.name, pools: way.pools.map(String), amount } } };
};

function quote(swap: Swap, { pools, failures }: Way, chain: Modules['chain']): bigint {
  try {
    return quoteSwap(chain.state, swap, pools, nextBlock(chain));
  } catch (error) {
    if (!(error instanceof TxRejected)) throw error;
    throw noUsablePool(failures.length > 0 ? failureList(failures) : error.message);
  }
}

function findWay(request: TestPoolSwapRequest, swap: Swap, chain: Modules['chain']): Way {
  const { state } = chain;
  const json = rawJson(request, 'path');
  const form = json === null ? undefined : request.path?.form;
  const asked = json === null ? '' : form?.$case === 'pools' ? 'custom' : (form?.value ?? 'direct');
  const direct = poolByTokens(state, swap.tokenFrom, swap.tokenTo);
  if (asked === 'direct' || (asked === 'auto' && direct?.pool.status)) {
    if (!direct) throw new NodeError('invalid-request', "Direct pool pair not found. Use 'auto' mode to use composite swap.");
    return { name: 'direct', pools: [direct.id], failures: [] };
  }
  if (asked === 'auto' || asked === 'composite') {
    const best = bestPath(state, swap, nextBlock(chain), false);
    return { name: asked, pools: best.path ?? [], failures: best.failures };
  }
  const texts = Array.isArray(json) ? json.map(asText) : form?.$case === 'pools' ? form.value.texts : listedPools(asked);
  return { name: 'custom', pools: texts.map((text) => leadingUint32(text) ?? 0), failures: [] };
}

/** Pool ids from a JSON array or the values of a JSON object in a string; none if either is broken. @throws {NodeError} `json-type` */
function listedPools(text: string): readonly string[] {
  if (!/^[ \t\n\r]*[[{]/.test(text)) throw new NodeError('json-type', 'JSON value is not an object or array as expected');
  try {
    const json = parseJson(text);
    const values = json instanceof JsonObject ? json.entries.map(([, value]) => value) : (json as readonly JsonValue[]);
    return values.map(asText);
  } catch {
    return [];
  }
}

/** Reasons of unusable pools: `("DFI-BTC":"Lack of liquidity.",...)`. */
export function failureList(failures: readonly PathFailure[]): string {
  return `(${failures.map(({ pool, reason }) => `"${readableText(pool)}":"${reason}"`).join(',')})`;
}

/** Error for a swap without a usable pool. @param details reasons, if known */
export function noUsablePool(details: string | undefined): NodeError {
  return new NodeError('invalid-request', `Cannot find usable pool pair.${details === undefined ? '' : ` Details: ${details}`}`);
}
