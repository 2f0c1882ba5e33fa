import type { CompositeSwapRequest, CompositeSwapResponse, PoolSwapRequest, PoolSwapResponse } from '../../../gen/ts/dfi/node/v1/pools.js';
import { poolByTokens } from '../../dfi/pools/columns.js';
import { bestPath, type Path } from '../../dfi/pools/paths.js';
import type { Swap } from '../../dfi/pools/swap.js';
import { compositeSwap as composite, poolSwap as single } from '../../dfi/pools/swap-transactions.js';
import { isActive } from '../../params/network.js';
import { requestJsonObject } from '../../rpc/bind.js';
import type { Handler } from '../../rpc/handler.js';
import { requireKind } from '../../rpc/kinds.js';
import { NodeError } from '../../util/errors.js';
import { readInputs } from '../format/inputs.js';
import { requireArgumentKind } from '../format/options-object.js';
import { refuseEvmOwners } from '../format/owner.js';
import { sendFor, spendingWallet } from '../wallet/spend/custom-tx.js';
import type { PoolsModules } from './modules.js';
import { nextBlock, readSwap } from './swap-request.js';
import { failureList, noUsablePool } from './test-swap.js';

export const poolSwap: Handler<PoolsModules, PoolSwapRequest, PoolSwapResponse> = (modules, request, call) => {
  const wallet = spendingWallet(modules, call);
  const body = readSwap(request, modules.chain);
  refuseEvmOwners(modules.chain, [body.from, body.to]);
  return sendFor(wallet, call, { definition: single, body, auths: [body.from], inputs: readInputs(request) });
};

export const compositeSwap: Handler<PoolsModules, CompositeSwapRequest, CompositeSwapResponse> = (modules, request, call) => {
  const { chain } = modules;
  const wallet = spendingWallet(modules, call);
  if (!isActive(chain.params, 'fortCanning', chain.tip.height + 1)) {
    throw new NodeError('invalid-request', 'compositeswap is available post Fort Canning');
  }
  requireTypes(request);
  const swap = readSwap(request, chain);
  refuseEvmOwners(chain, [swap.from, swap.to]);
  const body = { ...swap, path: usablePath(swap, chain) };
  return sendFor(wallet, call, { definition: composite, body, auths: [swap.from], inputs: readInputs(request) });
};

/** Checks the types of both arguments, which follows the check of the height. @throws {NodeError} `type` */
function requireTypes(request: CompositeSwapRequest): void {
  const metadata = requestJsonObject(request) ?? null;
  if (metadata !== null) requireKind(metadata, 'object');
  requireArgumentKind(request, 'inputs', 'array');
}

/** Pools to swap through; empty if the direct pool of both tokens is usable. @throws {NodeError} if no pools connect them */
function usablePath(swap: Swap, chain: PoolsModules['chain']): Path {
  const direct = poolByTokens(chain.state, swap.tokenFrom, swap.tokenTo);
  if (direct?.pool.status) return [];
  const { path, failures } = bestPath(chain.state, swap, nextBlock(chain), true);
  if (!path) throw noUsablePool(failures.length > 0 ? failureList(failures) : undefined);
  return path;
}
