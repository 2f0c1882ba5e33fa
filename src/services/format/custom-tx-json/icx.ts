import { isPublicKey } from '../../../crypto/ecdsa.js';
import { claimDfcHtlc } from '../../../dfi/icx/claim-transactions.js';
import { OrderType } from '../../../dfi/icx/columns.js';
import { submitDfcHtlc, submitExtHtlc } from '../../../dfi/icx/htlc-transactions.js';
import { closeOffer, closeOrder, createOrder, makeOffer } from '../../../dfi/icx/order-transactions.js';
import { COIN } from '../../../primitives/amount.js';
import { formatHash } from '../../../primitives/hash.js';
import { toHex } from '../../../util/bytes.js';
import { amount, byteTextField, type CustomTxJson, owner, shows, signedNumber, symbolField, text } from './define.js';

const OTHER_CHAIN = 'BTC';

/** JSON of the custom transactions of the ICX order book, in any order. */
export const icxJson: readonly CustomTxJson[] = [
  shows(createOrder, ({ type, tokenId, owner: script, receivePubkey, amountFrom, amountToFill, orderPrice, expiry }, shown) => [
    ...(type === OrderType.internal
      ? [text('type', 'DFC'), ...symbolField('tokenFrom', tokenId, shown), text('chainto', OTHER_CHAIN)]
      : []),
    ...(type === OrderType.external
      ? [
          text('type', 'EXTERNAL'),
          text('chainFrom', OTHER_CHAIN),
          ...symbolField('tokenTo', tokenId, shown),
          text('receivePubkey', toHex(receivePubkey)),
        ]
      : []),
    owner('ownerAddress', script, shown),
    amount('amountFrom', amountFrom),
    amount('amountToFill', amountToFill),
    amount('orderPrice', orderPrice),
    amount('amountToFillInToAsset', priced(amountToFill, orderPrice)),
    signedNumber('expiry', expiry),
  ]),
  shows(makeOffer, ({ orderTx, amount: offered, owner: script, receivePubkey, takerFee, expiry }, shown) => [
    text('orderTx', formatHash(orderTx)),
    amount('amount', offered),
    owner('ownerAddress', script, shown),
    ...(isPublicKey(receivePubkey) ? [text('receivePubkey', toHex(receivePubkey))] : []),
    amount('takerFee', takerFee),
    signedNumber('expiry', expiry),
  ]),
  shows(submitDfcHtlc, ({ offerTx, amount: locked, hash, timeout }) => [
    text('type', 'DFC'),
    text('offerTx', formatHash(offerTx)),
    amount('amount', locked),
    text('hash', formatHash(hash)),
    signedNumber('timeout', timeout),
  ]),
  shows(submitExtHtlc, ({ offerTx, amount: locked, hash, scriptAddress, ownerPubkey, timeout }) => [
    text('type', 'EXTERNAL'),
    text('offerTx', formatHash(offerTx)),
    amount('amount', locked),
    text('hash', formatHash(hash)),
    byteTextField('htlcScriptAddress', scriptAddress),
    text('ownerPubkey', toHex(ownerPubkey)),
    signedNumber('timeout', timeout),
  ]),
  shows(claimDfcHtlc, ({ dfcHtlcTx, seed }) => [
    text('type', 'CLAIM DFC'),
    text('dfchtlcTx', formatHash(dfcHtlcTx)),
    text('seed', toHex(seed)),
  ]),
  shows(closeOrder, ({ orderTx }) => [text('orderTx', formatHash(orderTx))]),
  shows(closeOffer, ({ offerTx }) => [text('offerTx', formatHash(offerTx))]),
];

/**
 * Satoshis of the other chain's coin. Negative factors count as unsigned 64-bit numbers, and the product is cut to 64 bits, as in
 * `defid`.
 */
function priced(filled: bigint, price: bigint): bigint {
  return BigInt.asIntN(64, (BigInt.asUintN(64, filled) * BigInt.asUintN(64, price)) / COIN);
}
