import type {
  AccountHistoryCountRequest,
  AccountHistoryCountResponse,
  AccountHistoryRecord,
  GetAccountHistoryRequest,
  GetAccountHistoryResponse,
  ListAccountHistoryRequest,
  ListAccountHistoryResponse,
  OwnerSelector,
} from '../../../gen/ts/dfi/accounts/v1/accounts.js';
import { compareOwners } from '../../dfi/amounts.js';
import {
  accountHistory,
  countHistory,
  type HistoryEntry,
  type HistoryFilter,
  NO_TOKEN,
  passesFilter,
  wholeHistory,
} from '../../dfi/queries/history.js';
import { historyByOwner } from '../../dfi/state/history.js';
import { byteText, tokenBySymbol } from '../../dfi/state/tokens.js';
import { categoryOf } from '../../dfi/tx/registry.js';
import type { NetworkParams } from '../../params/network.js';
import { givenJson } from '../../rpc/bind.js';
import type { Handler } from '../../rpc/handler.js';
import type { StateView } from '../../storage/view.js';
import { NodeError } from '../../util/errors.js';
import { kindOf } from '../../util/json.js';
import { Slicer } from '../../util/slicer.js';
import { requireOptions } from '../format/options-object.js';
import { parseOwner } from '../format/owner.js';
import type { TokenNaming } from '../format/shown-amounts.js';
import { formatHistoryEntry } from './history-entry.js';
import type { AccountsModules } from './modules.js';

/** Largest number of 32 bits: no bound. */
const UNBOUNDED = 0xffffffff;

/** Whose history: of all, of the accounts of a wallet, or of these, in their order. */
export type Selection = 'all' | 'mine' | readonly Uint8Array[];

function parseSelection(request: { readonly owner: OwnerSelector | undefined }, params: NetworkParams): Selection {
  const json = givenJson(request, 'owner');
  const form = request.owner?.form;
  if (form?.$case === 'owners') {
    const scripts = form.value.texts.map((text) => parseOwner(text, params));
    return uniqueOwners(scripts);
  }
  // What is neither text, number nor true has no text.
  const text = json !== undefined && ['null', 'object'].includes(kindOf(json)) ? '' : json === false ? '' : (form?.value ?? 'mine');
  if (text === 'all' || text === 'mine') return text;
  return [parseOwner(text, params)];
}

function uniqueOwners(scripts: readonly Uint8Array[]): Uint8Array[] {
  const sorted = [...scripts].sort(compareOwners);
  return sorted.filter((script, i) => i === 0 || compareOwners(script, sorted[i - 1] as Uint8Array) !== 0);
}

const FILTER_OPTIONS = { no_rewards: 'bool', token: 'string', txtype: 'string', txtypes: 'array' } as const;
const LIST_OPTIONS = {
  maxBlockHeight: 'number',
  depth: 'number',
  ...FILTER_OPTIONS,
  limit: 'number',
  start: 'number',
  including_start: 'bool',
  txn: 'number',
  format: 'string',
} as const;

/** Type byte of a letter or name; 0 for any other text. */
function parseCategory(text: string): number {
  return (text.length === 1 ? text.charCodeAt(0) : categoryOf(text)) ?? 0;
}

function parseFilter(request: Pick<AccountHistoryCountRequest, 'token' | 'txtype' | 'txtypes'>, view: StateView): HistoryFilter {
  const { token, txtypes } = request;
  const single = txtypes ? undefined : request.txtype;
  const categories = txtypes ? txtypes.texts.map(parseCategory) : single ? [parseCategory(single)] : undefined;
  return {
    categories: categories && new Set(categories),
    // A symbol that no token has is in no entry.
    tokenId: token ? (tokenBySymbol(view, byteText(token))?.id ?? NO_TOKEN) : undefined,
  };
}

export const listAccountHistory: Handler<AccountsModules, ListAccountHistoryRequest, ListAccountHistoryResponse> = async (
  { chain, keepsHistory },
  request,
  { signal },
) => {
  if (!keepsHistory) throw new NodeError('invalid-request', '-acindex is needed for account history');
  requireOptions(request, LIST_OPTIONS);
  const page = readPage(request, chain.tip.height);
  const naming = parseNaming(request.format);
  const selection = parseSelection(request, chain.params);
  // Nobody's wallet is loaded, so nothing is mine.
  if (selection === 'mine') return { records: [] };
  const snapshot = chain.snapshot();
  try {
    const filter = parseFilter(request, snapshot);
    const entries = await collect(snapshot, selection, filter, page, new Slicer(signal));
    return { records: entries.map((entry) => formatHistoryEntry(entry, { chain, view: snapshot, naming })) };
  } finally {
    snapshot.close();
  }
};

function parseNaming(format: string | undefined): TokenNaming {
  const naming = format ?? 'symbol';
  if (naming !== 'symbol' && naming !== 'id') {
    throw new NodeError('invalid-request', 'format must be one of the following: "id", "symbol"');
  }
  return naming;
}

/** What of a history is listed. All numbers have 32 bits. */
interface Page {
  readonly highest: number;
  readonly lowest: number;
  readonly txn: number;
  readonly start: number;
  readonly limit: number;
}

function readPage(request: ListAccountHistoryRequest, tip: number): Page {
  const highest = Math.min(u32(request.maxblockheight) ?? UNBOUNDED, tip);
  const depth = Math.min(u32(request.depth) ?? UNBOUNDED, highest);
  const start = u32(request.start);
  return {
    highest,
    lowest: highest - depth,
    txn: u32(request.txn) ?? UNBOUNDED,
    start: start === undefined ? 0 : (start + (request.includingStart ? 0 : 1)) >>> 0,
    limit: (u32(request.limit) ?? 100) || UNBOUNDED,
  };
}

function u32(value: bigint | undefined): number | undefined {
  return value === undefined ? undefined : Number(BigInt.asUintN(32, value));
}

/** @see spec: accounts 5.7 */
async function collect(
  view: StateView,
  selection: Exclude<Selection, 'mine'>,
  filter: HistoryFilter,
  page: Page,
  slicer: Slicer,
): Promise<HistoryEntry[]> {
  const byHeight = new Map<number, HistoryEntry[]>();
  const from = { height: page.highest, txn: page.txn };
  const histories = selection === 'all' ? [wholeHistory(view, from)] : selection.map((owner) => accountHistory(view, owner, from));
  for (const history of histories) {
    // The sum has 32 bits in the reference: with no limit, a start lets only so many be collected.
    let budget = (page.limit + page.start) >>> 0;
    for (const entry of history) {
      await slicer.pause();
      if (budget === 0 || entry.key.height < page.lowest) break;
      if (!passesFilter(filter, entry)) continue;
      const others = byHeight.get(entry.key.height);
      if (others) others.push(entry);
      else byHeight.set(entry.key.height, [entry]);
      budget -= 1;
    }
  }
  const newestFirst = [...byHeight].sort(([a], [b]) => b - a).flatMap(([, entries]) => entries);
  return newestFirst.slice(page.start, page.start + page.limit);
}

export const accountHistoryCount: Handler<AccountsModules, AccountHistoryCountRequest, AccountHistoryCountResponse> = (
  { chain, keepsHistory },
  request,
) => {
  if (!keepsHistory) throw new NodeError('invalid-request', '-acindex is need for account history');
  const selection = parseSelection(request, chain.params);
  requireOptions(request, FILTER_OPTIONS);
  const filter = parseFilter(request, chain.state);
  if (selection === 'mine') return { count: 0n };
  const owners = selection === 'all' ? [undefined] : selection;
  return { count: BigInt(owners.reduce((sum, owner) => sum + countHistory(chain.state, owner, filter), 0)) };
};

export const getAccountHistory: Handler<AccountsModules, GetAccountHistoryRequest, GetAccountHistoryResponse> = ({ chain }, request) => {
  const owner = parseOwner(request.owner, chain.params);
  const { blockheight: height, txn } = request;
  const key = { owner, height: height >>> 0, txn: txn >>> 0 };
  const record = chain.state.get(historyByOwner, key);
  const none: AccountHistoryRecord = { amounts: undefined };
  return { record: record ? formatHistoryEntry({ key, record }, { chain, view: chain.state, naming: 'symbol' }) : none };
};
