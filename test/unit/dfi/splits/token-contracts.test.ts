import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { storedAttributes } from '../../../../src/dfi/attributes/attributes.js';
import { trySplits } from '../../../../src/dfi/execution/split-trial.js';
import { makeSplitCreations, splitOrders } from '../../../../src/dfi/splits/creation.js';
import { getToken, putToken, type Token, TokenFlag } from '../../../../src/dfi/tokens/columns.js';
import { DST20_V1, DST20_V2, tokenAddress } from '../../../../src/evm/contracts/addresses.js';
import { Dst20Slot, IMPLEMENTATION, shortText } from '../../../../src/evm/contracts/slots.js';
import { EvmFixture } from '../evm-fixture.js';
import { GRAND_CENTRAL, heights } from '../fixture.js';
import { DUSD, LoanFixture, TSLA } from '../loan-fixture.js';

const HEIGHT = 101;
const NEW = TSLA + 1;
const never = 10_000;

/** Splits a loan token in a block with an EVM block. @param isFirst true if that is the first one @param token properties that it has before */
function splitInBlock(df23: number, { isFirst = false, token = {} }: { readonly isFirst?: boolean; readonly token?: Partial<Token> } = {}) {
  const params = heights({ ...GRAND_CENTRAL, metachain: 0, df23 });
  const fixture = new LoanFixture(params);
  const { view } = fixture;
  putToken(view, TSLA, { ...(getToken(view, TSLA) as Token), ...token });
  const evm = new EvmFixture(params);
  if (!isFirst) for (const height of [99, 100]) evm.finish(view, evm.start(view, height), height);
  const evmBlock = evm.start(view, HEIGHT);
  const before = evmBlock.entries.length;
  fixture.attribute(`v0/oracles/splits/${HEIGHT}`, { kind: 'splits', value: [{ id: TSLA, multiplier: 2n }] });
  fixture.attribute(`v0/locks/token/${TSLA}`, { kind: 'bool', value: true });
  const creations = makeSplitCreations(view, splitOrders(storedAttributes(view), HEIGHT), HEIGHT, params);
  const context = { view, height: HEIGHT, time: 1_600_000_000, params, coin: () => undefined, blockTime: () => undefined, evmBlock };
  trySplits(context, creations, view);
  const symbols = [TSLA, NEW].map((id) => getToken(view, id)?.symbol);
  const contract = (id: number) => {
    const at = (slot: bigint) => evmBlock.state.storage(tokenAddress(id), slot);
    return { symbol: at(Dst20Slot.symbol), implementation: at(IMPLEMENTATION) };
  };
  return { symbols, contract, entries: evmBlock.entries.slice(before) };
}

const symbolOf = (text: string) => shortText(Buffer.from(text, 'latin1'));

describe('contracts of a split token', () => {
  test('from DF23 on the old one is renamed, then the new one deployed', () => {
    const { symbols, contract, entries } = splitInBlock(100);
    assert.deepEqual(symbols, ['TSLA/v1', 'TSLA']);
    assert.deepEqual(
      entries.map((entry) => [entry.contract, entry.tx.data.length > 0]),
      [
        [tokenAddress(TSLA), false],
        [tokenAddress(NEW), true],
      ],
    );
    assert.deepEqual(contract(TSLA), { symbol: symbolOf('TSLA/v1'), implementation: DST20_V2 });
    assert.deepEqual(contract(NEW), { symbol: symbolOf('TSLA'), implementation: DST20_V2 });
  });

  test('before DF23 the old one keeps its names', () => {
    const { symbols, contract, entries } = splitInBlock(never);
    assert.deepEqual(symbols, ['TSLA/v1', 'TSLA']);
    assert.deepEqual(
      entries.map((entry) => entry.contract),
      [tokenAddress(NEW)],
    );
    assert.deepEqual(contract(TSLA), { symbol: symbolOf('TSLA'), implementation: DST20_V1 });
  });

  test('the split fails in the first EVM block, which has no such entries', () => {
    const { symbols, entries } = splitInBlock(100, { isFirst: true });
    assert.deepEqual(symbols, ['TSLA', undefined]);
    assert.equal(entries.length, 0);
  });

  test('entries of a split that fails later stay in the EVM block', () => {
    const old = { symbol: 'eol/TSLA', flags: TokenFlag.dat | TokenFlag.loanToken | TokenFlag.deprecated };
    const { symbols, contract, entries } = splitInBlock(100, { token: old });
    assert.deepEqual(symbols, ['eol/TSLA', undefined], 'a deprecated symbol is none that a new token may have');
    assert.deepEqual(
      entries.map((entry) => entry.contract),
      [tokenAddress(TSLA)],
    );
    assert.equal(contract(TSLA).symbol, symbolOf('eol/TSLA/v1'));
    assert.equal(contract(DUSD).symbol, symbolOf('DUSD'));
  });
});
