import type { ListPoolSharesRequest, ListPoolSharesResponse, PoolShare } from '../../../gen/ts/dfi/node/v1/pools.js';
import { balanceOf } from '../../dfi/accounts/columns.js';
import { multiplyDivide } from '../../dfi/kernel/math.js';
import { poolOf, shares as sharesOf } from '../../dfi/pools/columns.js';
import { COIN } from '../../primitives/amount.js';
import type { Handler } from '../../rpc/handler.js';
import { LongMap } from '../../rpc/long-map.js';
import { Slicer } from '../../util/slicer.js';
import { isMine } from '../../wallet/custom-tx/own-accounts.js';
import { readingWallet } from '../accounts/balances/scratch-view.js';
import { looseFlag, strictFlag } from '../format/options-object.js';
import { formatOwner } from '../format/owner.js';
import { firstId, pageLimit } from '../format/page.js';
import type { PoolsModules } from './modules.js';

type Modules = Pick<PoolsModules, 'wallets'> & { readonly chain: Pick<PoolsModules['chain'], 'params' | 'snapshot'> };

const PERCENT = 100n * COIN;

export const listPoolShares: Handler<Modules, ListPoolSharesRequest, ListPoolSharesResponse> = async (modules, request, call) => {
  const { chain } = modules;
  const verbose = looseFlag(request, 'verbose') ?? true;
  const mineOnly = strictFlag(request, 'isMineOnly') ?? false;
  const wallet = readingWallet(modules, call);
  const limit = pageLimit(request.limit);
  const fromPool = firstId(request);
  const slicer = new Slicer(call);
  const shares = new LongMap<PoolShare>();
  let count = 0;
  const snapshot = chain.snapshot();
  try {
    for (const { pool: id, owner: provider } of sharesOf(snapshot, fromPool)) {
      if (count >= limit) break;
      const paused = slicer.pause();
      if (paused) await paused;
      const amount = balanceOf(snapshot, provider, id);
      const pool = amount === 0n ? undefined : poolOf(snapshot, id);
      if (!pool || (mineOnly && !(wallet && isMine(wallet, provider)))) continue;
      const owner = formatOwner(provider, chain.params);
      const { totalLiquidity } = pool;
      shares.set(`${id}@${owner}`, {
        poolid: String(id),
        owner,
        percent: multiplyDivide(amount, PERCENT, totalLiquidity),
        ...(verbose && { amount, totalliquidity: totalLiquidity }),
      });
      count += 1;
    }
    return { shares: shares.inMessage() };
  } finally {
    snapshot.close();
  }
};
