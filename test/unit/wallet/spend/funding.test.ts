import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CoinGroup } from '../../../../src/wallet/spend/coin-selection.js';
import { chooseCoins } from '../../../../src/wallet/spend/funding.js';
import type { Wallet } from '../../../../src/wallet/wallet.js';

/** An unconfirmed coin of the wallet. */
function unconfirmed(value: bigint, ancestors: number, descendants: number): CoinGroup {
  const point = { txid: new Uint8Array(32), vout: ancestors };
  const coin = { point, out: { value, scriptPubKey: new Uint8Array(22), tokenId: 0 }, inputSize: 68 };
  return { coins: [coin], value, depth: 0, isFromMe: true, ancestors, descendants };
}

test('small limits of unconfirmed chains: a round with as many groups as the one before, but other ones, is not skipped', () => {
  const settings = { spendUnconfirmedChange: true, rejectLongChains: false };
  const wallet = { deps: { settings, mempool: { limits: { ancestorCount: 3, descendantCount: 25 } } } } as unknown as Wallet;
  // The third round allows two ancestors and two descendants, the fourth one ancestor and four descendants.
  const [long, wide] = [unconfirmed(1_000_000n, 2, 2), unconfirmed(5_000_000n, 1, 4)];
  const chosen = chooseCoins(wallet, { target: 4_500_000n, preset: [], groups: () => [long, wide], exact: undefined }, () => 0);
  assert.deepEqual(chosen?.coins, wide.coins);
});
