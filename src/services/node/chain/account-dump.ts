import type { LogAccountBalancesRequest, LogAccountBalancesResponse } from '../../../../gen/ts/dfi/node/v1/control.js';
import type { TokenAmount as ShownAmount } from '../../../../gen/ts/dfi/types/v1/types.js';
import { accountBalances } from '../../../dfi/accounts/columns.js';
import type { Handler } from '../../../rpc/handler.js';
import { LongMap } from '../../../rpc/long-map.js';
import { sortInSlices } from '../../../util/sliced-sort.js';
import { mapInSlices, Slicer } from '../../../util/slicer.js';
import { formatTokenAmount } from '../../format/amounts.js';
import { strictFlag } from '../../format/options-object.js';
import { formatOwner } from '../../format/owner.js';
import type { NodeModules } from '../modules.js';

type Modules = Pick<NodeModules, 'log'> & { readonly chain: Pick<NodeModules['chain'], 'params' | 'snapshot'> };

/** Balances as stored: rewards that were not materialised yet are not included. */
export const logAccountBalances: Handler<Modules, LogAccountBalancesRequest, LogAccountBalancesResponse> = async (
  { chain, log },
  request,
  call,
) => {
  const logfile = strictFlag(request, 'logfile') ?? false;
  if (logfile) call.isMomentary = true;
  const rpcresult = strictFlag(request, 'rpcresult') ?? true;
  const slicer = new Slicer(call);
  const accounts = new LongMap<ShownAmount[]>();
  let count = 0;
  const snapshot = chain.snapshot();
  try {
    for (const [{ owner: script, tokenId }, amount] of snapshot.entries(accountBalances)) {
      const paused = slicer.pause();
      if (paused) await paused;
      count += 1;
      const owner = formatOwner(script, chain.params);
      if (logfile) log.info('AccountBalance', { owner, amount, tokenId });
      if (!rpcresult) continue;
      const own = accounts.get(owner) ?? [];
      own.push(formatTokenAmount(snapshot, { tokenId, amount }, 'id'));
      accounts.set(owner, own);
    }
  } finally {
    snapshot.close();
  }
  if (logfile) log.info('IndexStats', { balances: count });
  if (!rpcresult) return { result: undefined };
  const sorted = await sortInSlices(accounts.entries, ([a], [b]) => a < b, slicer);
  const shown = await mapInSlices(sorted, ([owner, amounts]) => ({ owner, amounts: { amounts } }), call);
  return { result: { accounts: shown, count: BigInt(count) } };
};
