import type { PoolsServiceServer } from '../../../gen/ts/dfi/node/v1/pools.js';
import type { Handlers } from '../../rpc/handler.js';
import { addPoolLiquidity, removePoolLiquidity } from './liquidity.js';
import { listLoanTokenLiquidity } from './loan-token-liquidity.js';
import type { PoolsModules } from './modules.js';
import { getPoolPair, listPoolPairs } from './pairs.js';
import { listPoolShares } from './shares.js';
import { compositeSwap, poolSwap } from './swaps.js';
import { createPoolPair, updatePoolPair } from './terms.js';
import { testPoolSwap } from './test-swap.js';

export const poolsHandlers = {
  addPoolLiquidity,
  compositeSwap,
  createPoolPair,
  getPoolPair,
  listLoanTokenLiquidity,
  listPoolPairs,
  listPoolShares,
  poolSwap,
  removePoolLiquidity,
  testPoolSwap,
  updatePoolPair,
} satisfies Handlers<PoolsServiceServer, PoolsModules>;
