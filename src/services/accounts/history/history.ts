import type {
  AccountHistoryCountRequest,
  AccountHistoryCountResponse,
  AccountHistoryRecord,
  GetAccountHistoryRequest,
  GetAccountHistoryResponse,
  ListAccountHistoryRequest,
  ListAccountHistoryResponse,
} from '../../../../gen/ts/dfi/accounts/v1/accounts.js';
import { historyByOwner } from '../../../dfi/accounts/history-columns.js';
import { PastRewards } from '../../../dfi/rewards/queries.js';
import { isActive } from '../../../params/network.js';
import type { CallContext, Handler } from '../../../rpc/handler.js';
import { NodeError } from '../../../util/errors.js';
import { mapInSlices, Slicer } from '../../../util/slicer.js';
import { requireOptions } from '../../format/options-object.js';
import { parseOwner } from '../../format/owner.js';
import { readingWallet } from '../balances/scratch-view.js';
import type { AccountsModules } from '../modules.js';
import { countLines } from './count.js';
import { formatHistoryEntry } from './entry-format.js';
import { formatLine, listLines } from './lines.js';
import type { HistoryQuery } from './query.js';
import { FILTER_OPTIONS, LIST_OPTIONS, parseFilter, parseNaming, parseSelection, readPage } from './request.js';

export const listAccountHistory: Handler<AccountsModules, ListAccountHistoryRequest, ListAccountHistoryResponse> = async (
  modules,
  request,
  call,
) => {
  const { chain } = modules;
  if (!modules.keepsHistory) throw new NodeError('invalid-request', '-acindex is needed for account history');
  requireOptions(request, LIST_OPTIONS);
  // The chain may grow while a long list of owners is parsed.
  const { height } = chain.tip;
  const snapshot = chain.snapshot();
  try {
    const filter = parseFilter(request, snapshot);
    const page = readPage(request, height);
    const naming = parseNaming(request.format);
    const selection = await parseSelection(request, chain, call);
    const query = queryOf(modules, request, call, { selection, filter, view: snapshot });
    const lines = await listLines(query, page, height, new Slicer(call));
    return { records: await mapInSlices(lines, (line) => formatLine(line, { chain, view: snapshot, naming }), call) };
  } finally {
    snapshot.close();
  }
};

export const accountHistoryCount: Handler<AccountsModules, AccountHistoryCountRequest, AccountHistoryCountResponse> = async (
  modules,
  request,
  call,
) => {
  const { chain } = modules;
  if (!modules.keepsHistory) throw new NodeError('invalid-request', '-acindex is need for account history');
  requireOptions(request, FILTER_OPTIONS);
  const { height } = chain.tip;
  const snapshot = chain.snapshot();
  try {
    const filter = parseFilter(request, snapshot);
    const selection = await parseSelection(request, chain, call);
    const query = queryOf(modules, request, call, { selection, filter, view: snapshot });
    return { count: BigInt(await countLines(query, height, new Slicer(call))) };
  } finally {
    snapshot.close();
  }
};

/** Payments are listed if DFI is, and no transaction type is requested. */
function queryOf(
  modules: AccountsModules,
  request: AccountHistoryCountRequest,
  call: CallContext,
  what: Pick<HistoryQuery, 'selection' | 'filter' | 'view'>,
): HistoryQuery {
  const { token } = request;
  const showsPayments = (token === undefined || token === '' || token === 'DFI') && what.filter.categories === undefined;
  const { params, tip } = modules.chain;
  const rewards = request.noRewards ? undefined : new PastRewards(what.view, params);
  const keepsReversed = isActive(params, 'metachain', tip.height);
  return {
    ...what,
    rewards: rewards?.exist ? rewards : undefined,
    keepsReversed,
    wallet: readingWallet(modules, call),
    showsPayments,
  };
}

export const getAccountHistory: Handler<AccountsModules, GetAccountHistoryRequest, GetAccountHistoryResponse> = (
  { chain, keepsHistory },
  request,
) => {
  if (!keepsHistory) throw new NodeError('invalid-request', '-acindex is needed for account history');
  const owner = parseOwner(request.owner, chain);
  const { blockheight: height, txn } = request;
  const key = { owner, height: height >>> 0, txn: txn >>> 0 };
  const record = chain.state.get(historyByOwner, key);
  const none: AccountHistoryRecord = { amounts: undefined };
  return { record: record ? formatHistoryEntry({ key, record }, { chain, view: chain.state, naming: 'symbol' }) : none };
};
