import { type Child, h, link, userText } from '../dom.js';
import { amount, amountParts, short, time } from '../format.js';
import { isRecord, type Json, type JsonRecord, listOf, recordOf, textOf } from '../json.js';
import type { NodeClient } from '../node-client.js';
import { type Route, routeTo } from '../routes.js';

/** Number of rows of a page. */
export const PAGE_ROWS = 50;

const NO_TXID = '0'.repeat(64);

/** @param block hash of its block: a node without an index of transactions finds it there */
export function txLink(txid: string, block = ''): Child {
  return txid === '' || txid === NO_TXID ? undefined : link(routeTo('tx', txid, { block }), code(txid));
}

export function blockLink(hashOrHeight: string): Child {
  return hashOrHeight === '' ? undefined : link(routeTo('block', hashOrHeight), code(hashOrHeight));
}

export function addressLink(address: string): Child {
  return address === '' ? undefined : link(routeTo('address', address), code(address));
}

export function vaultLink(id: string): Child {
  return link(routeTo('vault', id), code(id));
}

export function masternodeLink(id: string): Child {
  return link(routeTo('masternode', id), code(id));
}

export function proposalLink(id: string, title: Child = code(id)): Child {
  return link(routeTo('proposal', id), title);
}

/** A hash or an address in short; the whole is shown when the pointer rests on it. */
export function code(text: string): HTMLElement {
  return h('code', { title: text }, short(text));
}

/** `12.5@DFI` as `12.5 DFI`. */
export function tokenAmount(text: string): Child {
  const [value, symbol] = amountParts(text);
  return symbol === '' ? amount(value) : [amount(value), ' ', userText(symbol)];
}

/** Lines of a list such as `["1.00000000@DFI"]`. */
export function tokenAmounts(amounts: Json | undefined): Child {
  return listOf(amounts).map((each) => h('div', {}, tokenAmount(textOf(each))));
}

/** `true` and `false` in words. */
export function yesNo(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  return value === true ? 'yes' : 'no';
}

/** A list of the node that a view shows in pages. */
interface PagedList {
  /** Path of the list over REST, below `v1/`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Parameter of the route that has the cursor; a view of several lists has one for each. */
  readonly cursor?: string;
  /** Parameter of the list for the number of elements. */
  readonly limit?: string;
}

/** One page of a list. */
export interface ShownPage {
  /** Empty if the elements have ids. */
  readonly rows: readonly JsonRecord[];
  /** Elements with their ids. */
  readonly entries: readonly (readonly [id: string, element: JsonRecord])[];
  readonly items: Json;
  /** Link to the next page, if there is one; the other lists of the view stay at theirs. */
  readonly next: Child;
}

/** The page of a list to which the route leads. */
export async function listPage(node: NodeClient, route: Route, list: PagedList): Promise<ShownPage> {
  const { path, query, cursor = 'page', limit = 'limit' } = list;
  const { items, next } = await node.page(path, { ...query, page: route.query.get(cursor) ?? '', [limit]: String(PAGE_ROWS) });
  return {
    rows: listOf(items).map(recordOf),
    entries: Object.entries(recordOf(items)).map(([id, element]) => [id, recordOf(element)]),
    items,
    next: next !== '' && nextLink(routeTo(route.name, route.argument, { ...Object.fromEntries(route.query), [cursor]: next })),
  };
}

export function nextLink(route: string): Child {
  return h('p', {}, link(route, 'Next page'));
}

/** Members whose values are places of the page or times, by the end of their name. */
const LINKS: readonly (readonly [name: RegExp, make: (text: string) => Child])[] = [
  [/^(tx|txid|.*Tx|txHash)$/i, (text) => txLink(text)],
  [/^(blockhash|previousblockhash)$/i, blockLink],
  [/address$|^owner$|^from$|^to$|^operator$/i, (text) => (/^\w{25,90}$/.test(text) ? addressLink(text) : undefined)],
  [/^(id)?token(_?id|[ab])?$/i, (text) => (/^\d+$/.test(text) ? link(routeTo('token', text), text) : undefined)],
  [/^(creation|mint)?height$/i, (text) => (/^\d+$/.test(text) ? link(routeTo('block', text), text) : undefined)],
  [/^vault_?id$/i, vaultLink],
  [/^proposal_?id$/i, (text) => proposalLink(text)],
  [/^(block)?time(stamp)?$/i, (text) => (/^\d{9,11}$/.test(text) ? time(text) : undefined)],
];

/** Any JSON as nested names and values, with links where the name of a member shows its kind. */
export function tree(value: Json | undefined, name = ''): Child {
  if (isRecord(value)) {
    const members = Object.entries(value).map(([key, each]) => [h('dt', {}, key), h('dd', {}, tree(each, key))]);
    return members.length > 0 && h('dl', { class: 'tree' }, members);
  }
  const items = listOf(value);
  if (items.length > 0)
    return h(
      'ul',
      {},
      items.map((each) => h('li', {}, tree(each, name))),
    );
  const text = textOf(value);
  const place = placeLink(name, text);
  if (place !== undefined) return place;
  return h('bdi', { class: 'value' }, /^-?[\d.]+@\S+$/.test(text) ? tokenAmount(text) : text);
}

/** Link to the value of a member if its name shows that it is a place of the page, or the time that it is; undefined otherwise. */
export function placeLink(name: string, text: string): Child {
  return text === '' ? undefined : LINKS.find(([pattern]) => pattern.test(name))?.[1](text);
}
