import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AuctionBidBody, auctionBid } from '../../../src/dfi/auctions/transactions.js';
import { addBids, bids, bidsBefore, placeAfter } from '../../../src/ocean/index/bids.js';
import type { IndexedBlock } from '../../../src/ocean/index/indexed-block.js';
import { type Codec, encode } from '../../../src/primitives/codec.js';
import { formatHash, parseHash256 } from '../../../src/primitives/hash.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { Overlay } from '../../../src/storage/overlay.js';
import type { StateView } from '../../../src/storage/view.js';
import { fromHex } from '../../../src/util/bytes.js';

const VAULT = parseHash256('a1'.repeat(32));
const OTHER_VAULT = parseHash256('a2'.repeat(32));
const BIDDER = fromHex(`0014${'7c'.repeat(20)}`);
const ANY_HEIGHT = 0;

/** Bid of a block: the first digits of its txid, the batch and the amount. */
interface Bid {
  readonly txid: string;
  readonly index?: number;
  readonly vaultId?: Uint8Array;
  readonly amount?: bigint;
}

/** Block with bids, among them a transaction of another type and one whose message does not decode. */
function block(height: number, ...given: readonly Bid[]): IndexedBlock {
  const codec = auctionBid.codec as Codec<AuctionBidBody>;
  const applied = given.map(({ txid, index = 0, vaultId = VAULT, amount = 1n }) => ({
    tx: { txid: parseHash256(txid.padEnd(64, '0')) },
    type: 'I',
    body: encode(codec, { vaultId, index, from: BIDDER, amount: { tokenId: 7, amount } }),
  }));
  const [first] = applied;
  const others = first
    ? [
        { ...first, type: 'V' },
        { ...first, body: first.body.subarray(1) },
      ]
    : [];
  return { entry: { height }, customTxs: [...others, ...applied] } as unknown as IndexedBlock;
}

function listed(view: StateView, before = placeAfter(1_000), index = 0, lowest = ANY_HEIGHT): string[] {
  return [...bidsBefore(view, { vaultId: VAULT, index }, before, lowest)].map(
    ([{ height, txid }, { amount }]) => `${height} ${formatHash(txid).slice(0, 4)} ${amount.amount}`,
  );
}

/** Index of four bids for batch 0 in three blocks, besides bids for other batches. */
function scene(): Overlay {
  const view = new Overlay(new MemoryStore());
  addBids(view, block(255, { txid: 'bb01', amount: 5n }, { txid: 'bb02', index: 1 }, { txid: 'bb03', vaultId: OTHER_VAULT }));
  addBids(view, block(256, { txid: '01ff', amount: 7n }, { txid: 'ff01', amount: 6n }));
  addBids(view, block(300, { txid: 'cc01', amount: 9n }));
  return view;
}

test('Bids for a batch are listed by height and by the digits of their txids, newest first', () => {
  assert.deepEqual(listed(scene()), ['300 cc01 9', '256 ff01 6', '256 01ff 7', '255 bb01 5']);
  assert.deepEqual(listed(scene(), placeAfter(1_000), 1), ['255 bb02 1']);
  assert.deepEqual(listed(scene(), placeAfter(1_000), 2), []);
});

test('A list ends at its lowest height and begins below its place, whether that is a bid or not', () => {
  assert.deepEqual(listed(scene(), placeAfter(300), 0, 256), ['300 cc01 9', '256 ff01 6', '256 01ff 7']);
  assert.deepEqual(listed(scene(), placeAfter(299), 0, 257), []);
  const place = (txid: string) => ({ height: 256, txid: parseHash256(txid.padEnd(64, '0')) });
  assert.deepEqual(listed(scene(), place('ff01')), ['256 01ff 7', '255 bb01 5']);
  assert.deepEqual(listed(scene(), place('ff02')), ['256 ff01 6', '256 01ff 7', '255 bb01 5']);
  assert.deepEqual(listed(scene(), place('01ff')), ['255 bb01 5']);
});

test('A bid keeps the script and the token of its amount', () => {
  const [[, bid] = assert.fail()] = scene().entries(bids);
  assert.deepEqual(bid, { owner: BIDDER, amount: { tokenId: 7, amount: 5n } });
});

test('The record of changes takes the bids of a block back', () => {
  const view = scene();
  const before = [...view.entries(bids)];
  const changes = new Overlay(view);
  addBids(changes, block(301, { txid: 'dd01' }, { txid: 'dd02', index: 1 }));
  const undo = changes.undo();
  changes.commit();
  assert.equal([...view.entries(bids)].length, before.length + 2);
  view.restore(undo);
  assert.deepEqual([...view.entries(bids)], before);
});
