import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { publicKeyOf } from '../../../../src/crypto/ecdsa.js';
import { sha256 } from '../../../../src/crypto/hash.js';
import { accountBalances } from '../../../../src/dfi/accounts/columns.js';
import { attributes } from '../../../../src/dfi/attributes/attributes.js';
import { attributeAt } from '../../../../src/dfi/attributes/path.js';
import { setGovernedNumber } from '../../../../src/dfi/governance/governed-columns.js';
import { type Book, type BookEntry, listEntries, statusOf } from '../../../../src/dfi/icx/book-columns.js';
import { claimDfcHtlc } from '../../../../src/dfi/icx/claim-transactions.js';
import {
  dfcHtlcs,
  extHtlcs,
  type IcxOffer,
  type IcxOrder,
  type OfferTerms,
  type OrderTerms,
  offers,
  orders,
} from '../../../../src/dfi/icx/columns.js';
import { icxExpiry } from '../../../../src/dfi/icx/expiry-event.js';
import { submitDfcHtlc, submitExtHtlc } from '../../../../src/dfi/icx/htlc-transactions.js';
import { closeOffer, closeOrder, createOrder, makeOffer } from '../../../../src/dfi/icx/order-transactions.js';
import { keepsOrderBook } from '../../../../src/dfi/icx/rules.js';
import { putHoldings, putNewPool } from '../../../../src/dfi/pools/columns.js';
import { putToken, TokenFlag } from '../../../../src/dfi/tokens/columns.js';
import { networkParams } from '../../../../src/params/index.js';
import type { NetworkName, NetworkParams } from '../../../../src/params/network.js';
import { type Hash256, NULL_HASH } from '../../../../src/primitives/hash.js';
import { EMPTY_BYTES, reverseBytes, toHex } from '../../../../src/util/bytes.js';
import { DfiFixture, dfi, heights, type Sent, script } from '../fixture.js';

const COIN = 100_000_000n;
const BTC = 1;
const POOL = 2;
const GOLD = 3;
const maker = script(1);
const taker = script(2);
const stranger = script(3);
const key = publicKeyOf(new Uint8Array(32).fill(1));
const seed = new Uint8Array(32).fill(7);
// Results show the hash in this order; messages contain it reversed.
const hash = reverseBytes(sha256(seed));
const PAYA = { eunos: 0, eunosPaya: 0 };

function addToken(desk: DfiFixture, id: number, symbol: string): void {
  putToken(desk.view, id, {
    symbol,
    name: symbol,
    decimal: 8,
    limit: 0n,
    flags: TokenFlag.dat | TokenFlag.tradeable,
    minted: 0n,
    creationTx: new Uint8Array(32).fill(id),
    destructionTx: NULL_HASH,
    creationHeight: 0,
    destructionHeight: -1,
  });
}

/** One BTC costs 100 DFI, so the taker's fee for it is 0.3 DFI. Maker and taker have some of every token. */
function market(params: NetworkParams = heights(PAYA)): DfiFixture {
  const desk = new DfiFixture(params);
  addToken(desk, BTC, 'BTC');
  addToken(desk, POOL, 'BTC-DFI');
  addToken(desk, GOLD, 'GOLD');
  const terms = {
    tokenA: BTC,
    tokenB: 0,
    commission: 0n,
    owner: stranger,
    status: true,
    creationTx: new Uint8Array(32).fill(POOL),
    creationHeight: 0,
    rewards: [],
  };
  putNewPool(desk.view, POOL, terms);
  const holdings = { reserveA: COIN, reserveB: 100n * COIN, totalLiquidity: 10n * COIN, commissionA: 0n, commissionB: 0n };
  putHoldings(desk.view, POOL, 1, { ...terms, ...holdings });
  for (const owner of [maker, taker]) {
    for (const tokenId of [0, BTC, GOLD]) desk.give(owner, tokenId, 1000n * COIN);
  }
  return desk;
}

/** Order to sell 10 GOLD, each for half a BTC. */
const selling: OrderTerms = {
  type: 1,
  tokenId: GOLD,
  owner: maker,
  receivePubkey: key,
  amountFrom: 10n * COIN,
  amountToFill: 10n * COIN,
  orderPrice: COIN / 2n,
  expiry: 2880,
};
/** Order to sell 10 BTC, each for two GOLD. */
const buying: OrderTerms = { ...selling, type: 2, receivePubkey: EMPTY_BYTES, orderPrice: 2n * COIN };

const byMaker = { from: [maker], outputs: [dfi(1n, maker)] };
const byTaker = { from: [taker], outputs: [dfi(1n, taker)] };

/** Last entry of a book that a message created. */
function done<Entry extends BookEntry>(desk: DfiFixture, book: Book<never, Entry>, failure: string | undefined): Entry {
  assert.equal(failure, undefined);
  const all = [...desk.view.entries(book.entries)].map(([, entry]) => entry);
  return all.reduce((last, entry) => (entry.creationHeight >= last.creationHeight ? entry : last));
}

function place(desk: DfiFixture, terms = selling, height = 100): IcxOrder {
  return done(desk, orders as Book<never, IcxOrder>, desk.failure(createOrder, terms, { ...byMaker, height }));
}

function offerFor(order: IcxOrder, amount: bigint): OfferTerms {
  return { orderTx: order.creationTx, amount, owner: taker, receivePubkey: key, expiry: 20, takerFee: 12_345n };
}

function offer(desk: DfiFixture, order: IcxOrder, amount: bigint, height = 101): IcxOffer {
  return done(desk, offers as Book<never, IcxOffer>, desk.failure(makeOffer, offerFor(order, amount), { ...byTaker, height }));
}

function dfcFor({ creationTx }: IcxOffer, amount: bigint, timeout = 1440) {
  return { offerTx: creationTx, amount, hash, timeout };
}

function extFor({ creationTx }: IcxOffer, amount: bigint, timeout = 24) {
  return { offerTx: creationTx, amount, hash, scriptAddress: '2N1', ownerPubkey: key, timeout };
}

function statuses<Parent, Entry extends BookEntry>(desk: DfiFixture, book: Book<Parent, Entry>): number[] {
  return [...desk.view.entries(book.entries)].map(([, entry]) => statusOf(desk.view, book, entry));
}

describe('orders', () => {
  const cases: readonly (readonly [name: string, terms: OrderTerms, expected: string | undefined])[] = [
    ['that sell', selling, undefined],
    ['that buy', buying, undefined],
    ['of another owner', { ...selling, owner: taker }, 'tx must have at least one input from order owner'],
    ['of no token', { ...selling, tokenId: 9 }, 'token 9 does not exist!'],
    ['without a key', { ...selling, receivePubkey: EMPTY_BYTES }, 'receivePubkey must be valid pubkey'],
    [
      'with a key off the curve',
      { ...selling, receivePubkey: Uint8Array.of(2, ...new Uint8Array(32).fill(255)) },
      'receivePubkey must be valid pubkey',
    ],
    ['for more than there is', { ...selling, amountFrom: 1001n * COIN }, 'amount 1000.00000000 is less than 1001.00000000'],
    ['of another type', { ...selling, type: 3 }, 'invalid order type!'],
    ['for nothing', { ...buying, amountFrom: 0n }, 'order amountFrom must be greater than 0!'],
    ['that are filled in part', { ...buying, amountToFill: 1n }, 'order amountToFill does not equal to amountFrom!'],
    ['without price', { ...buying, orderPrice: 0n }, 'order price must be greater than 0!'],
    ['that end too soon', { ...buying, expiry: 2879 }, 'order expiry must be greater than 2879!'],
  ];
  for (const [name, terms, expected] of cases) {
    test(name, () => assert.equal(market().failure(createOrder, terms, byMaker), expected && `ICXCreateOrderTx: ${expected}`));
  }

  test('move the token for sale to escrow, and nothing else', () => {
    const desk = market();
    const order = place(desk);
    assert.deepEqual([desk.balance(maker, GOLD), desk.balance(order.creationTx, GOLD)], [990n * COIN, 10n * COIN]);
    const other = market();
    place(other, buying);
    assert.equal(other.balance(maker, GOLD), 1000n * COIN);
  });

  test('accept up to 65 bytes as a key and drop trailing bytes', () => {
    for (const [size, text] of [
      [33, undefined],
      [65, undefined],
      [66, 'ICXCreateOrderTx: receivePubkey must be valid pubkey'],
      [32, 'ICXCreateOrderTx: receivePubkey must be valid pubkey'],
    ] as const) {
      const desk = market();
      const bytes = new Uint8Array(size);
      bytes.set(key.subarray(0, size));
      assert.equal(desk.failure(createOrder, { ...selling, receivePubkey: bytes }, byMaker), text);
      const [[, order] = []] = [...desk.view.entries(orders.entries)];
      if (order) assert.equal(toHex(order.receivePubkey), toHex(key));
    }
  });

  test('of the empty script are not debited', () => {
    const desk = market();
    const terms = { ...selling, owner: EMPTY_BYTES };
    assert.equal(desk.failure(createOrder, terms, { ...byMaker, from: [EMPTY_BYTES] }), undefined);
    const [[id] = []] = [...desk.view.entries(orders.entries)];
    assert.ok(id);
    assert.deepEqual([desk.balance(EMPTY_BYTES, GOLD), desk.balance(id, GOLD)], [0n, 10n * COIN]);
  });

  test('start with Eunos, and need two outputs until Eunos Paya', () => {
    assert.equal(market(heights({ eunos: 101 })).failure(createOrder, selling, byMaker), 'ICXCreateOrderTx: called before Eunos height');
    const early = (sent: Sent) => market(heights({ eunos: 0, eunosPaya: 101 })).failure(createOrder, selling, sent);
    assert.equal(early(byMaker), undefined);
    assert.equal(early({ from: [maker] }), 'ICXCreateOrderTx: malformed tx vouts ((wrong number of vouts)');
    assert.equal(
      market().failure(createOrder, selling, { ...byMaker, value: 1n }),
      'ICXCreateOrderTx: malformed tx vouts, first vout must be OP_RETURN vout with value 0',
    );
  });

  test('need an attribute from Metachain on', () => {
    const desk = market(heights({ ...PAYA, metachain: 100 }));
    assert.equal(desk.failure(createOrder, selling, { ...byMaker, height: 99 }), undefined);
    assert.equal(desk.failure(createOrder, selling, byMaker), 'ICXCreateOrderTx: Cannot create tx, ICX is not enabled');
    desk.view.put(attributes, attributeAt('v0/params/feature/icx'), { kind: 'bool', value: true });
    assert.equal(desk.failure(createOrder, selling, byMaker), undefined);
  });

  test('were disabled on the main network with Fort Canning Park', () => {
    const params: NetworkParams = { ...heights({ ...PAYA, fortCanningPark: 100 }), isRegtest: false };
    assert.equal(market(params).failure(createOrder, selling, { ...byMaker, height: 99 }), undefined);
    assert.equal(market(params).failure(createOrder, selling, byMaker), 'ICXCreateOrderTx: Disabled custom transaction');
  });

  test('refund the rest when they are closed, once', () => {
    const desk = market();
    const { creationTx: orderTx } = place(desk);
    assert.equal(
      desk.failure(closeOrder, { orderTx }, { ...byTaker, height: 110 }),
      'ICXCloseOrderTx: tx must have at least one input from order owner',
    );
    assert.equal(desk.failure(closeOrder, { orderTx }, { ...byMaker, height: 110 }), undefined);
    assert.deepEqual([desk.balance(maker, GOLD), statuses(desk, orders)], [1000n * COIN, [1]]);
    assert.match(desk.failure(closeOrder, { orderTx }, { ...byMaker, height: 111 }) ?? '', /is already closed!$/);
  });

  test('expire, which refunds the rest', () => {
    const desk = market();
    place(desk);
    desk.runEvent(icxExpiry, 100 + 2879);
    assert.deepEqual([desk.balance(maker, GOLD), statuses(desk, orders)], [990n * COIN, [0]]);
    desk.runEvent(icxExpiry, 100 + 2880);
    assert.deepEqual([desk.balance(maker, GOLD), statuses(desk, orders)], [1000n * COIN, [3]]);
    assert.deepEqual([...listEntries(desk.view, orders, 'open')], []);
  });
});

describe('offers', () => {
  test('pay a fee by the price of the pool', () => {
    const desk = market();
    // 5 BTC cost 1.5 DFI; the fee in the message is ignored.
    assert.equal(offer(desk, place(desk), 5n * COIN).takerFee, 150_000_000n);
    assert.equal(desk.balance(taker), 1000n * COIN - 150_000_000n);
    const other = market();
    setGovernedNumber(other.view, 'takerFee', 100_000n);
    // 4 GOLD are worth 2 BTC.
    assert.equal(offer(other, place(other, buying), 4n * COIN).takerFee, 20_000_000n);
  });

  test('are rejected if invalid', () => {
    const desk = market();
    const order = place(desk);
    const refusal = (terms: Partial<OfferTerms>, sent: Sent = byTaker) =>
      desk.failure(makeOffer, { ...offerFor(order, COIN), ...terms }, { ...sent, height: 101 });
    const prefix = 'ICXMakeOfferTx: ';
    assert.equal(refusal({}, byMaker), `${prefix}tx must have at least one input from order owner`);
    assert.equal(refusal({ orderTx: NULL_HASH }), `${prefix}order with creation tx ${'00'.repeat(32)} does not exists!`);
    assert.equal(refusal({ expiry: 19 }), `${prefix}offer expiry must be greater than 19!`);
    assert.equal(refusal({ amount: 0n }), `${prefix}offer amount must be greater than 0!`);
    assert.equal(refusal({ receivePubkey: EMPTY_BYTES }), undefined);
    const bought = place(desk, buying, 102);
    assert.equal(refusal({ orderTx: bought.creationTx, receivePubkey: EMPTY_BYTES }), `${prefix}receivePubkey must be valid pubkey`);
  });

  test('could expire earlier before Eunos Paya', () => {
    const desk = market(heights({ eunos: 0, eunosPaya: 1000 }));
    const order = place(desk);
    const refusal = (expiry: number) => desk.failure(makeOffer, { ...offerFor(order, COIN), expiry }, { ...byTaker, height: 101 });
    assert.equal(refusal(9), 'ICXMakeOfferTx: offer expiry must be greater than 9!');
    assert.equal(refusal(10), undefined);
  });

  test('refund the fee when they are closed or expire', () => {
    for (const closes of [true, false]) {
      const desk = market();
      const { creationTx: offerTx } = offer(desk, place(desk), COIN);
      if (closes) assert.equal(desk.failure(closeOffer, { offerTx }, { ...byTaker, height: 105 }), undefined);
      desk.runEvent(icxExpiry, 121);
      assert.deepEqual([desk.balance(taker), statuses(desk, offers)], [1000n * COIN, [closes ? 1 : 2]]);
      assert.match(desk.failure(closeOffer, { offerTx }, { ...byTaker, height: 122 }) ?? '', /does not exists!$/);
    }
  });

  test('to external orders could not be closed before Eunos Paya', () => {
    const desk = market(heights({ eunos: 0, eunosPaya: 1000 }));
    const { creationTx: offerTx } = offer(desk, place(desk, buying), COIN);
    const refused = 'ICXCloseOfferTx: amount 0.00000000 is less than 1.00000000';
    assert.equal(desk.failure(closeOffer, { offerTx }, { ...byTaker, height: 105 }), refused);
  });
});

describe('swap of a token for BTC', () => {
  /** Runs up to the maker's HTLC of 4 GOLD, for 2 of the 5 BTC that were offered. */
  const committed = () => {
    const desk = market();
    const order = place(desk);
    const taken = offer(desk, order, 5n * COIN);
    assert.equal(desk.failure(submitDfcHtlc, dfcFor(taken, 4n * COIN), { ...byMaker, height: 102 }), undefined);
    return { desk, order, taken };
  };

  test('moves the token to escrow, and burns the due part of the fee', () => {
    const { desk } = committed();
    // 2 of 5 BTC: 0.6 of 1.5 DFI from the taker, and the same from the maker.
    const fee = 60_000_000n;
    assert.deepEqual([desk.balance(taker), desk.balance(maker)], [1000n * COIN - fee, 1000n * COIN - fee]);
    assert.equal(desk.balance(desk.params.scripts.burn), 2n * fee);
  });

  test('completes with the seed', () => {
    const { desk, taken } = committed();
    assert.equal(desk.failure(submitExtHtlc, extFor(taken, 2n * COIN), { ...byTaker, height: 103 }), undefined);
    const [[dfcHtlcTx = NULL_HASH] = []] = [...desk.view.entries(dfcHtlcs.entries)];
    const wrong = desk.failure(claimDfcHtlc, { dfcHtlcTx, seed: new Uint8Array(32) }, { from: [stranger], height: 104 });
    assert.match(wrong ?? '', /^ICXClaimDFCHTLCTx: hash generated from given seed is different than in dfc htlc: /);
    assert.equal(desk.failure(claimDfcHtlc, { dfcHtlcTx, seed }, { from: [stranger], height: 104 }), undefined);
    const fee = 60_000_000n;
    assert.equal(desk.balance(taker, GOLD), 1004n * COIN);
    // The deposit, and a quarter of it.
    assert.equal(desk.balance(maker), 1000n * COIN + fee / 4n);
    assert.deepEqual([statuses(desk, orders), statuses(desk, offers)], [[0], [1]]);
    assert.deepEqual([statuses(desk, dfcHtlcs), statuses(desk, extHtlcs)], [[1], [1]]);
    assert.equal([...desk.view.entries(orders.entries)][0]?.[1].amountToFill, 6n * COIN);
    const again = desk.failure(claimDfcHtlc, { dfcHtlcTx, seed }, { from: [stranger], height: 105 });
    assert.equal(again, 'ICXClaimDFCHTLCTx: dfc htlc not found or already claimed or refunded!');
  });

  test('fills the order', () => {
    const desk = market();
    const taken = offer(desk, place(desk), 5n * COIN);
    desk.send(submitDfcHtlc, dfcFor(taken, 10n * COIN), { ...byMaker, height: 102 });
    const [[dfcHtlcTx = NULL_HASH] = []] = [...desk.view.entries(dfcHtlcs.entries)];
    assert.equal(desk.failure(claimDfcHtlc, { dfcHtlcTx, seed }, { from: [stranger], height: 103 }), undefined);
    assert.deepEqual(statuses(desk, orders), [2]);
  });

  test('has a bonus for an order of BTC at price 1', () => {
    const desk = market();
    const taken = offer(desk, place(desk, { ...selling, tokenId: BTC, orderPrice: COIN }), COIN);
    desk.send(submitDfcHtlc, dfcFor(taken, COIN), { ...byMaker, height: 102 });
    const [[dfcHtlcTx = NULL_HASH] = []] = [...desk.view.entries(dfcHtlcs.entries)];
    assert.equal(desk.failure(claimDfcHtlc, { dfcHtlcTx, seed }, { from: [stranger], height: 103 }), undefined);
    const fee = 30_000_000n;
    assert.equal(desk.balance(maker), 1000n * COIN + fee / 4n + fee / 2n);
  });

  test('had that bonus in BTC on networks that lost the order book', () => {
    const fee = 30_000_000n;
    const bonusOn = (change: Partial<NetworkParams>, metachain = 10_000_000) => {
      const desk = market({ ...heights({ ...PAYA, metachain }), ...change });
      desk.view.put(attributes, attributeAt('v0/params/feature/icx'), { kind: 'bool', value: true });
      const taken = offer(desk, place(desk, { ...selling, tokenId: BTC, orderPrice: COIN }), COIN);
      desk.send(submitDfcHtlc, dfcFor(taken, COIN), { ...byMaker, height: 102 });
      const [[dfcHtlcTx = NULL_HASH] = []] = [...desk.view.entries(dfcHtlcs.entries)];
      assert.equal(desk.failure(claimDfcHtlc, { dfcHtlcTx, seed }, { from: [stranger], height: 103 }), undefined);
      // The order received one of the maker's BTC and returned nothing.
      return [desk.balance(maker) - 1000n * COIN - fee / 4n, desk.balance(maker, BTC) - 990n * COIN];
    };
    const main = { isRegtest: false, isTestnet: false };
    const testnet = { isRegtest: false, isTestnet: true };
    assert.deepEqual(bonusOn(main, 104), [0n, fee / 2n]);
    assert.deepEqual(bonusOn(main, 103), [fee / 2n, 0n]);
    assert.deepEqual(bonusOn(testnet, 103), [0n, fee / 2n], 'long before the height that decides there');
  });

  test('refunds the order if the taker does not answer, including the deposit', () => {
    const { desk, order } = committed();
    desk.runEvent(icxExpiry, 202);
    assert.deepEqual([desk.balance(order.creationTx, GOLD), desk.balance(maker)], [10n * COIN, 1000n * COIN]);
    assert.deepEqual(statuses(desk, dfcHtlcs), [3]);
  });

  test('refunds the order after the timeout without a claim', () => {
    const { desk, order, taken } = committed();
    desk.send(submitExtHtlc, extFor(taken, 2n * COIN), { ...byTaker, height: 103 });
    desk.runEvent(icxExpiry, 202);
    assert.deepEqual(statuses(desk, dfcHtlcs), [0]);
    desk.runEvent(icxExpiry, 102 + 1440);
    assert.deepEqual([desk.balance(order.creationTx, GOLD), desk.balance(maker)], [10n * COIN, 1000n * COIN - 60_000_000n]);
    assert.deepEqual(statuses(desk, dfcHtlcs), [2]);
  });

  test('is rejected if invalid', () => {
    const { desk, taken } = committed();
    const other = offer(desk, place(desk, selling, 103), COIN, 104);
    const dfc = (body: Partial<ReturnType<typeof dfcFor>>, sent: Sent = byMaker) =>
      desk.failure(submitDfcHtlc, { ...dfcFor(other, COIN), ...body }, { height: 105, ...sent })?.replace('ICXSubmitDFCHTLCTx: ', '');
    const ext = (body: Partial<ReturnType<typeof extFor>>, sent: Sent = byTaker) =>
      desk.failure(submitExtHtlc, { ...extFor(taken, 2n * COIN), ...body }, { height: 105, ...sent })?.replace('ICXSubmitEXTHTLCTx: ', '');
    assert.match(dfc({ offerTx: NULL_HASH }) ?? '', /^offer with creation tx 0+ does not exists!$/);
    assert.equal(dfc({ timeout: 2879 }), 'order will expire before dfc htlc expires!');
    assert.equal(dfc({ offerTx: taken.creationTx }), 'dfc htlc already submitted!');
    assert.equal(dfc({}, byTaker), 'tx must have at least one input from order owner');
    assert.equal(dfc({ timeout: 1439 }), 'timeout must be greater than 1439');
    assert.equal(dfc({ amount: 2n * COIN + 2n }), 'amount must be lower or equal the offer one');
    assert.equal(dfc({ amount: 0n }), 'Invalid amount, must be greater than 0!');
    assert.equal(dfc({ hash: NULL_HASH }), 'Invalid hash, htlc hash is empty and it must be set!');
    assert.match(ext({ offerTx: NULL_HASH }) ?? '', /^order with creation tx 0+ does not exists!$/);
    assert.equal(ext({ timeout: 180 }), 'order will expire before ext htlc expires!');
    assert.equal(ext({}, byMaker), 'tx must have at least one input from offer owner');
    assert.match(ext({ offerTx: other.creationTx }) ?? '', /needs to have dfc htlc submitted first, but no dfc htlc found!$/);
    assert.equal(ext({ amount: COIN }), 'amount must be equal to calculated dfchtlc amount');
    assert.equal(ext({ hash: seed }), 'Invalid hash, external htlc hash is different than dfc htlc hash');
    assert.equal(ext({ timeout: 23 }), 'timeout must be greater than 23');
    // 1437 blocks remain; 72 blocks of Bitcoin count as 1440.
    assert.equal(ext({ timeout: 72 }), 'timeout must be less than expiration period of 1st htlc in DFC blocks');
    assert.match(ext({ scriptAddress: '' }) ?? '', /^Invalid htlcscriptAddress/);
    assert.equal(ext({ ownerPubkey: EMPTY_BYTES }), 'Invalid refundPubkey is not a valid pubkey!');
    assert.equal(ext({ timeout: 71 }), undefined);
    assert.equal(ext({}), 'ext htlc already submitted!');
    desk.runEvent(icxExpiry, 124);
    assert.match(dfc({}, { ...byMaker, height: 125 }) ?? '', /^offerTx \(.*\) has expired$/);
  });

  test('before Eunos Paya the fee followed the price, and could not increase', () => {
    const desk = market(heights({ eunos: 0, eunosPaya: 10_000 }));
    const order = place(desk);
    const taken = offer(desk, order, 5n * COIN);
    setGovernedNumber(desk.view, 'takerFee', 400_000n);
    const submit = (amount: bigint) => desk.failure(submitDfcHtlc, dfcFor(taken, amount, 500), { ...byMaker, height: 102 });
    assert.equal(submit(10n * COIN), 'ICXSubmitDFCHTLCTx: negative amount: -0.50000000');
    assert.equal(submit(4n * COIN), undefined);
    assert.equal(desk.balance(taker), 1000n * COIN - 80_000_000n);
  });
});

describe('swap of BTC for a token', () => {
  /** Runs up to the maker's HTLC of 2 BTC, for 4 of the 6 GOLD that were offered. */
  const committed = () => {
    const desk = market();
    const order = place(desk, buying);
    const taken = offer(desk, order, 6n * COIN);
    assert.equal(desk.failure(submitExtHtlc, extFor(taken, 2n * COIN, 72), { ...byMaker, height: 102 }), undefined);
    return { desk, order, taken };
  };

  test('completes with the seed', () => {
    const { desk, taken } = committed();
    assert.equal(desk.failure(submitDfcHtlc, dfcFor(taken, 4n * COIN, 480), { ...byTaker, height: 103 }), undefined);
    assert.equal(desk.balance(taker, GOLD), 996n * COIN);
    const [[dfcHtlcTx = NULL_HASH] = []] = [...desk.view.entries(dfcHtlcs.entries)];
    assert.equal(desk.failure(claimDfcHtlc, { dfcHtlcTx, seed }, { from: [stranger], height: 104 }), undefined);
    const fee = 60_000_000n;
    assert.deepEqual(
      [desk.balance(maker, GOLD), desk.balance(maker), desk.balance(taker)],
      [1004n * COIN, 1000n * COIN + fee / 4n, 1000n * COIN - fee],
    );
    assert.equal([...desk.view.entries(orders.entries)][0]?.[1].amountToFill, 8n * COIN);
  });

  test('refunds the deposit if the taker does not answer', () => {
    const { desk } = committed();
    desk.runEvent(icxExpiry, 202);
    assert.deepEqual([desk.balance(maker), statuses(desk, extHtlcs)], [1000n * COIN, [3]]);
  });

  test('refunds the token to the taker after the timeout', () => {
    const { desk, taken } = committed();
    desk.send(submitDfcHtlc, dfcFor(taken, 4n * COIN, 480), { ...byTaker, height: 103 });
    desk.runEvent(icxExpiry, 203);
    assert.deepEqual(statuses(desk, dfcHtlcs), [0]);
    desk.runEvent(icxExpiry, 583);
    assert.deepEqual([desk.balance(taker, GOLD), statuses(desk, dfcHtlcs)], [1000n * COIN, [2]]);
  });

  test('is rejected if invalid', () => {
    const { desk, taken } = committed();
    const dfc = (body: Partial<ReturnType<typeof dfcFor>>, sent: Sent = byTaker) =>
      desk
        .failure(submitDfcHtlc, { ...dfcFor(taken, 4n * COIN, 480), ...body }, { height: 105, ...sent })
        ?.replace('ICXSubmitDFCHTLCTx: ', '');
    assert.equal(dfc({}, byMaker), 'tx must have at least one input from offer owner');
    assert.equal(dfc({ amount: 4n * COIN + 1n }), 'amount must be equal to calculated exthtlc amount');
    assert.match(dfc({ hash: seed }) ?? '', /^Invalid hash, dfc htlc hash is different than extarnal htlc hash - /);
    assert.equal(dfc({ timeout: 479 }), 'timeout must be greater than 479');
    // 72 blocks of Bitcoin are 1152 blocks; 3 of them have passed.
    assert.equal(dfc({ timeout: 1149 }), 'timeout must be less than expiration period of 1st htlc in DFI blocks');
    assert.equal(dfc({ timeout: 1148 }), undefined);
  });
});

interface Step {
  readonly kind: 'order' | 'offer' | 'dfc' | 'ext' | 'claim' | 'closeOrder' | 'closeOffer' | 'blocks';
  readonly which: number;
  readonly amount: bigint;
  readonly sells: boolean;
  readonly count: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('order', 'offer', 'offer', 'dfc', 'dfc', 'ext', 'ext', 'claim', 'closeOrder', 'closeOffer', 'blocks', 'blocks'),
  which: fc.nat(1),
  amount: fc.constantFrom(COIN, 2n * COIN, 4n * COIN),
  sells: fc.boolean(),
  count: fc.constantFrom(1, 1, 1, 2, 10, 100, 1440),
});

function isSold(desk: DfiFixture, { orderTx }: IcxOffer): boolean {
  return desk.view.get(orders.entries, orderTx)?.type === 1;
}

/** Runs a random step, which may fail. @returns the height afterwards */
function take(desk: DfiFixture, height: number, { kind, which, amount, sells, count }: Step): number {
  const nth = <Entry>(entries: Iterable<readonly [Hash256, Entry]>) => [...entries][which]?.[1];
  const order = nth(desk.view.entries(orders.entries));
  const taken = nth(desk.view.entries(offers.entries));
  const contract = nth(desk.view.entries(dfcHtlcs.entries));
  const both = { from: [maker, taker], outputs: [dfi(1n, maker)], height };
  switch (kind) {
    case 'order':
      desk.send(createOrder, sells ? selling : buying, both);
      break;
    case 'offer':
      if (order) desk.send(makeOffer, offerFor(order, amount), both);
      break;
    case 'dfc':
      if (taken) desk.send(submitDfcHtlc, dfcFor(taken, 2n * COIN, isSold(desk, taken) ? 1440 : 480), both);
      break;
    case 'ext':
      if (taken) desk.send(submitExtHtlc, extFor(taken, COIN, isSold(desk, taken) ? 24 : 72), both);
      break;
    case 'claim':
      if (contract) desk.send(claimDfcHtlc, { dfcHtlcTx: contract.creationTx, seed }, both);
      break;
    case 'closeOrder':
      if (order) desk.send(closeOrder, { orderTx: order.creationTx }, both);
      break;
    case 'closeOffer':
      if (taken) desk.send(closeOffer, { offerTx: taken.creationTx }, both);
      break;
    case 'blocks':
      for (let i = 1; i <= count; i++) desk.runEvent(icxExpiry, height + i);
      return height + count;
  }
  return height;
}

function digest(desk: DfiFixture): string {
  const rows = desk.view.changes().map(({ column, key: name, value }) => `${column} ${toHex(name)} ${value ? toHex(value) : 'gone'}`);
  return rows.sort().join('\n');
}

test('exchanges neither create nor lose tokens, and an undo restores the state', () => {
  const filled = new Set<number>();
  fc.assert(
    fc.property(fc.array(step, { minLength: 20, maxLength: 80 }), (steps) => {
      const desk = market();
      const before = digest(desk);
      const undo = desk.branch();
      let height = 100;
      for (const each of steps) height = take(desk, height, each);
      for (const status of statuses(desk, dfcHtlcs)) filled.add(status);
      const gold = [...desk.view.entries(accountBalances)].filter(([{ tokenId }]) => tokenId === GOLD);
      assert.equal(
        gold.reduce((sum, [, amount]) => sum + amount, 0n),
        2000n * COIN,
      );
      undo();
      assert.equal(digest(desk), before);
    }),
    { numRuns: 50, seed: 1 },
  );
  // Enough runs for this seed; others may need more.
  assert.deepEqual([...filled].sort(), [0, 1, 2, 3], 'contracts came to every end');
});

test('availability of the order book by network and height', () => {
  const kept = (network: NetworkName, height: number) => keepsOrderBook({ params: networkParams({ network }), height });
  assert.deepEqual([kept('main', 1_250_000), kept('main', 5_000_000), kept('regtest', 0)], [false, false, true]);
  for (const network of ['test', 'devnet', 'changi'] as const) {
    assert.deepEqual([kept(network, 1_249_999), kept(network, 1_250_000)], [false, true], network);
  }
});
