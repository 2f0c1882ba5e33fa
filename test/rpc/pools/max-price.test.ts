import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { compositeSwap, poolSwap } from '../../../src/dfi/pools/swap-transactions.js';
import { GRAND_CENTRAL } from '../../unit/dfi/fixture.js';
import { sentTx } from '../custom-tx.js';
import { startFounderNode } from '../founder-node.js';

const HIGHEST = 0x7fff_ffff_ffff_ffffn;

describe('the price in the message of a swap without maxPrice', () => {
  for (const { name, upgrades, maxPrice } of [
    { name: 'before Metachain', upgrades: {}, maxPrice: { integer: HIGHEST, fraction: HIGHEST } },
    { name: 'from Metachain on', upgrades: { metachain: 0 }, maxPrice: { integer: 92_233_720_368n, fraction: 54_775_807n } },
  ]) {
    test(name, async () => {
      const node = await startFounderNode({ ...GRAND_CENTRAL, ...upgrades });
      const { founder } = node;
      try {
        await node.confirm('createtoken', [{ symbol: 'GOLD', name: 'gold', isDAT: true, collateralAddress: founder }]);
        await node.call('minttokens', [['1000@GOLD']]);
        await node.confirm('utxostoaccount', [{ [founder]: '50@DFI' }]);
        await node.confirm('createpoolpair', [{ tokenA: 'GOLD', tokenB: 'DFI', status: true, ownerAddress: founder }]);
        await node.confirm('addpoolliquidity', [{ [founder]: ['100@GOLD', '40@DFI'] }, founder]);
        const swap = { from: founder, tokenFrom: 'GOLD', amountFrom: 1, to: founder, tokenTo: 'DFI' };
        for (const [method, definition] of [
          ['poolswap', poolSwap],
          ['compositeswap', compositeSwap],
        ] as const) {
          const { body } = sentTx<unknown>(node, await node.call(method, [swap]), definition as never);
          assert.deepEqual((body as { readonly maxPrice: unknown }).maxPrice, maxPrice);
          await node.call('clearmempool');
        }
      } finally {
        await node.end();
      }
    });
  }
});
