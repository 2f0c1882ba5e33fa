import { sha256 } from '../../../src/crypto/hash.js';
import { formatAmount, parseAmount } from '../../../src/primitives/amount.js';
import { fromHex, toHex } from '../../../src/util/bytes.js';
import type { Draw, Makers } from './draw.js';
import type { OfferValues } from './world-values.js';

const RECEIVE_PUBKEY = '02e4ef2dc4a1f8a6b0ad2a1a6a3d0c6f2ab8b1a8d8a1ff0a7d0c3c8a7a0a5c4c11';
/** Preimage of the hash of contracts, both in hex. */
const SEED = '55'.repeat(32);
const HASH = toHex(sha256(fromHex(SEED)));
/** Timeouts of contracts on both sides of the limits before Eunos Paya and from it on, for first and second ones. */
const DFC_TIMEOUTS = [500, 500, 500, 1440, 1440, 250, 480, 499, 249, 1439, 479, 600];
const EXT_TIMEOUTS = [30, 30, 30, 72, 72, 15, 24, 29, 14, 71, 23, 31, 16, 100];
const OFFER_EXPIRIES = [9, 10, 11, 19, 20, 25];

/** Operations of the interchain exchange. */
export const EXCHANGE: Makers = {
  icx_createorder: {
    weight: 2,
    make: (d) => {
      const held = d.held(({ symbol }) => d.chance(15) || symbol === 'DFI' || symbol === 'BTC');
      const token = held?.part.symbol ?? d.token();
      const side = d.chance(50)
        ? { tokenFrom: token, chainTo: 'BTC', ...(d.chance(95) ? { receivePubkey: RECEIVE_PUBKEY } : {}) }
        : { chainFrom: 'BTC', tokenTo: token };
      return [
        {
          ...side,
          ownerAddress: held && d.chance(90) ? held.owner : d.address(),
          amountFrom: d.pick(['0.5', '1', '0.00000001', '5']),
          orderPrice: d.pick(['1', '1', '0.01', '3', '0.00000001']),
          ...(d.chance(10) ? { expiry: d.pick([2879, 2880]) } : {}),
        },
      ];
    },
  },
  icx_makeoffer: {
    weight: 2,
    make: (d) => {
      if (d.values.orders.length === 0) return undefined;
      const payer = d.held(({ symbol }) => symbol === 'DFI')?.owner;
      return [
        {
          orderTx: d.pick(d.values.orders),
          amount: d.pick(['0.1', '0.1', '0.5', '5', '0.00000001']),
          ownerAddress: payer && d.chance(90) ? payer : d.address(),
          ...(d.chance(90) ? { receivePubkey: RECEIVE_PUBKEY } : {}),
          ...(d.chance(30) ? { expiry: d.pick(OFFER_EXPIRIES) } : {}),
        },
      ];
    },
  },
  icx_submitdfchtlc: {
    weight: 2,
    make: (d) => {
      if (d.values.offers.length === 0) return undefined;
      return [{ ...contractOf(d, true), timeout: d.chance(60) ? d.pick([500, 1440]) : d.pick(DFC_TIMEOUTS) }];
    },
  },
  icx_submitexthtlc: {
    weight: 2,
    make: (d) => {
      if (d.values.offers.length === 0) return undefined;
      return [
        {
          ...contractOf(d, false),
          htlcScriptAddress: '13sJQ9wBWh8ssihHUgAaCmNWJbBAG5Hr9N',
          ownerPubkey: RECEIVE_PUBKEY,
          timeout: d.chance(60) ? d.pick([30, 72]) : d.pick(EXT_TIMEOUTS),
        },
      ];
    },
  },
  icx_claimdfchtlc: {
    weight: 2,
    make: (d) => {
      const contracts = d.values.offers.flatMap((offer) => offer.contracts).filter(({ isDfc }) => isDfc || d.chance(5));
      return contracts.length === 0 ? undefined : [{ dfchtlcTx: d.pick(contracts).id, seed: d.chance(90) ? SEED : HASH }];
    },
  },
  icx_closeorder: { weight: 1, make: (d) => (d.values.orders.length === 0 ? undefined : [d.pick(d.values.orders)]) },
  icx_closeoffer: { weight: 1, make: (d) => (d.values.offers.length === 0 ? undefined : [d.pick(d.values.offers).id]) },
};

/** Fields that contracts on both chains have. @param isDfc true for one on this chain */
function contractOf(d: Draw, isDfc: boolean): object {
  // The first contract of an offer is that of the order's side.
  const fitting = d.values.offers.filter((offer) => offer.isInternal === isDfc || offer.contracts.some((each) => each.isDfc !== isDfc));
  const offer = d.pick(fitting.length > 0 && d.chance(85) ? fitting : d.values.offers);
  return { offerTx: offer.id, amount: amountOf(d, offer, isDfc), hash: d.chance(95) ? HASH : SEED };
}

/** Most often the amount that the offer, or the first contract, allows at most. */
function amountOf(d: Draw, { amount, contracts }: OfferValues, isDfc: boolean): string {
  const first = contracts.find((each) => each.isDfc !== isDfc);
  const satoshis = parseAmount(first?.converted ?? amount) ?? 0n;
  const kind = d.random.below(10);
  if (kind === 0) return formatAmount(satoshis + 1n);
  if (kind === 1) return formatAmount(satoshis > 0n ? satoshis - 1n : 0n);
  if (kind === 2) return formatAmount(satoshis / 2n);
  return kind === 3 ? d.pick(['0.1', '0', '5']) : formatAmount(satoshis);
}
