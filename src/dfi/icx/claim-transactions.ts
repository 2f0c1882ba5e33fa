import { sha256 } from '../../crypto/hash.js';
import { isActive } from '../../params/network.js';
import { COIN } from '../../primitives/amount.js';
import { struct } from '../../primitives/codec.js';
import { formatHash } from '../../primitives/hash.js';
import type { StateView } from '../../storage/view.js';
import { equalBytes, reverseBytes } from '../../util/bytes.js';
import { customTx, type TxContext } from '../context/custom-tx.js';
import { divideAmounts } from '../kernel/math.js';
import { TxRejected } from '../kernel/rejected.js';
import { materialiseRewards } from '../rewards/owner-rewards.js';
import { listTokens } from '../tokens/columns.js';
import { closeEntry, firstOpen, getEntry, hasEntries, saveEntry } from './book-columns.js';
import {
  type ClaimTerms,
  claimFields,
  type DfcHtlc,
  DfcStatus,
  dfcHtlcs,
  ExtStatus,
  escrowOf,
  extHtlcs,
  type IcxOrder,
  icxClaims,
  isInternal,
  OfferStatus,
  OrderStatus,
  offers,
  orders,
} from './columns.js';
import { keepsOrderBook, requireOffer, requireOrder, requireOrderBook, transfer } from './rules.js';

/** Claims the HTLC on this chain with its seed, which completes the swap; rewards the maker. @see docs/protocol/defi.md 4.5 */
export const claimDfcHtlc = customTx<ClaimTerms>({
  type: '5',
  name: 'ICXClaimDFCHTLC',
  since: 'eunos',
  codec: struct<ClaimTerms>(claimFields),
  apply(context, terms) {
    const { view, tx, height, params } = context;
    requireOrderBook(context);
    const htlc = requireClaimable(context, terms);
    const offer = requireOffer(context, htlc.offerTx);
    const order = requireOrder(context, offer.orderTx);
    const ext = firstOpen(view, extHtlcs, htlc.offerTx);
    if (!ext && !isActive(params, 'eunosPaya', height)) {
      throw new TxRejected('cannot claim, external htlc for this offer does not exists or expired!');
    }
    materialiseRewards(view, order.owner, context);
    transfer(context, order.tokenId, htlc.amount, escrowOf(htlc), isInternal(order) ? offer.owner : order.owner);
    rewardMaker(context, order, offer.takerFee);
    fillOrder(context, order, htlc);
    view.put(icxClaims, { offerTx: htlc.offerTx, txid: tx.txid }, { ...terms, height });
    closeEntry(view, offers, offer, OfferStatus.closed);
    closeEntry(view, dfcHtlcs, htlc, DfcStatus.claimed);
    if (ext) closeEntry(view, extHtlcs, ext, ExtStatus.closed);
  },
});

function requireClaimable({ view }: TxContext, { dfcHtlcTx, seed }: ClaimTerms): DfcHtlc {
  const htlc = getEntry(view, dfcHtlcs, dfcHtlcTx);
  if (!htlc) throw new TxRejected(`dfc htlc with creation tx ${formatHash(dfcHtlcTx)} does not exists!`);
  if (!hasEntries(view, dfcHtlcs, 'open', htlc.offerTx)) throw new TxRejected('dfc htlc not found or already claimed or refunded!');
  // `defid` compares and prints the hash as a number, in reversed byte order.
  const hash = reverseBytes(sha256(seed));
  if (!equalBytes(htlc.hash, hash)) {
    const [given, wanted] = [formatHash(hash), formatHash(htlc.hash)];
    throw new TxRejected(`hash generated from given seed is different than in dfc htlc: ${given} - ${wanted}!`);
  }
  return htlc;
}

/** Credits the deposit, an incentive, and a bonus for an order of BTC at price 1. All of it is newly created. */
function rewardMaker(context: TxContext, { owner, tokenId, orderPrice }: IcxOrder, fee: bigint): void {
  const { accounts, view } = context;
  const bitcoin = bitcoinToken(view);
  accounts.add(owner, { tokenId: 0, amount: fee });
  accounts.add(owner, { tokenId: 0, amount: (fee * 25n) / 100n });
  if (tokenId === bitcoin && orderPrice === COIN) {
    accounts.add(owner, { tokenId: paysBonusInDfi(context) ? 0 : bitcoin, amount: (fee * 50n) / 100n });
  }
}

/** Id of the first token whose symbol starts with BTC. */
function bitcoinToken(view: StateView): number {
  for (const { id, token } of listTokens(view, 1)) if (token.symbol.startsWith('BTC')) return id;
  // `defid` fails an assertion here, which ends its process.
  throw new TxRejected('no BTC token');
}

/** On networks that lost the order book, blocks exist in which makers got the bonus in BTC instead of DFI. */
function paysBonusInDfi(context: TxContext): boolean {
  const { params, height } = context;
  return keepsOrderBook(context) || (!params.isTestnet && isActive(params, 'metachain', height));
}

function fillOrder({ view, tx, height }: TxContext, order: IcxOrder, { amount }: DfcHtlc): void {
  const amountToFill = order.amountToFill - (isInternal(order) ? amount : divideAmounts(amount, order.orderPrice));
  if (amountToFill !== 0n) saveEntry(view, orders, { ...order, amountToFill });
  else closeEntry(view, orders, { ...order, amountToFill, closeTx: tx.txid, closeHeight: height }, OrderStatus.filled);
}
