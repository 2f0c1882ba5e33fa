import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { EvmStage } from '../../../../src/dfi/context/custom-tx.js';
import { getToken, putToken, type Token, type TokenFields, TokenFlag, tokens } from '../../../../src/dfi/tokens/columns.js';
import { tokensToDeploy } from '../../../../src/dfi/tokens/contracts.js';
import { createToken } from '../../../../src/dfi/tokens/transactions.js';
import { type UpdateTokenAny, updateTokenAny } from '../../../../src/dfi/tokens/updates.js';
import type { BuiltBlock } from '../../../../src/evm/block/block-builder.js';
import { EntryRefused } from '../../../../src/evm/block/entry-error.js';
import { DST20_V1, DST20_V2, DST20_V3, tokenAddress } from '../../../../src/evm/contracts/addresses.js';
import { Dst20Slot, IMPLEMENTATION, shortText } from '../../../../src/evm/contracts/slots.js';
import type { NetworkParams } from '../../../../src/params/network.js';
import type { HeightOverrides } from '../../../../src/params/upgrade-heights.js';
import { EvmFixture } from '../evm-fixture.js';
import { DfiFixture, dfi, GRAND_CENTRAL, heights, type Sent, script } from '../fixture.js';

const COIN = 100_000_000n;
const HEIGHT = 100;
const owner = script(1);
const never = 10_000;
const upTo = (given: HeightOverrides) => heights({ ...GRAND_CENTRAL, metachain: 0, ...given });
const metachain = upTo({ df23: never, df24: never });
const df23 = upTo({ df23: 0, df24: never });
const df24 = upTo({ df23: 0, df24: 0 });
const foundation = metachain.scripts.foundationMembers[0] as Uint8Array;

const asset: TokenFields = { symbol: 'BTC', name: 'Bitcoin', decimal: 8, limit: 0n, flags: TokenFlag.dat | TokenFlag.tradeable };
const paid: Sent = { value: COIN, outputs: [dfi(10n * COIN, owner)], from: [foundation] };
const long = 'a name of thirty-one characters';
const latin1 = (text: string) => Buffer.from(text, 'latin1');

/** State with a first EVM block and the next one under construction. */
function started(params: NetworkParams, stage: EvmStage = 'block', before: readonly TokenFields[] = []) {
  const fixture = new DfiFixture(params, HEIGHT);
  const evm = new EvmFixture(params);
  const native = getToken(fixture.view, 0) as Token;
  for (const [at, fields] of before.entries())
    putToken(fixture.view, at + 1, { ...native, ...fields, creationTx: Buffer.alloc(32, at + 1) });
  evm.finish(fixture.view, evm.start(fixture.view, HEIGHT - 1), HEIGHT - 1);
  const block = evm.start(fixture.view, HEIGHT);
  fixture.evm = stage === 'block' ? { evmBlock: block } : { evmStage: stage };
  return { fixture, block, finish: (): BuiltBlock => evm.finish(fixture.view, block, HEIGHT) };
}

type Started = ReturnType<typeof started>;

const create = ({ fixture }: Started, fields: TokenFields) => fixture.failure(createToken, fields, paid);

function update({ fixture }: Started, id: number, token: TokenFields): string | undefined {
  const { creationTx } = getToken(fixture.view, id) as Token;
  const collateral = { txid: creationTx, vout: 1 };
  fixture.coin(collateral, dfi(10n * COIN, owner));
  const body: UpdateTokenAny = { tokenTx: creationTx, token, newCollateral: undefined };
  return fixture.failure(updateTokenAny, body, { from: [owner] });
}

/** Texts and implementation of a token's contract. */
function contractOf({ block }: Started, id: number) {
  const at = (slot: bigint) => block.state.storage(tokenAddress(id), slot);
  return { name: at(Dst20Slot.name), symbol: at(Dst20Slot.symbol), implementation: at(IMPLEMENTATION) };
}

const contract = (name: string, symbol: string, implementation: bigint) => ({
  name: shortText(latin1(name)),
  symbol: shortText(latin1(symbol)),
  implementation,
});

describe('contract of a new token', () => {
  for (const [name, params, implementation] of [
    ['Metachain', metachain, DST20_V1],
    ['DF23', df23, DST20_V2],
    ['DF24', df24, DST20_V3],
  ] as const)
    test(`points to the implementation of ${name}`, () => {
      const state = started(params);
      assert.equal(create(state, asset), undefined);
      assert.deepEqual(contractOf(state, 1), contract('Bitcoin', 'BTC', implementation));
      assert.equal(state.finish().entries.length, 1);
    });

  test('is made of DATs only', () => {
    const state = started(df24);
    assert.equal(create(state, { ...asset, flags: 0 }), undefined);
    assert.equal(state.finish().entries.length, 0);
  });

  test('is not made while the EVM is off', () => {
    const fixture = new DfiFixture(df24, HEIGHT);
    assert.equal(fixture.failure(createToken, { ...asset, name: long }, paid), undefined);
  });

  test('needs a name of at most 30 bytes and UTF-8, from DF23 on', () => {
    const state = started(df23);
    const text = 'CreateTokenTx: Error creating DST20 token, token';
    assert.equal(create(state, { ...asset, name: long }), `${text} name is larger than max bytes\n`);
    assert.equal(create(state, { ...asset, name: 'caf\xe9' }), `${text} name not valid UTF-8\n`);
    assert.equal(create(state, { ...asset, symbol: 'CAF\xe9' }), `${text} symbol not valid UTF-8\n`);
    assert.equal(create(state, { ...asset, name: 'caf\xc3\xa9' }), undefined);
    assert.deepEqual(contractOf(state, 1), contract('caf\xc3\xa9', 'BTC', DST20_V2));
    assert.equal(state.finish().entries.length, 1);
  });

  test('holds names of up to 32 bytes before DF23', () => {
    const unexpected = 'CreateTokenTx: CustomTxVisit unexpected error';
    const state = started(metachain);
    assert.equal(create(state, { ...asset, name: 'n'.repeat(33) }), unexpected);
    assert.equal(create(state, { ...asset, symbol: 'CAF\xe9' }), unexpected);
    assert.equal(create(state, { ...asset, name: 'n'.repeat(32) }), undefined);
    assert.equal(contractOf(state, 1).name, BigInt(`0x${'6e'.repeat(32)}`));
  });

  test('is refused in the first EVM block', () => {
    const fixture = new DfiFixture(df24, HEIGHT);
    fixture.evm = { evmBlock: new EvmFixture(df24).start(fixture.view, HEIGHT) };
    const text = 'CreateTokenTx: Error creating DST20 token: genesis block, tx cannot be added into block template';
    assert.equal(fixture.failure(createToken, asset, paid), text);
    fixture.evm = { evmStage: 'pool' };
    assert.equal(fixture.failure(createToken, asset, paid), text);
  });

  test('is refused at an address that is in use', () => {
    const full = Array.from({ length: 127 }, (_, i) => ({ ...asset, symbol: `T${i}` }));
    const text = 'CreateTokenTx: Error creating DST20 token: Token BTC address is already in use';
    for (const stage of ['block', 'pool', 'call'] as const) {
      const state = started(df24, stage, full);
      assert.equal(create(state, asset), undefined, 'reserved address 128');
    }
    const state = started(df24);
    state.block.state.write(tokenAddress(1), { basic: { nonce: 0n, balance: 1n } });
    assert.equal(create(state, asset), undefined, 'a balance at a reserved address changes nothing');
    for (const stage of ['block', 'pool'] as const) {
      const taken = started(df24, stage, [{ ...asset, symbol: 'OLD' }]);
      taken.fixture.view.delete(tokens, 1);
      assert.equal(create(taken, asset), text, stage);
    }
  });

  test('is checked but not made in the mempool', () => {
    const state = started(df23, 'pool');
    assert.equal(
      create(state, { ...asset, name: long }),
      'CreateTokenTx: Error creating DST20 token, token name is larger than max bytes\n',
    );
    assert.equal(create(state, asset), undefined);
    assert.equal(state.finish().entries.length, 0);
  });
});

describe('contract of a renamed token', () => {
  const renamed = { ...asset, symbol: 'XBT', name: 'Satoshi' };

  test('keeps its names and implementation before DF23', () => {
    const state = started(metachain, 'block', [asset]);
    assert.equal(update(state, 1, renamed), undefined);
    assert.deepEqual(contractOf(state, 1), contract('Bitcoin', 'BTC', DST20_V1));
    assert.equal(state.finish().entries.length, 0);
  });

  test('gets new names and the implementation of the height', () => {
    for (const [params, implementation] of [
      [df23, DST20_V2],
      [df24, DST20_V3],
    ] as const) {
      const state = started(params, 'block', [asset]);
      assert.equal(update(state, 1, renamed), undefined);
      assert.deepEqual(contractOf(state, 1), contract('Satoshi', 'XBT', implementation));
      assert.equal(state.finish().entries.length, 1);
    }
  });

  test('gets the prefix of a deprecated token', () => {
    const state = started(df24, 'block', [asset]);
    assert.equal(update(state, 1, { ...asset, flags: asset.flags | TokenFlag.deprecated }), undefined);
    assert.deepEqual(contractOf(state, 1), contract('Bitcoin', 'eol/BTC', DST20_V3));
  });

  test('is not written if neither symbol nor name changes, nor for other tokens than DATs', () => {
    const state = started(df23, 'block', [asset, { ...asset, symbol: 'USER', flags: TokenFlag.tradeable }]);
    assert.equal(update(state, 1, { ...asset, flags: TokenFlag.dat }), undefined);
    assert.equal(update(state, 2, { ...renamed, flags: TokenFlag.tradeable }), undefined);
    assert.equal(state.finish().entries.length, 0);
  });

  test('needs a name of at most 30 bytes and UTF-8', () => {
    const text = 'UpdateTokenAnyTx: Error updating DST20 token, token';
    for (const stage of ['block', 'pool', 'call'] as const) {
      const state = started(df23, stage, [asset]);
      assert.equal(update(state, 1, { ...asset, name: long }), `${text} name is larger than max bytes\n`);
      assert.equal(update(state, 1, { ...asset, name: 'caf\xe9' }), `${text} name not valid UTF-8\n`);
      assert.equal(update(state, 1, { ...asset, symbol: 'CAF\xe9' }), `${text} symbol not valid UTF-8\n`);
      assert.equal(state.finish().entries.length, 0);
    }
  });
});

describe('tokensToDeploy', () => {
  const listed = (fields: readonly TokenFields[]) => {
    const fixture = new DfiFixture(df24, HEIGHT);
    const native = getToken(fixture.view, 0) as Token;
    for (const [at, each] of fields.entries()) putToken(fixture.view, at + 1, { ...native, ...each, creationTx: Buffer.alloc(32, at + 1) });
    return tokensToDeploy(fixture.view).map(({ id }) => id);
  };

  test('lists DATs that are no pool shares, by id', () => {
    const share = { ...asset, symbol: 'A-B', flags: TokenFlag.dat | TokenFlag.poolShare };
    assert.deepEqual(listed([asset, share, { ...asset, symbol: 'U', flags: 0 }, { ...asset, symbol: 'ETH' }]), [1, 4]);
  });

  test('fails for names that do not fit', () => {
    const text = 'DST20 token migration failed, invalid token name.';
    for (const wrong of [{ name: long }, { name: 'caf\xe9' }, { symbol: 'CAF\xe9' }])
      assert.throws(
        () => listed([{ ...asset, ...wrong }]),
        (error) => error instanceof EntryRefused && error.message === text,
      );
  });
});
