import type { AccountHistoryCountRequest, ListAccountHistoryRequest, OwnerSelector } from '../../../../gen/ts/dfi/accounts/v1/accounts.js';
import { type HistoryFilter, NO_TOKEN } from '../../../dfi/accounts/history-queries.js';
import { categoryOf } from '../../../dfi/execution/registry.js';
import { compareOwners } from '../../../dfi/kernel/amounts.js';
import { byteText } from '../../../dfi/kernel/text.js';
import { tokenBySymbol } from '../../../dfi/tokens/columns.js';
import type { HeightSpan } from '../../../dfi/vaults/history-queries.js';
import { rawJson } from '../../../rpc/bind.js';
import { isForPage } from '../../../rpc/page-range.js';
import { asString } from '../../../rpc/scalars.js';
import type { StateView } from '../../../storage/view.js';
import { toHex } from '../../../util/bytes.js';
import { NodeError } from '../../../util/errors.js';
import { type JsonValue, kindOf } from '../../../util/json.js';
import { sortInSlices } from '../../../util/sliced-sort.js';
import { type Abortable, eachInSlices, type MaybePromise, Slicer } from '../../../util/slicer.js';
import type { TokenNaming } from '../../format/amounts.js';
import type { AddressChain } from '../../format/destination.js';
import { parseOwner } from '../../format/owner.js';
import { heightSpan, historyLimit, includesStart, lowerUint32, UNBOUNDED } from '../../format/page.js';

/** Accounts of a history: all, those of a wallet, or these in this order. */
export type Selection = 'all' | 'mine' | readonly Uint8Array[];

/** Accounts of the `owner` argument; `mine` by default. @throws {NodeError} as the promise rejects */
export function parseSelection(
  request: { readonly owner: OwnerSelector | undefined },
  chain: AddressChain,
  call: Abortable,
): MaybePromise<Selection> {
  const json = rawJson(request, 'owner');
  if (Array.isArray(json)) return uniqueOwners(json as readonly JsonValue[], (text) => parseOwner(asString(text), chain), call);
  const form = request.owner?.form;
  if (form?.$case === 'owners') return uniqueOwners(form.value.texts, (text) => parseOwner(text, chain), call);
  // Null, objects and false count as an empty text.
  const text = json !== undefined && ['null', 'object'].includes(kindOf(json)) ? '' : json === false ? '' : (form?.value ?? 'mine');
  if (text === 'all' || text === 'mine') return text;
  return [parseOwner(text, chain)];
}

async function uniqueOwners<T>(texts: readonly T[], parse: (text: T) => Uint8Array, call: Abortable): Promise<Uint8Array[]> {
  const owners = new Map<string, Uint8Array>();
  const add = (text: T): void => {
    const owner = parse(text);
    owners.set(toHex(owner), owner);
  };
  await eachInSlices(texts, add, call);
  return sortInSlices([...owners.values()], (a, b) => compareOwners(a, b) < 0, new Slicer(call));
}

/** Members of a count request and their JSON types. */
export const FILTER_OPTIONS = { no_rewards: 'bool', token: 'string', txtype: 'string', txtypes: 'array' } as const;
/** Members of a list request and their JSON types. */
export const LIST_OPTIONS = {
  maxBlockHeight: 'number',
  depth: 'number',
  ...FILTER_OPTIONS,
  limit: 'number',
  start: 'number',
  including_start: 'bool',
  txn: 'number',
  format: 'string',
} as const;

/** Type byte of a letter or type name; 0 for any other text. */
function parseCategory(text: string): number {
  return (text.length === 1 ? text.charCodeAt(0) : categoryOf(text)) ?? 0;
}

/** Filter by token and transaction types. `txtypes` replaces `txtype`. */
export function parseFilter(request: Pick<AccountHistoryCountRequest, 'token' | 'txtype' | 'txtypes'>, view: StateView): HistoryFilter {
  const { token, txtypes } = request;
  const single = request.txtype === undefined ? undefined : [parseCategory(request.txtype)];
  const categories = txtypes ? txtypes.texts.map(parseCategory) : single;
  return {
    categories: categories && new Set(categories),
    // An unknown symbol matches no entry.
    tokenId: token ? (tokenBySymbol(view, byteText(token))?.id ?? NO_TOKEN) : undefined,
  };
}

/** Token naming of the `format` argument; by symbol if it is missing. @throws {NodeError} */
export function parseNaming(format: string | undefined): TokenNaming {
  const naming = format ?? 'symbol';
  if (naming !== 'symbol' && naming !== 'id') {
    throw new NodeError('invalid-request', 'format must be one of the following: "id", "symbol"');
  }
  return naming;
}

/** Page of a history. All members are unsigned 32-bit numbers. */
export interface Page extends HeightSpan {
  readonly txn: number;
  /**
   * True for a page of the whole list, whose rewards do not depend on its beginning. Otherwise, as in `defid`, the records of the highest
   * block are reversed twice, and the rewards of that block are left out.
   */
  readonly isPart: boolean;
  readonly start: number;
  readonly limit: number;
}

/** Page of a request. Numbers wrap to unsigned 32 bits, as in `defid`. @param tip height of the tip */
export function readPage(request: ListAccountHistoryRequest, tip: number): Page {
  const span = heightSpan(request, tip);
  return {
    ...span,
    txn: lowerUint32(request.txn) ?? UNBOUNDED,
    start: firstLine(request),
    isPart: isForPage(request),
    limit: historyLimit(request.limit),
  };
}

/** Number of lines to skip. Over JSON-RPC `including_start: false` skips one line even without a `start`. */
function firstLine(request: ListAccountHistoryRequest): number {
  const start = lowerUint32(request.start);
  return ((start ?? 0) + (includesStart(request) ? 0 : 1)) >>> 0;
}
