import { HASH_DIGITS } from '../../primitives/hash.js';
import { Reader } from '../api/json.js';
import { page } from '../api/page.js';
import { invalidNext, pageOf } from '../api/request.js';
import { get, type Route } from '../api/route.js';
import { sortHash } from '../api/sort-cursor.js';
import { shownVaults } from '../shapes/vault.js';
import { MAX_VAULTS } from './vaults.js';

/** Open auctions. @see docs/protocol/ocean.md 2.6 */
export const auctionRoutes: readonly Route[] = [
  get('loans/auctions', async (modules, request) => {
    const asked = pageOf(request, MAX_VAULTS);
    const { size, next } = asked;
    // If the last auction of the page before has ended meanwhile, `listauctions` omits the first auction after it.
    const pagination = next === undefined ? { limit: size } : { start: parseStart(next), including_start: true, limit: size + 1 };
    const listed = new Reader(await modules.operations.call('listauctions', pagination)).list();
    const auctions = listed.filter((auction) => cursorOf(auction) !== next).slice(0, size);
    const last = auctions.at(-1);
    return page(
      await shownVaults(modules, auctions),
      asked,
      () => (last ? cursorOf(last) : ''),
      (auction) => auction,
    );
  }),
];

/** Cursor after an auction: its vault and the height at which it ends. */
function cursorOf(auction: Reader): string {
  return `${auction.get('vaultId').text()}${auction.get('liquidationHeight').digits()}`;
}

/** @throws {OceanError} */
function parseStart(next: string) {
  const vaultId = next.slice(0, HASH_DIGITS);
  const height = next.slice(HASH_DIGITS);
  sortHash(vaultId);
  if (!/^\d{1,9}$/.test(height)) throw invalidNext();
  return { vaultId, height: Number(height) };
}
