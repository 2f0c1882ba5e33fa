import { auctionLength } from '../../dfi/auctions/liquidation.js';
import { parseHash256 } from '../../primitives/hash.js';
import { firstOf } from '../../util/first-of.js';
import { notFound, OperationFailed } from '../api/errors.js';
import { Reader } from '../api/json.js';
import { page } from '../api/page.js';
import { invalidNext, pageOf, pathInteger, pathText } from '../api/request.js';
import { get, type OceanAnswer, type OceanRequest, type Route } from '../api/route.js';
import { hashOf, sortHash } from '../api/sort-cursor.js';
import { type BidPlace, bidsBefore, placeAfter } from '../index/bids.js';
import type { OceanModules } from '../modules.js';
import { bidSort, shownBid } from '../shapes/bid.js';
import { shownVaults } from '../shapes/vault.js';

/** Vaults and the bids for them. @see docs/protocol/ocean.md 2.6 */
export const vaultRoutes: readonly Route[] = [
  get('loans/vaults', (modules, request) => vaultPage(modules, request, {})),
  get('loans/vaults/{id}', async (modules, request) => {
    const [vault] = await shownVaults(modules, [await requireVault(modules, pathText(request, 'id'))]);
    return { data: vault };
  }),
  get('loans/vaults/{id}/auctions/{height}/batches/{index}/history', bidPage),
];

/** Number of vaults or auctions of a page at most. */
export const MAX_VAULTS = 30;

/**
 * Page of vaults, in the order of their ids.
 * @param filter of `listvaults`
 */
export async function vaultPage(
  modules: OceanModules,
  request: OceanRequest,
  filter: { readonly ownerAddress?: string },
): Promise<OceanAnswer> {
  const asked = pageOf(request, MAX_VAULTS);
  const { size, next } = asked;
  if (next !== undefined) sortHash(next);
  // If the last vault of the page before was closed meanwhile, `listvaults` omits the first vault after it.
  const pagination = next === undefined ? { limit: size } : { start: next, including_start: true, limit: size + 1 };
  const listed = new Reader(await modules.operations.call('listvaults', { ...filter, verbose: true }, pagination)).list();
  const vaults = listed.filter((vault) => vault.get('vaultId').text() !== next).slice(0, size);
  return page(
    await shownVaults(modules, vaults),
    asked,
    ({ vaultId }) => vaultId,
    (vault) => vault,
  );
}

/** Answer of `getvault`. @throws {OceanError} if there is no such vault @throws {OperationFailed} for a text that is no id */
async function requireVault({ operations }: OceanModules, id: string): Promise<Reader> {
  const unknown = notFound('Unable to find vault');
  const isHash = hashOf(id) !== undefined;
  if (/^[0-9a-f]+$/i.test(id) && !isHash) throw unknown;
  try {
    return new Reader(await operations.call('getvault', id));
  } catch (error) {
    throw error instanceof OperationFailed && isHash ? unknown : error;
  }
}

const PLACE = /^([0-9a-f]{8})-([0-9a-f]{64})$/;
const MAX_UINT32 = 0xffff_ffff;

/** Bids for a batch in the auction that ends at a height, newest first. */
function bidPage(modules: OceanModules, request: OceanRequest): OceanAnswer {
  const { chain, rows } = modules;
  const asked = pageOf(request);
  const vaultId = hashOf(pathText(request, 'id'));
  const height = pathInteger(request, 'height');
  const index = pathInteger(request, 'index');
  const place = asked.next === undefined ? undefined : parsePlace(asked.next);
  if (!vaultId || height < 0 || height >= MAX_UINT32 || index < 0 || index > MAX_UINT32) return { data: [] };
  const lowest = height - auctionLength(chain.params);
  const found = bidsBefore(rows.view, { vaultId, index }, place ?? placeAfter(height), lowest);
  return page(
    firstOf(found, asked.size),
    asked,
    ([key]) => bidSort(key),
    (bid) => shownBid(modules, bid),
  );
}

/** @throws {OceanError} */
function parsePlace(next: string): BidPlace {
  const [, height, txid] = PLACE.exec(next) ?? [];
  if (height === undefined || txid === undefined) throw invalidNext();
  return { height: Number.parseInt(height, 16), txid: parseHash256(txid) };
}
