import { knowsEvm } from '../../params/network.js';
import { formatAmount } from '../../primitives/amount.js';
import { destinationOf, encodeDestination } from '../../script/address.js';
import type { StateView } from '../../storage/view.js';
import { Slicer } from '../../util/slicer.js';
import { OperationFailed } from '../api/errors.js';
import { type Json, Reader } from '../api/json.js';
import { page } from '../api/page.js';
import { invalidNext, type PageRequest, pageOf, pathInteger } from '../api/request.js';
import { get, type OceanAnswer, type OceanRequest, type Route } from '../api/route.js';
import { sortNumbers } from '../api/sort-cursor.js';
import { rowsBehind } from '../index/seek.js';
import { isPoolId, type SwapKey, type SwapRow, swaps, swapsOfPool } from '../index/swaps.js';
import type { OceanModules } from '../modules.js';
import { blockRefAt } from '../shapes/block-ref.js';
import { type KnownTokens, knownTokens } from '../shapes/known-tokens.js';
import { swapData, swapSort } from '../shapes/swap.js';
import { displaySymbol } from '../shapes/token.js';

/** Largest page of swaps with both amounts: each takes a call of an operation. */
const MAX_VERBOSE = 20;

/** Swaps of a pool, newest first. @see docs/protocol/ocean.md 2.15 */
export const poolSwapRoutes: readonly Route[] = [
  get('poolpairs/{id}/swaps', (modules, request) => {
    const asked = pageOf(request);
    return page(
      swapsOf(modules.rows.view, pathInteger(request, 'id'), asked),
      asked,
      ([key]) => swapSort(key),
      ([key, row]) => swapData(key, row, blockRefAt(modules, key.height)),
    );
  }),
  get('poolpairs/{id}/swaps/verbose', listVerbose),
];

async function listVerbose(modules: OceanModules, request: OceanRequest): Promise<OceanAnswer> {
  const { rows } = modules;
  const asked = pageOf(request, MAX_VERBOSE);
  // Blocks are looked up at once, because they may be disconnected while operations are called.
  const found = swapsOf(rows.view, pathInteger(request, 'id'), asked).map(([key, row]) => {
    return { key, row, swap: swapData(key, row, blockRefAt(modules, key.height)) };
  });
  const tokens = await knownTokens(modules);
  const slicer = new Slicer();
  const shown: { readonly sort: string; readonly data: Json }[] = [];
  for (const { key, row, swap } of found) {
    shown.push({ sort: swap.sort, data: { ...swap, ...(await partiesOf(modules, tokens, key, row)) } });
    await slicer.pause();
  }
  return page(
    shown,
    asked,
    ({ sort }) => sort,
    ({ data }) => data,
  );
}

/** Swaps of a page. @throws {OceanError} for a cursor that no page ends with */
function swapsOf(view: StateView, pool: number, { size, next }: PageRequest): (readonly [SwapKey, SwapRow])[] {
  const behind = next === undefined ? undefined : { pool, ...placeOf(next) };
  return isPoolId(pool) ? rowsBehind(view, swaps, { prefix: swapsOfPool(pool), behind, reverse: true }, size) : [];
}

/** @throws {OceanError} */
function placeOf(sort: string): Pick<SwapKey, 'height' | 'txno'> {
  const [[height = 0, txno = 0], rest] = sortNumbers(sort, 2);
  if (rest !== '') throw invalidNext();
  return { height, txno };
}

/** Sender and receiver of a swap with what left and entered their accounts. */
async function partiesOf(modules: OceanModules, tokens: KnownTokens, key: SwapKey, row: SwapRow) {
  const { params } = modules.chain;
  const addressOf = (script: Uint8Array) => {
    const destination = destinationOf(script, { metachain: knowsEvm(params) });
    return destination && encodeDestination(destination, params.address);
  };
  const sender = addressOf(row.from);
  const receiver = row.to.length === 0 ? sender : addressOf(row.to);
  const paid = { amount: formatAmount(row.amount), tokenId: row.tokenFrom };
  const received = receiver === undefined ? undefined : await receivedOf(modules, tokens, receiver, key, row.tokenTo);
  return {
    from: sender === undefined ? undefined : party(tokens, sender, paid),
    to: receiver === undefined || !received ? undefined : party(tokens, receiver, received),
    type: row.sellsA ? 'SELL' : 'BUY',
  };
}

interface ShownAmount {
  readonly amount: string;
  readonly tokenId: number;
}

function party(tokens: KnownTokens, address: string, { amount, tokenId }: ShownAmount) {
  const token = tokens.get(String(tokenId));
  return token && { address, amount, symbol: token.get('symbol').text(), displaySymbol: displaySymbol(token) };
}

/** Amount of the token that a swap credited, by the history of the account; undefined if that has none. */
async function receivedOf(
  { operations }: OceanModules,
  tokens: KnownTokens,
  receiver: string,
  { height, txno }: SwapKey,
  tokenId: number,
): Promise<ShownAmount | undefined> {
  try {
    const amounts = new Reader(await operations.call('getaccounthistory', receiver, height, txno)).get('amounts');
    const symbol = tokens.get(String(tokenId))?.get('symbolKey').text();
    if (!amounts.isThere || symbol === undefined) return undefined;
    const split = amounts.list().map((each) => each.text().split('@'));
    const credited = split.find(([amount = '-', of]) => of === symbol && !amount.startsWith('-'));
    return credited && { amount: credited[0] ?? '', tokenId };
  } catch (error) {
    // A node without the history of accounts refuses the call.
    if (error instanceof OperationFailed) return undefined;
    throw error;
  }
}
