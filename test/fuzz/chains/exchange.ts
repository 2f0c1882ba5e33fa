import { sha256 } from '../../../src/crypto/hash.js';
import { fromHex, toHex } from '../../../src/util/bytes.js';
import type { Draw, Makers } from './draw.js';

const RECEIVE_PUBKEY = '02e4ef2dc4a1f8a6b0ad2a1a6a3d0c6f2ab8b1a8d8a1ff0a7d0c3c8a7a0a5c4c11';
/** Preimage of the hash of contracts, both in hex. */
const SEED = '55'.repeat(32);
const HASH = toHex(sha256(fromHex(SEED)));

/** Operations of the interchain exchange. */
export const EXCHANGE: Makers = {
  icx_createorder: {
    weight: 2,
    make: (d) => {
      const side = d.chance(50)
        ? { tokenFrom: d.token(), chainTo: 'BTC', receivePubkey: RECEIVE_PUBKEY }
        : { chainFrom: 'BTC', tokenTo: d.token() };
      return [
        { ...side, ownerAddress: d.address(), amountFrom: d.pick(['0.5', '1', '0.00000001']), orderPrice: d.pick(['1', '0.01', '3']) },
      ];
    },
  },
  icx_makeoffer: {
    weight: 2,
    make: (d) => {
      if (d.values.orders.length === 0) return undefined;
      return [
        { orderTx: d.pick(d.values.orders), amount: d.pick(['0.1', '0.5', '5']), ownerAddress: d.address(), receivePubkey: RECEIVE_PUBKEY },
      ];
    },
  },
  icx_submitdfchtlc: {
    weight: 2,
    make: (d) => {
      if (d.values.offers.length === 0) return undefined;
      return [{ ...contractOf(d), timeout: d.pick([1440, 480, 500]) }];
    },
  },
  icx_submitexthtlc: {
    weight: 2,
    make: (d) => {
      if (d.values.offers.length === 0) return undefined;
      return [
        {
          ...contractOf(d),
          htlcScriptAddress: '13sJQ9wBWh8ssihHUgAaCmNWJbBAG5Hr9N',
          ownerPubkey: RECEIVE_PUBKEY,
          timeout: d.pick([15, 24, 72]),
        },
      ];
    },
  },
  icx_claimdfchtlc: {
    weight: 2,
    make: (d) =>
      d.values.contracts.length === 0 ? undefined : [{ dfchtlcTx: d.pick(d.values.contracts), seed: d.chance(90) ? SEED : HASH }],
  },
  icx_closeorder: { weight: 1, make: (d) => (d.values.orders.length === 0 ? undefined : [d.pick(d.values.orders)]) },
  icx_closeoffer: { weight: 1, make: (d) => (d.values.offers.length === 0 ? undefined : [d.pick(d.values.offers)]) },
};

/** Fields that contracts on both chains have. */
function contractOf(d: Draw): object {
  return { offerTx: d.pick(d.values.offers), amount: d.pick(['0.1', '0.5']), hash: d.chance(90) ? HASH : SEED };
}
