import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { TokenSplits } from '../../../../src/dfi/evm/token-split.js';
import { transferStats } from '../../../../src/dfi/evm/transfer-stats.js';
import { splitRecords } from '../../../../src/dfi/splits/columns.js';
import { getToken, putToken, type Token, type TokenFields, TokenFlag } from '../../../../src/dfi/tokens/columns.js';
import { addMinted } from '../../../../src/dfi/tokens/minted.js';
import { storeNewToken } from '../../../../src/dfi/tokens/transactions.js';
import { storeAltered } from '../../../../src/dfi/tokens/updates.js';
import type { BlockBuilder } from '../../../../src/evm/block/block-builder.js';
import type { LegacyTransaction, SignedEvmTransaction } from '../../../../src/evm/codec/transaction.js';
import { tokenAddress } from '../../../../src/evm/contracts/addresses.js';
import { Dst20Slot, mappingSlot } from '../../../../src/evm/contracts/slots.js';
import { wordBytes } from '../../../../src/evm/words.js';
import { concatBytes, fromHex } from '../../../../src/util/bytes.js';
import { EvmFixture } from '../evm-fixture.js';
import { DfiFixture, GRAND_CENTRAL, heights } from '../fixture.js';

const SATOSHI = 10n ** 10n;
const WEI = 10n ** 18n;
const HEIGHT = 100;
const params = heights({ ...GRAND_CENTRAL, metachain: 0, df23: HEIGHT, df24: HEIGHT + 2 });
const [OLD, NEW] = [1, 2];
const USER = 0xabcdn;
const UPGRADE_TOKEN = fromHex('32309a78');
const MULTIPLIER = 3n;
const asset: TokenFields = { symbol: 'TSLA', name: 'Tesla', decimal: 8, limit: 0n, flags: TokenFlag.dat };

/** State of which the token was split at DF23 or DF24, in which the user has some of the old one in the EVM. */
function splitState(splitHeight: number, amount: bigint) {
  const fixture = new DfiFixture(params, HEIGHT + 3);
  const splits = { current: new TokenSplits(fixture.view, fixture.view) };
  const evm = new EvmFixture(params, (address, context) => splits.current.findPrecompile(address, context));
  const { view } = fixture;
  const native = getToken(view, 0) as Token;
  putToken(view, OLD, { ...native, ...asset, creationTx: Buffer.alloc(32, OLD) });
  for (let height = HEIGHT - 1; height < HEIGHT + 3; height++) {
    const block = evm.start(view, height);
    if (height === HEIGHT - 1) {
      block.state.write(USER, { basic: { nonce: 0n, balance: WEI } });
      const slots = [mappingSlot(Dst20Slot.balances, USER), Dst20Slot.totalSupply];
      block.state.write(tokenAddress(OLD), { storage: slots.map((slot) => [slot, amount * SATOSHI]) });
    }
    if (height === splitHeight) split(fixture, block, height);
    evm.finish(view, block, height);
  }
  const block = evm.start(view, HEIGHT + 3);
  return { view, block };
}

/** Changes of a split that the EVM reads. */
function split({ view }: DfiFixture, evmBlock: BlockBuilder, height: number): void {
  const context = { view, params, height, evmBlock };
  const token = getToken(view, OLD) as Token;
  storeAltered(context, { id: OLD, token }, { ...token, symbol: 'TSLA/v1' });
  assert.equal(storeNewToken(context, { ...token, creationTx: Buffer.alloc(32, NEW), creationHeight: height }), NEW);
  addMinted(view, { tokenId: NEW, amount: 1_000n });
  view.put(splitRecords, OLD, { newId: NEW, multiplier: MULTIPLIER, isFraction: false });
}

function upgrade(nonce: bigint, wei: bigint): SignedEvmTransaction {
  const data = concatBytes(UPGRADE_TOKEN, wordBytes(wei));
  const call = { nonce, gasPrice: 10_000_000_000n, gasLimit: 500_000n, to: tokenAddress(OLD), value: 0n, data };
  const tx: LegacyTransaction = { type: 0, chainId: undefined, accessList: [], signature: { parity: 0, r: 1n, s: 1n }, ...call };
  return { tx, sender: USER, hash: new Uint8Array(32) };
}

const balanceOf = (block: BlockBuilder, id: number) => block.state.storage(tokenAddress(id), mappingSlot(Dst20Slot.balances, USER));
const supplyOf = (block: BlockBuilder, id: number) => block.state.storage(tokenAddress(id), Dst20Slot.totalSupply);

describe('upgradeToken of the token contract', () => {
  for (const [version, height] of [
    ['of DF23', HEIGHT],
    ['of DF24', HEIGHT + 2],
  ] as const)
    test(`version ${version} exchanges a split token`, () => {
      const { view, block } = splitState(height, 5n);
      assert.equal(block.addTransaction(upgrade(0n, 4n * SATOSHI)).isSuccess, true);
      assert.deepEqual([balanceOf(block, OLD), balanceOf(block, NEW)], [SATOSHI, 12n * SATOSHI]);
      assert.deepEqual([supplyOf(block, OLD), supplyOf(block, NEW)], [SATOSHI, 12n * SATOSHI]);
      assert.equal(getToken(view, NEW)?.minted, 1_012n);
      assert.deepEqual(transferStats(view).evmIn, [{ tokenId: NEW, amount: 12n }]);
      const logs = block.entries.at(-1)?.receipt.logs ?? [];
      assert.deepEqual(
        logs.map(({ address }) => address),
        [tokenAddress(OLD), tokenAddress(OLD), tokenAddress(NEW)],
      );
    });

  test('keeps the DVM side of a call that reverts: it is not undone, as in defid', () => {
    const { view, block } = splitState(HEIGHT, 5n);
    assert.equal(block.addTransaction(upgrade(0n, 6n * SATOSHI)).isSuccess, false);
    assert.deepEqual([balanceOf(block, OLD), balanceOf(block, NEW), supplyOf(block, NEW)], [5n * SATOSHI, 0n, 0n]);
    assert.equal(getToken(view, NEW)?.minted, 1_018n);
    assert.deepEqual(transferStats(view).evmOut, [{ tokenId: OLD, amount: 6n }]);
  });

  test('reverts for amounts below a satoshi', () => {
    const { view, block } = splitState(HEIGHT, 5n);
    assert.equal(block.addTransaction(upgrade(0n, SATOSHI - 1n)).isSuccess, false);
    assert.equal(getToken(view, NEW)?.minted, 1_000n);
  });
});
