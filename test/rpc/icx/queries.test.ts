import assert from 'node:assert/strict';
import { test } from 'node:test';
import { closeEntry, openEntry } from '../../../src/dfi/icx/book-columns.js';
import { type DfcHtlc, dfcHtlcs, type IcxOffer, type IcxOrder, icxClaims, offers, orders } from '../../../src/dfi/icx/columns.js';
import { formatHash, type Hash256, NULL_HASH } from '../../../src/primitives/hash.js';
import { icxHandlers } from '../../../src/services/icx/index.js';
import { EMPTY_BYTES } from '../../../src/util/bytes.js';
import { DfiFixture, heights, script } from '../../unit/dfi/fixture.js';
import { asker } from '../state-asker.js';

const COIN = 100_000_000n;
const id = (n: number): Hash256 => new Uint8Array(32).fill(n);
const shown = (n: number): string => formatHash(id(n));
const ADDRESS = 'bcrt1qqyqszqgpqyqszqgpqyqszqgpqyqszqgpvxat9t';
const WARNING = '"WARNING":"ICX and Atomic Swap are experimental features. You might end up losing your funds. USE IT AT YOUR OWN RISK."';

const sells: IcxOrder = {
  type: 1,
  tokenId: 0,
  owner: script(1),
  receivePubkey: Uint8Array.of(2, 3),
  amountFrom: 4n * COIN,
  amountToFill: 3n * COIN,
  orderPrice: COIN / 2n,
  expiry: 2880,
  creationTx: id(1),
  creationHeight: 100,
  closeTx: NULL_HASH,
  closeHeight: -1,
};
const buys: IcxOrder = { ...sells, type: 2, receivePubkey: EMPTY_BYTES, creationTx: id(2) };
const offer: IcxOffer = {
  orderTx: id(1),
  amount: COIN,
  owner: script(1),
  receivePubkey: EMPTY_BYTES,
  expiry: 20,
  takerFee: 7n,
  creationTx: id(3),
  creationHeight: 101,
};
const contract: DfcHtlc = { offerTx: id(3), amount: 2n * COIN, hash: id(9), timeout: 1440, creationTx: id(4), creationHeight: 102 };

function node(height = 110) {
  const fixture = new DfiFixture(heights());
  openEntry(fixture.view, orders, sells);
  openEntry(fixture.view, orders, buys);
  openEntry(fixture.view, offers, offer);
  const chain = { params: fixture.params, state: fixture.view, tip: { height }, isInitialDownload: () => false };
  return { fixture, ask: asker(icxHandlers, { chain: chain as never, wallets: undefined }) };
}

const shownSale =
  `"${shown(1)}":{"status":"OPEN","type":"INTERNAL","tokenFrom":"DFI","chainTo":"BTC","receivePubkey":"0203",` +
  `"ownerAddress":"${ADDRESS}","amountFrom":4.00000000,"amountToFill":3.00000000,"orderPrice":0.50000000,` +
  '"amountToFillInToAsset":1.50000000,"height":100,"expireHeight":2980}';

test('icx_getorder shows an order or an offer', async () => {
  const { ask } = node();
  const warning = WARNING.replace('WARNING', 'EXPERIMENTAL warning:');
  assert.equal(await ask('icx_getorder', [shown(1)]), `{${warning},${shownSale}}`);
  assert.equal(
    await ask('icx_getorder', [`0x${shown(3)}`]),
    `{${warning},"${shown(3)}":{"orderTx":"${shown(1)}","status":"OPEN","amount":1.00000000,"amountInFromAsset":2.00000000,` +
      `"ownerAddress":"${ADDRESS}","takerFee":0.00000007,"expireHeight":121}}`,
  );
  assert.equal(await ask('icx_getorder', ['7']), `-8 orderTx (${'7'.padStart(64, '0')}) does not exist`);
});

test('icx_listorders shows open or closed orders, or the offers to one', async () => {
  const { ask, fixture } = node();
  const keys = async (by?: object) => Object.keys(JSON.parse(await ask('icx_listorders', by ? [by] : []))).slice(1);
  assert.deepEqual(await keys(), [shown(1), shown(2)]);
  assert.deepEqual(await keys({ limit: 1 }), [shown(1)]);
  assert.deepEqual(await keys({ limit: 0 }), []);
  assert.deepEqual(await keys({ token: 'DFI', chain: 'BTC' }), [shown(1), shown(2)]);
  assert.equal(await ask('icx_listorders', [{ token: 'GOLD', chain: 'BTC' }]), '-8 Token GOLD does not exist!');
  // Without a chain the token is ignored.
  assert.deepEqual(await keys({ token: 'GOLD' }), [shown(1), shown(2)]);
  assert.deepEqual(await keys({ orderTx: shown(1) }), [shown(3)]);
  assert.deepEqual(await keys({ orderTx: shown(1), closed: true }), []);
  closeEntry(fixture.view, orders, { ...buys, closeTx: id(8), closeHeight: 105 }, 1);
  assert.deepEqual([await keys(), await keys({ closed: true })], [[shown(1)], [shown(2)]]);
  const closed = JSON.parse(await ask('icx_getorder', [shown(2)]))[shown(2)] as Record<string, unknown>;
  assert.deepEqual([closed.status, closed.closeHeight, closed.closeTx, closed.tokenTo], ['CLOSED', 105, shown(8), 'DFI']);
});

test('an expired order is marked as expired', async () => {
  const expired = async (height: number) => JSON.parse(await node(height).ask('icx_getorder', [shown(1)]))[shown(1)].expired as unknown;
  assert.deepEqual([await expired(2979), await expired(2980)], [undefined, true]);
});

test('icx_listhtlcs shows claims, then contracts', async () => {
  const { ask, fixture } = node();
  openEntry(fixture.view, dfcHtlcs, contract);
  const by = [{ offerTx: shown(3) }];
  assert.equal(
    await ask('icx_listhtlcs', by),
    `{${WARNING},"${shown(4)}":{"type":"DFC","status":"OPEN","offerTx":"${shown(3)}","amount":2.00000000,` +
      `"amountInEXTAsset":1.00000000,"hash":"${shown(9)}","timeout":1440,"height":102,"refundHeight":1542}}`,
  );
  closeEntry(fixture.view, dfcHtlcs, contract, 1);
  fixture.view.put(icxClaims, { offerTx: id(3), txid: id(5) }, { dfcHtlcTx: id(4), seed: Uint8Array.of(1, 2), height: 103 });
  assert.equal(
    await ask('icx_listhtlcs', by),
    `{${WARNING},"${shown(5)}":{"type":"CLAIM DFC","dfchtlcTx":"${shown(4)}","seed":"0102","height":103}}`,
  );
  assert.deepEqual(Object.keys(JSON.parse(await ask('icx_listhtlcs', [{ offerTx: shown(3), closed: true }]))).slice(1), [
    shown(5),
    shown(4),
  ]);
  assert.equal(await ask('icx_listhtlcs', [{}]), '-8 Invalid parameters, argument "offerTx" must be non-null');
});
