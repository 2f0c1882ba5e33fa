import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dusdSwaps, futureSwaps } from '../../../src/dfi/futures/columns.js';
import { legacyLoanTokens } from '../../../src/dfi/loan-tokens/columns.js';
import { NULL_HASH } from '../../../src/primitives/hash.js';
import { accountsHandlers as handlers } from '../../../src/services/accounts/index.js';
import { fromHex, toHex } from '../../../src/util/bytes.js';
import { GRAND_CENTRAL, heights } from '../../unit/dfi/fixture.js';
import { addAsset } from '../../unit/dfi/governance-context.js';
import { COIN, DUSD, LoanFixture, owner, TSLA } from '../../unit/dfi/loan-fixture.js';
import { asker } from '../state-asker.js';

const ADDRESS = 'bcrt1qqyqszqgpqyqszqgpqyqszqgpqyqszqgpvxat9t';
const MULTISIG = fromHex(`5121${'02'.repeat(33)}51ae`);
/** Token of a split before it: no loan token any more. */
const OLD = 3;

function start() {
  const { view, params, height } = new LoanFixture(heights(GRAND_CENTRAL));
  addAsset(view, OLD, 'OLD');
  const put = (txn: number, script: Uint8Array, tokenId: number, destination: number) =>
    view.put(futureSwaps, { height, owner: script, txn }, { source: { tokenId, amount: BigInt(txn) * COIN }, destination });
  put(1, owner, TSLA, 0);
  put(2, owner, DUSD, TSLA);
  put(3, owner, DUSD, OLD);
  put(4, MULTISIG, TSLA, 0);
  view.put(dusdSwaps, { height, owner, txn: 5 }, COIN);
  view.put(dusdSwaps, { height, owner: MULTISIG, txn: 6 }, COIN);
  const chain = { params, state: view, tip: { height }, isInitialDownload: () => false };
  const ask = asker(handlers as never, { chain } as never);
  return { view, ask: async (method: string, params: readonly string[] = []) => JSON.parse(await ask(method, params)) };
}

const purchase = ['2.00000000@DUSD', 'TSLA'];
const sale = ['1.00000000@TSLA', 'DUSD'];

interface Shown {
  readonly owner: string;
  readonly source: string;
  readonly destination: string;
}
const partsOf = ({ source, destination }: Shown): string[] => [source, destination];

test('pending future swaps: none of owners without an address, or to a token that is no loan token any more', async () => {
  const { ask } = start();
  const listed: Shown[] = await ask('listpendingfutureswaps');
  assert.deepEqual(
    [listed.map(({ owner: shown }) => shown), listed.map(partsOf)],
    [
      [ADDRESS, ADDRESS],
      [purchase, sale],
    ],
  );
  assert.deepEqual((await ask('getpendingfutureswaps', [ADDRESS])).values.map(partsOf), [purchase, sale]);
  assert.deepEqual((await ask('getpendingfutureswaps', [toHex(MULTISIG)])).values.map(partsOf), [['4.00000000@TSLA', 'DUSD']]);
  assert.deepEqual(await ask('listpendingdusdswaps'), [{ owner: ADDRESS, amount: 1 }]);
});

test('pending future swaps show the symbol in the record of a loan token', async () => {
  const { view, ask } = start();
  const pair = { token: 'TSLA', currency: 'USD' };
  const record = { symbol: 'TESLA', name: '', pair, mintable: true, interest: 0n, creationTx: NULL_HASH, creationHeight: 1 };
  view.put(legacyLoanTokens, TSLA, record);
  const [first] = await ask('listpendingfutureswaps');
  assert.deepEqual(partsOf(first), ['2.00000000@DUSD', 'TESLA']);
});
