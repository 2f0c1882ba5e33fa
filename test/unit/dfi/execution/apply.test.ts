import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { burnHistory } from '../../../../src/dfi/accounts/history-columns.js';
import { accountToAccount, accountToUtxos } from '../../../../src/dfi/accounts/transactions.js';
import { classify } from '../../../../src/dfi/execution/classify.js';
import { isRejection } from '../../../../src/dfi/kernel/rejected.js';
import { putHoldings } from '../../../../src/dfi/pools/columns.js';
import { addPoolLiquidity } from '../../../../src/dfi/pools/liquidity-transactions.js';
import { createToken, mintToken } from '../../../../src/dfi/tokens/transactions.js';
import { updateToken } from '../../../../src/dfi/tokens/updates.js';
import { EncodeError, encode, fixedBytes, i64, list, mapped, u32 } from '../../../../src/primitives/codec.js';
import { NULL_HASH } from '../../../../src/primitives/hash.js';
import { Op } from '../../../../src/script/opcodes.js';
import { buildScript } from '../../../../src/script/script.js';
import { concatBytes, EMPTY_BYTES, fromHex } from '../../../../src/util/bytes.js';
import { DfiFixture, dataScript, dfi, GRAND_CENTRAL, heights, script } from '../fixture.js';
import { PoolFixture } from '../pools/pool-fixture.js';

const owner = script(1);
const other = script(2);
const toOther = { from: owner, to: [{ owner: other, balances: [{ tokenId: 0, amount: 5n }] }] };

describe('classify', () => {
  const kind = (scripts: readonly Uint8Array[], strict: boolean) =>
    classify({ vout: scripts.map((scriptPubKey) => dfi(0n, scriptPubKey)) }, strict).kind;
  const autoAuth = dataScript('A', EMPTY_BYTES);
  const cases = [
    { name: 'no outputs', scripts: [], loose: 'none', strict: 'none' },
    { name: 'a payment', scripts: [owner], loose: 'none', strict: 'none' },
    { name: 'a marker without a type', scripts: [buildScript(Op.RETURN, Buffer.from('DfTx'))], loose: 'none', strict: 'none' },
    { name: 'a type', scripts: [autoAuth], loose: 'custom', strict: 'custom' },
    { name: 'an unknown type', scripts: [dataScript('@', EMPTY_BYTES)], loose: 'reject', strict: 'reject' },
    { name: 'the type 0', scripts: [dataScript('\0', EMPTY_BYTES)], loose: 'reject', strict: 'reject' },
    { name: 'the type 1', scripts: [dataScript('\x01', EMPTY_BYTES)], loose: 'reject', strict: 'reject' },
    { name: 'another opcode after the push', scripts: [concatBytes(autoAuth, Uint8Array.of(0x51))], loose: 'custom', strict: 'reject' },
    { name: 'a truncated push after the push', scripts: [concatBytes(autoAuth, Uint8Array.of(5))], loose: 'custom', strict: 'custom' },
    { name: 'a second marker', scripts: [autoAuth, autoAuth], loose: 'custom', strict: 'reject' },
    { name: 'a marker in another output only', scripts: [owner, autoAuth], loose: 'none', strict: 'reject' },
    { name: 'a longer push than needed', scripts: [fromHex('6a4c05446654 7841'.replace(' ', ''))], loose: 'custom', strict: 'custom' },
  ];
  for (const each of cases) {
    test(each.name, () => {
      assert.equal(kind(each.scripts, false), each.loose);
      assert.equal(kind(each.scripts, true), each.strict);
    });
  }
});

describe('a transaction with an unknown type', () => {
  test('makes its block invalid from Fort Canning on, and is ignored before', () => {
    const fixture = new DfiFixture(heights({ amk: 0, fortCanning: 100 }));
    const tx = fixture.transaction(dataScript('@', EMPTY_BYTES));
    assert.deepEqual(fixture.apply(tx, 99), { status: 'none' });
    assert.deepEqual(fixture.apply(tx, 100), { status: 'failed', message: 'Invalid custom transaction', fatal: true, lacksBalance: false });
  });
});

describe('types that came with Metachain or later', () => {
  const late = ['?', '!', '-', '+', '8', '9'];
  const fixture = new DfiFixture(heights({ amk: 0, dakota: 10, fortCanning: 100, metachain: 200, df24: 300 }));

  test('are unknown below it', () => {
    for (const type of late) {
      const tx = fixture.transaction(dataScript(type, EMPTY_BYTES));
      assert.deepEqual(fixture.apply(tx, 99), { status: 'none' }, type);
      const failed = { status: 'failed', message: 'Invalid custom transaction', fatal: true, lacksBalance: false };
      assert.deepEqual(fixture.apply(tx, 199), failed, type);
    }
  });

  test('are known from it on', () => {
    assert.equal(fixture.apply(fixture.transaction(dataScript('?', EMPTY_BYTES)), 200).status, 'applied');
    const released = fixture.apply(fixture.transaction(dataScript('!', EMPTY_BYTES)), 200);
    assert.equal(released.status === 'failed' && released.message, 'TokenLockReleaseTx: called before DF24 height');
  });
});

describe('gates', () => {
  test('reject a type before its upgrade and accept it from there', () => {
    const fixture = new DfiFixture(heights({ amk: 100 }));
    fixture.give(owner, 0, 10n);
    const failure = (height: number) => fixture.failure(accountToAccount, toOther, { height });
    assert.equal(failure(99), 'AccountToAccountTx: called before AMK height');
    assert.equal(failure(100), undefined);
    assert.equal(fixture.balance(other), 5n);
  });

  test('reject a type from the upgrade that ended it', () => {
    const fixture = new DfiFixture(heights({ amk: 0, bayfront: 100 }));
    const failure = (height: number) => fixture.failure(updateToken, { tokenTx: NULL_HASH, isDat: true }, { height });
    assert.equal(failure(99), 'UpdateTokenTx: tx not from foundation member');
    assert.equal(failure(100), 'UpdateTokenTx: called after Bayfront height');
  });

  test('name the first of several upgrades at the same height', () => {
    const fixture = new DfiFixture(heights({ amk: 0, bayfront: 200, bayfrontGardens: 200 }));
    const tx = fixture.transaction(dataScript('a', EMPTY_BYTES));
    const outcome = fixture.apply(tx, 100);
    assert.equal(outcome.status === 'failed' && outcome.message, 'AnyAccountsToAccountsTx: called before Bayfront height');
  });
});

describe('a fault of this program does not reject a transaction', () => {
  const overflow = (): never => overflow();
  const faults = [
    { name: 'a stack overflow', fault: overflow, error: { name: 'RangeError', message: 'Maximum call stack size exceeded' } },
    { name: 'an invalid array length', fault: () => new Array(-1), error: { name: 'RangeError', message: 'Invalid array length' } },
    { name: 'a bug', fault: () => (undefined as unknown as { x: number }).x, error: { name: 'TypeError' } },
  ];
  for (const { name, fault, error } of faults) {
    test(name, () => {
      const fixture = new DfiFixture(heights({ amk: 0 }));
      fixture.give(owner, 0, 10n);
      const tx = fixture.made(accountToAccount, toOther);
      fixture.view.cell = fault as never;
      assert.throws(() => fixture.apply(tx), error);
    });
  }

  test('but arithmetic without a result does: adding liquidity to a pool without reserves', () => {
    const at = new PoolFixture(heights({ amk: 0, bayfront: 0 }));
    assert.equal(at.createPool({ tokenA: 1, tokenB: 2 }), undefined);
    for (const tokenId of [1, 2]) at.give(owner, tokenId, 100_000n);
    putHoldings(at.view, 4, 100, { ...at.pool(4), totalLiquidity: 5_000n });
    const balances = [1, 2].map((tokenId) => ({ tokenId, amount: 50_000n }));
    const failure = at.failure(addPoolLiquidity, { from: [{ owner, balances }], shareAddress: owner }, { from: [owner] });
    assert.equal(failure, 'AddPoolLiquidityTx: unexpected error');
  });

  test('and so does a value that does not fit its format', () => {
    assert.equal(isRejection(new EncodeError('too large')), true);
    assert.equal(isRejection(new RangeError('Invalid array length')), false);
    assert.throws(() => encode(u32, 2 ** 32), EncodeError);
    assert.throws(() => encode(i64, 2n ** 63n), EncodeError);
    assert.throws(() => encode(fixedBytes(20), EMPTY_BYTES), EncodeError);
    assert.throws(() => encode(mapped(list(u32), String, overflow), ''), { name: 'RangeError' });
  });
});

describe('malformed messages', () => {
  const fixture = new DfiFixture(heights({ amk: 0 }));
  const answer = (type: string, body: Uint8Array) => {
    const outcome = fixture.apply(fixture.transaction(dataScript(type, body)));
    return outcome.status === 'failed' ? outcome.message : undefined;
  };
  const body = encode(accountToAccount.codec as NonNullable<typeof accountToAccount.codec>, toOther);

  test('too short', () => {
    assert.equal(answer('B', body.subarray(0, -1)), 'AccountToAccountTx: CDataStream::read(): end of data: iostream error');
  });
  test('too long', () => {
    assert.equal(answer('B', concatBytes(body, Uint8Array.of(0, 0))), 'AccountToAccountTx: deserialization failed: excess 2 bytes');
  });
  test('with a zero amount', () => {
    const zero = fromHex(`01${'00'.repeat(12)}`);
    const message = concatBytes(Uint8Array.of(0), Uint8Array.of(1, 0), zero);
    assert.equal(answer('B', message), 'AccountToAccountTx: non-canonical balances (zero amount): iostream error');
  });
  test('any bytes are accepted by types without a message', () => {
    assert.equal(answer('A', Uint8Array.of(1, 2, 3)), undefined);
  });
});

describe('a rejected transaction', () => {
  const minted = { balances: [{ tokenId: 7, amount: 1n }], to: EMPTY_BYTES };
  const paidOut = { from: owner, balances: [{ tokenId: 0, amount: 1n }], mintingOutputsStart: 1 };

  test('makes the block invalid from Dakota on; before, only its effects are dropped', () => {
    const fixture = new DfiFixture(heights({ amk: 0, dakota: 100 }));
    const fatal = (height: number) => {
      const outcome = fixture.send(accountToAccount, toOther, { height });
      return outcome.status === 'failed' && outcome.fatal;
    };
    assert.equal(fatal(99), false);
    assert.equal(fatal(100), true);
    assert.equal(fixture.balance(other), 0n);
  });

  test('makes the block invalid at any height if it would create coins or tokens', () => {
    const fixture = new DfiFixture(heights({ amk: 0 }));
    for (const outcome of [fixture.send(mintToken, minted), fixture.send(accountToUtxos, paidOut, { outputs: [dfi(1n, other)] })]) {
      assert.equal(outcome.status === 'failed' && outcome.fatal, true);
    }
  });

  test('does not make the block invalid if the network tolerates its failure at this height', () => {
    const tx = new DfiFixture(heights({ amk: 0 })).made(mintToken, minted);
    const fixture = new DfiFixture({ ...heights({ amk: 0 }), toleratedFailure: { height: 50, txid: tx.txid } });
    const fatal = (height: number) => {
      const outcome = fixture.apply(tx, height);
      return outcome.status === 'failed' && outcome.fatal;
    };
    assert.equal(fatal(50), false);
    assert.equal(fatal(51), true);
  });

  test('is flagged if an account lacks balance', () => {
    const fixture = new DfiFixture(heights({ amk: 0 }));
    const outcome = fixture.send(accountToAccount, toOther);
    assert.deepEqual(outcome, {
      status: 'failed',
      message: 'AccountToAccountTx: amount 0.00000000 is less than 0.00000005',
      fatal: false,
      lacksBalance: true,
    });
  });

  test('leaves the state unchanged, even if an earlier step of it succeeded', () => {
    const fixture = new DfiFixture(heights({ amk: 0 }));
    fixture.give(owner, 0, 4n);
    const before = fixture.view.changes().length;
    fixture.send(accountToAccount, {
      from: owner,
      to: [
        { owner: other, balances: [{ tokenId: 0, amount: 4n }] },
        { owner: script(3), balances: [{ tokenId: 1, amount: 1n }] },
      ],
    });
    assert.equal(fixture.balance(owner), 4n);
    assert.equal(fixture.view.changes().length, before);
  });
});

describe('data outputs', () => {
  const scriptOfSize = (size: number) => concatBytes(Uint8Array.of(Op.RETURN), new Uint8Array(size - 1));
  const cases = [
    { name: 'after the first output', first: dataScript('A', EMPTY_BYTES), others: [1024], expected: undefined },
    { name: 'too long after the first output', first: dataScript('A', EMPTY_BYTES), others: [5, 1025], expected: 'vout[2] Core' },
    { name: 'without a custom transaction', first: scriptOfSize(1024), others: [], expected: undefined },
    { name: 'too long without a custom transaction', first: scriptOfSize(1025), others: [], expected: 'vout[0] Core' },
    { name: 'of a custom transaction', first: dataScript('A', new Uint8Array(4096 - 9)), others: [], expected: undefined },
    { name: 'too long for a custom transaction', first: dataScript('A', new Uint8Array(4096 - 8)), others: [], expected: 'vout[0] DVM' },
  ];
  for (const { name, first, others, expected } of cases) {
    test(`from Metachain on: ${name}`, () => {
      const fixture = new DfiFixture(heights({ amk: 0, metachain: 100 }));
      const tx = fixture.transaction(first, { outputs: others.map((size) => dfi(0n, scriptOfSize(size))) });
      const failed = (height: number) => {
        const outcome = fixture.apply(tx, height);
        return outcome.status === 'failed' ? outcome.message : undefined;
      };
      assert.equal(failed(99), undefined);
      assert.equal(failed(100), expected && `OP_RETURN size check: ${expected} failure`);
    });
  }
});

describe('data outputs with limits by governance', () => {
  const scriptOfSize = (size: number) => concatBytes(Uint8Array.of(Op.RETURN), new Uint8Array(size - 1));
  const limited = (kind: string, bytes: bigint) => {
    const fixture = new DfiFixture(heights({ amk: 0, metachain: 100 }));
    fixture.attribute(`v0/rules/tx/${kind}_op_return_max_size_bytes`, { kind: 'u64', value: bytes });
    return fixture;
  };
  const refuses = (fixture: DfiFixture, scriptPubKey: Uint8Array) =>
    fixture.apply(fixture.transaction(scriptPubKey), 100).status === 'failed';

  test('a higher and a lower limit', () => {
    assert.equal(refuses(limited('core', 2000n), scriptOfSize(2000)), false);
    assert.equal(refuses(limited('core', 2000n), scriptOfSize(2001)), true);
    assert.equal(refuses(limited('dvm', 100n), dataScript('A', new Uint8Array(80))), false);
    assert.equal(refuses(limited('dvm', 80n), dataScript('A', new Uint8Array(80))), true);
  });

  test('only the lower 32 bits count', () => {
    assert.equal(refuses(limited('core', 2n ** 32n + 10n), scriptOfSize(10)), false);
    assert.equal(refuses(limited('core', 2n ** 32n + 10n), scriptOfSize(11)), true);
  });
});

test('a coinbase is never executed as a custom transaction', () => {
  const fixture = new DfiFixture(heights({ amk: 0 }));
  const paid = fixture.transaction(dataScript('U', EMPTY_BYTES));
  const coinbase = { ...paid, vin: [{ ...(paid.vin[0] as (typeof paid.vin)[0]), prevout: { txid: NULL_HASH, vout: 0xffffffff } }] };
  assert.deepEqual(fixture.apply(coinbase), { status: 'none' });
});

test('an EVM transaction is rejected while the EVM is off', () => {
  const fixture = new DfiFixture(heights({ ...GRAND_CENTRAL, metachain: 0 }));
  const outcome = fixture.apply(fixture.transaction(dataScript('9', Uint8Array.of(1))));
  assert.deepEqual(outcome, { status: 'failed', message: 'EVM is not enabled on this block', fatal: true, lacksBalance: false });
});

test('burnt fees are recorded, and only if the transaction took effect', () => {
  const fixture = new DfiFixture(heights({ amk: 0 }));
  const token = { symbol: 'GOLD', name: 'gold', decimal: 8, limit: 0n, flags: 3 };
  const collateral = dfi(10_0000_0000n, owner);
  assert.equal(fixture.failure(createToken, token, { value: 1n, outputs: [collateral] })?.includes('malformed tx vouts'), true);
  assert.equal(fixture.failure(createToken, token, { value: 1_0000_0000n, outputs: [collateral] }), undefined);
  fixture.history.write(fixture.view);
  const burns = [...fixture.view.entries(burnHistory)];
  assert.deepEqual(
    burns.map(([, { differences }]) => differences),
    [[{ tokenId: 0, amount: 1_0000_0000n }]],
  );
});
