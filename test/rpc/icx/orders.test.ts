import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { publicKeyOf } from '../../../src/crypto/ecdsa.js';
import { sha256 } from '../../../src/crypto/hash.js';
import type { DefinedTx } from '../../../src/dfi/context/custom-tx.js';
import { claimDfcHtlc } from '../../../src/dfi/icx/claim-transactions.js';
import { submitDfcHtlc, submitExtHtlc } from '../../../src/dfi/icx/htlc-transactions.js';
import { closeOffer, closeOrder, createOrder, makeOffer } from '../../../src/dfi/icx/order-transactions.js';
import { COIN } from '../../../src/primitives/amount.js';
import { toHex } from '../../../src/util/bytes.js';
import { type RefusalRow, type SentTx, scriptHex, sentTx, testLocked, testRefusals, tried } from '../custom-tx.js';
import { type FounderNode, startFounderNode } from '../founder-node.js';

const FOREIGN = 'mud4VMfbBqXNpbt8ur33KHKx8pk3npSq8c';
const UNKNOWN = 'ab'.repeat(32);
const WARNING = 'ICX and Atomic Swap are experimental features. You might end up losing your funds. USE IT AT YOUR OWN RISK.';
const PUBKEY = toHex(publicKeyOf(new Uint8Array(32).fill(1)));
const SEED = '07'.repeat(32);
const HASH = toHex(sha256(new Uint8Array(32).fill(7)));
const ADDRESS = '13sJQ9wBWh8ssihHUgAaCmNWJbBAG5Hr9N';
const GOLD = 2;

let node: FounderNode;
/** Addresses in one wallet, each with 100 DFI and 50 GOLD. */
let [maker, taker] = ['', ''];
let [makerScript, takerScript] = ['', ''];

/** One BTC costs 100 DFI, so a taker pays a fee of 0.3 DFI for it. */
before(async () => {
  node = await startFounderNode(undefined, ['stranger']);
  const { call, confirm, founder, mint } = node;
  await mint(20, founder);
  [maker, taker] = [String(await call('getnewaddress', ['', 'legacy'])), String(await call('getnewaddress', ['', 'legacy']))];
  [makerScript, takerScript] = [await scriptHex(node, maker), await scriptHex(node, taker)];
  for (const to of [maker, taker]) await call('sendtoaddress', [to, 10]);
  await call('sendtoaddress', [await call('getnewaddress', [], 'stranger'), 5]);
  for (const symbol of ['BTC', 'GOLD']) await confirm('createtoken', [{ symbol, isDAT: true, collateralAddress: founder }]);
  await confirm('minttokens', [['1@BTC', '100@GOLD']]);
  await confirm('utxostoaccount', [{ [founder]: '100@DFI', [maker]: '50@DFI', [taker]: '50@DFI' }]);
  await confirm('accounttoaccount', [founder, { [maker]: '50@GOLD', [taker]: '50@GOLD' }]);
  await confirm('createpoolpair', [{ tokenA: 'BTC', tokenB: 'DFI', status: true, ownerAddress: founder }]);
  await confirm('addpoolliquidity', [{ [founder]: ['1@BTC', '100@DFI'] }, founder]);
});
after(() => node.end());

/** Sends a transaction and mints a block. */
async function made<Body>(method: string, request: unknown, definition: DefinedTx<Body>): Promise<SentTx & { readonly txid: string }> {
  const answer = (await node.call(method, [request])) as { readonly WARNING: string; readonly txid: string };
  assert.deepEqual(Object.entries(answer), [
    ['WARNING', WARNING],
    ['txid', answer.txid],
  ]);
  const sent = sentTx(node, answer.txid, definition);
  assert.deepEqual(sent.outputs, ['0.00000000 message']);
  await node.mint(1, node.founder);
  return { ...sent, txid: answer.txid };
}

const account = async (owner: string): Promise<unknown> => node.call('getaccount', [owner]);

describe('tokens for BTC', () => {
  let [order, offer, htlc] = ['', '', ''];

  test('icx_createorder: the seller authorises and reserves the tokens', async () => {
    const request = { tokenFrom: 'GOLD', chainTo: 'BTC', ownerAddress: maker, receivePubkey: PUBKEY, amountFrom: 10, orderPrice: '0.5' };
    const { txid, body, change } = await made('icx_createorder', request, createOrder);
    const amounts = { amountFrom: 10n * COIN, amountToFill: 10n * COIN, orderPrice: COIN / 2n };
    assert.deepEqual(body, { type: 1, tokenId: GOLD, owner: makerScript, receivePubkey: PUBKEY, ...amounts, expiry: 2880 });
    assert.equal(change, maker);
    assert.deepEqual(await account(maker), ['50.00000000@DFI', '40.00000000@GOLD']);
    order = txid;
  });

  test('icx_makeoffer: the taker authorises and reserves the fee', async () => {
    // Before Metachain the expiry argument is ignored.
    const { txid, body, change } = await made('icx_makeoffer', { orderTx: order, amount: 2, ownerAddress: taker, expiry: 77 }, makeOffer);
    assert.deepEqual(body, { orderTx: order, amount: 2n * COIN, owner: takerScript, receivePubkey: '', expiry: 20, takerFee: 0n });
    assert.equal(change, taker);
    assert.deepEqual(await account(taker), ['49.40000000@DFI', '50.00000000@GOLD']);
    offer = txid;
  });

  test('icx_submitdfchtlc: the seller authorises, and pays the same fee as the taker', async () => {
    const { txid, body, change } = await made('icx_submitdfchtlc', { offerTx: offer, amount: '4', hash: HASH }, submitDfcHtlc);
    assert.deepEqual(body, { offerTx: offer, amount: 4n * COIN, hash: HASH, timeout: 1440 });
    assert.equal(change, maker);
    assert.deepEqual(await account(maker), ['49.40000000@DFI', '40.00000000@GOLD']);
    htlc = txid;
  });

  test('icx_submitexthtlc: the taker authorises', async () => {
    const request = { offerTx: offer, amount: 2, htlcScriptAddress: ` ${ADDRESS} `, hash: HASH, ownerPubkey: PUBKEY, timeout: 24 };
    const { body, change } = await made('icx_submitexthtlc', request, submitExtHtlc);
    const terms = { offerTx: offer, amount: 2n * COIN, hash: HASH, scriptAddress: ADDRESS, ownerPubkey: PUBKEY, timeout: 24 };
    assert.deepEqual([body, change], [terms, taker]);
  });

  test('icx_claimdfchtlc: the seed alone is required; the taker gets the tokens and the seller an incentive', async () => {
    const { body } = await made('icx_claimdfchtlc', { dfchtlcTx: htlc, seed: SEED }, claimDfcHtlc);
    assert.deepEqual(body, { dfcHtlcTx: htlc, seed: SEED });
    assert.deepEqual(await account(taker), ['49.40000000@DFI', '54.00000000@GOLD']);
    assert.deepEqual(await account(maker), ['50.15000000@DFI', '40.00000000@GOLD']);
  });

  test('icx_closeorder: the rest is returned', async () => {
    const answer = (await node.call('icx_closeorder', [order])) as { txid: string };
    const { body, outputs, change } = sentTx(node, answer.txid, closeOrder);
    assert.deepEqual([body, outputs, change], [{ orderTx: order }, ['0.00000000 message'], maker]);
    await node.mint(1, node.founder);
    assert.deepEqual(await account(maker), ['50.15000000@DFI', '46.00000000@GOLD']);
    const closed = `-8 orderTx (${order} is already closed!`;
    assert.equal(await node.call('icx_closeorder', [order]), closed);
  });
});

describe('BTC for tokens', () => {
  let [order, offer, spare, open] = ['', '', '', ''];

  test('icx_createorder, icx_makeoffer: no tokens are reserved yet', async () => {
    const request = { chainFrom: 'BTC', tokenTo: ' GOLD ', ownerAddress: maker, amountFrom: 1, orderPrice: 2, expiry: 3000 };
    const created = await made('icx_createorder', request, createOrder);
    const amounts = { amountFrom: COIN, amountToFill: COIN, orderPrice: 2n * COIN };
    assert.deepEqual(created.body, { type: 2, tokenId: GOLD, owner: makerScript, receivePubkey: '', ...amounts, expiry: 3000 });
    order = created.txid;
    const wanted = { orderTx: order, amount: 2, ownerAddress: taker, receivePubkey: PUBKEY };
    const offered = await made('icx_makeoffer', wanted, makeOffer);
    const terms = { orderTx: order, amount: 2n * COIN, owner: takerScript, receivePubkey: PUBKEY, expiry: 20, takerFee: 0n };
    assert.deepEqual(offered.body, terms);
    offer = offered.txid;
    assert.deepEqual(await account(taker), ['49.10000000@DFI', '54.00000000@GOLD']);
    open = (await made('icx_makeoffer', { ...wanted, amount: 1 }, makeOffer)).txid;
    spare = (await made('icx_makeoffer', { ...wanted, amount: 1 }, makeOffer)).txid;
  });

  test('icx_submitexthtlc by the maker, icx_submitdfchtlc by the taker, icx_claimdfchtlc', async () => {
    const ext = { offerTx: offer, amount: 1, htlcScriptAddress: ADDRESS, hash: HASH, ownerPubkey: PUBKEY, timeout: 72 };
    assert.equal((await made('icx_submitexthtlc', ext, submitExtHtlc)).change, maker);
    const dfc = await made('icx_submitdfchtlc', { offerTx: offer, amount: 2, hash: HASH, timeout: 500 }, submitDfcHtlc);
    assert.deepEqual([dfc.body, dfc.change], [{ offerTx: offer, amount: 2n * COIN, hash: HASH, timeout: 500 }, taker]);
    assert.deepEqual(await account(taker), ['48.80000000@DFI', '52.00000000@GOLD']);
    // Blanks in front of a byte do not count, nor does what follows the last byte.
    const claim = await made('icx_claimdfchtlc', { dfchtlcTx: dfc.txid, seed: `${SEED.replaceAll('07', ' \t07')} 0x` }, claimDfcHtlc);
    assert.deepEqual(claim.body, { dfcHtlcTx: dfc.txid, seed: SEED });
    assert.deepEqual(await account(maker), ['50.22500000@DFI', '48.00000000@GOLD']);
  });

  test('icx_closeoffer: the fee is returned', async () => {
    const answer = (await node.call('icx_closeoffer', [spare])) as { txid: string };
    const { body, outputs, change } = sentTx(node, answer.txid, closeOffer);
    assert.deepEqual([body, outputs, change], [{ offerTx: spare }, ['0.00000000 message'], taker]);
    await node.mint(1, node.founder);
    assert.deepEqual(await account(taker), ['48.95000000@DFI', '52.00000000@GOLD']);
  });

  const needs = (name: string, verb = 'must be non-null') => `-8 Invalid parameters, argument "${name}" ${verb}`;
  const needsObject = (members: string) =>
    `-8 Invalid parameters, arguments 1 must be non-null and expected as object at least with ${members}`;
  const sells = (change: object) => () => [
    { tokenFrom: 'GOLD', chainTo: 'BTC', ownerAddress: maker, receivePubkey: PUBKEY, amountFrom: 1, orderPrice: 1, ...change },
  ];
  const offers = (change: object) => () => [{ orderTx: order, amount: 1, ownerAddress: taker, receivePubkey: PUBKEY, ...change }];
  const dfc = (change: object) => () => [{ offerTx: open, amount: 1, hash: HASH, ...change }];
  const ext = (change: object) => () => [
    { offerTx: open, amount: 1, htlcScriptAddress: ADDRESS, hash: HASH, ownerPubkey: PUBKEY, timeout: 72, ...change },
  ];
  const owner = (method: string) => `-8 Address (${method}) is not owned by the wallet`;
  const rows: readonly RefusalRow[] = [
    ['icx_createorder', [], '-1 usage'],
    ['icx_createorder', [null], '-3 Expected type object, got null'],
    ['icx_createorder', [{}], needs('ownerAddress', 'must be specified')],
    // The type of the inputs is not checked.
    ['icx_createorder', [{}, 'x'], needs('ownerAddress', 'must be specified')],
    ['icx_makeoffer', [{}, true], needs('orderTx')],
    ['icx_submitdfchtlc', [{}, 5], needs('offerTx')],
    ['icx_submitexthtlc', [{}, {}], needs('offerTx')],
    ['icx_claimdfchtlc', [{}, 'x'], needs('dfchtlcTx')],
    ['icx_closeorder', [UNKNOWN, 'x'], `-8 orderTx (${UNKNOWN}) does not exist`],
    ['icx_closeoffer', [UNKNOWN, null], `-8 OfferTx (${UNKNOWN}) does not exist`],
    ['icx_createorder', sells({ ownerAddress: 'nobody' }), '-5 recipient (nobody) does not refer to any valid address'],
    ['icx_createorder', sells({ ownerAddress: FOREIGN }), owner(FOREIGN)],
    ['icx_createorder', sells({}), () => owner(maker), 'stranger'],
    [
      'icx_createorder',
      () => [{ ownerAddress: maker }],
      '-8 Invalid parameters, either "tokenFrom" or "chainFrom" must not be both null - [tokenFrom,chainTo] or [chainFrom,tokenTo].',
    ],
    ['icx_createorder', sells({ chainTo: 'LTC' }), needs('chainTo', 'must be "BTC" if "tokenFrom" specified')],
    ['icx_createorder', () => [{ ownerAddress: maker, chainFrom: 'LTC' }], needs('chainFrom', 'must be "BTC" if "tokenTo" specified')],
    ['icx_createorder', () => [{ ownerAddress: maker, chainFrom: 'BTC' }], needs('tokenTo', 'must not be null if "chainFrom" specified')],
    ['icx_createorder', sells({ amountFrom: null }), needs('amountFrom', 'must not be null')],
    ['icx_createorder', sells({ amountFrom: 'x' }), '-3 Invalid amount'],
    ['icx_createorder', sells({ amountFrom: -1 }), '-3 Amount out of range'],
    ['icx_createorder', sells({ orderPrice: null }), needs('orderPrice', 'must not be null')],
    ['icx_createorder', sells({ tokenFrom: 'NOPE' }), '-8 Token NOPE does not exist!'],
    ['icx_createorder', sells({ receivePubkey: null }), needs('receivePubkey', 'must not be null')],
    ['icx_createorder', sells({ receivePubkey: '02' }), '-5 Invalid public key: 02'],
    ['icx_createorder', sells({ amountFrom: 51 }), () => `-8 Not enough balance for Token GOLD on address ${maker}!`],
    ['icx_createorder', sells({ amountFrom: 0 }), tried('ICXCreateOrder', 'order amountFrom must be greater than 0!')],
    ['icx_createorder', sells({ orderPrice: 0 }), tried('ICXCreateOrder', 'order price must be greater than 0!')],
    ['icx_createorder', sells({ expiry: 2879 }), tried('ICXCreateOrder', 'order expiry must be greater than 2879!')],
    ['icx_makeoffer', [], needsObject('{"orderTx","amount", "receivePubkey|receiveAddress"}')],
    ['icx_makeoffer', [{}], needs('orderTx')],
    ['icx_makeoffer', offers({ amount: null }), needs('amount')],
    ['icx_makeoffer', offers({ ownerAddress: null }), needs('ownerAddress', 'must be specified')],
    ['icx_makeoffer', offers({ ownerAddress: FOREIGN }), owner(FOREIGN)],
    // It is read before Metachain too, although it has no effect.
    ['icx_makeoffer', offers({ orderTx: UNKNOWN, expiry: 'x' }), '-1 JSON value is not an integer as expected'],
    ['icx_makeoffer', offers({ orderTx: UNKNOWN }), `-8 orderTx (${UNKNOWN}) does not exist`],
    ['icx_makeoffer', offers({ receivePubkey: null }), needs('receivePubkey')],
    ['icx_makeoffer', offers({ amount: 60 }), () => `-8 Not enough balance for Token GOLD on address ${taker}!`],
    ['icx_makeoffer', offers({ amount: 0 }), tried('ICXMakeOffer', 'offer amount must be greater than 0!')],
    ['icx_submitdfchtlc', [], needsObject('{"offerTx","amount","receiverAddress","hash"}')],
    ['icx_submitdfchtlc', [{}], needs('offerTx')],
    ['icx_submitdfchtlc', dfc({ amount: null }), needs('amount')],
    ['icx_submitdfchtlc', dfc({ hash: null }), needs('hash')],
    ['icx_submitdfchtlc', dfc({ offerTx: UNKNOWN }), `-8 offerTx (${UNKNOWN}) does not exist`],
    [
      'icx_submitdfchtlc',
      dfc({}),
      () => tried('ICXSubmitDFCHTLC', `offer (${open}) needs to have ext htlc submitted first, but no external htlc found!`),
    ],
    ['icx_submitdfchtlc', dfc({}), () => `-5 Incorrect authorization for ${taker}`, 'stranger'],
    ['icx_submitexthtlc', [], needsObject('{"offerTx","amount","htlcScriptAddress","hash","refundPubkey","timeout"}')],
    ['icx_submitexthtlc', [{}], needs('offerTx')],
    ['icx_submitexthtlc', ext({ amount: null }), needs('amount')],
    ['icx_submitexthtlc', ext({ htlcScriptAddress: null }), needs('htlcScriptAddress')],
    ['icx_submitexthtlc', ext({ hash: null }), needs('hash')],
    ['icx_submitexthtlc', ext({ ownerPubkey: null }), needs('ownerPubkey')],
    ['icx_submitexthtlc', ext({ timeout: null }), needs('timeout')],
    ['icx_submitexthtlc', ext({ offerTx: UNKNOWN }), `-8 offerTx (${UNKNOWN}) does not exist`],
    ['icx_submitexthtlc', ext({ timeout: 71 }), tried('ICXSubmitEXTHTLC', 'timeout must be greater than 71')],
    ['icx_submitexthtlc', ext({ amount: 0 }), tried('ICXSubmitEXTHTLC', 'Invalid amount, must be greater than 0!')],
    ['icx_submitexthtlc', ext({ amount: 5 }), tried('ICXSubmitEXTHTLC', 'amount must be lower or equal the offer one')],
    [
      'icx_submitexthtlc',
      ext({ amount: 0.5, htlcScriptAddress: '' }),
      tried('ICXSubmitEXTHTLC', 'Invalid htlcscriptAddress, htlcscriptAddress is empty and it must be set!'),
    ],
    ['icx_submitexthtlc', ext({ amount: 0.5 }), () => `-5 Incorrect authorization for ${maker}`, 'stranger'],
    ['icx_claimdfchtlc', [], needsObject('{"dfchtlcTx","receiverAddress","seed"}')],
    ['icx_claimdfchtlc', [{}], needs('dfchtlcTx')],
    ['icx_claimdfchtlc', [{ dfchtlcTx: UNKNOWN }], needs('seed')],
    [
      'icx_claimdfchtlc',
      [{ dfchtlcTx: UNKNOWN, seed: SEED }],
      tried('ICXClaimDFCHTLC', `dfc htlc with creation tx ${UNKNOWN} does not exists!`),
    ],
    ['icx_closeoffer', [], '-1 usage'],
    ['icx_closeoffer', [UNKNOWN], `-8 OfferTx (${UNKNOWN}) does not exist`],
    ['icx_closeoffer', () => [spare], () => tried('ICXCloseOffer', `offer with creation tx ${spare} does not exists!`)],
    ['icx_closeoffer', () => [open], () => `-5 Incorrect authorization for ${taker}`, 'stranger'],
    ['icx_closeorder', [], '-1 usage'],
    ['icx_closeorder', [UNKNOWN], `-8 orderTx (${UNKNOWN}) does not exist`],
  ];
  testRefusals(() => node, rows);

  testLocked(
    () => node,
    [
      ['icx_createorder', sells({})],
      ['icx_makeoffer', offers({})],
      ['icx_submitexthtlc', ext({ amount: 0.5 })],
      ['icx_closeoffer', () => [open]],
    ],
  );
});
