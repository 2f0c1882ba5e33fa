import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MethodTable } from '../../../src/ethereum/method-table.js';
import { developmentMethods } from '../../../src/ethereum/methods/development.js';
import type { EthereumModules } from '../../../src/ethereum/modules.js';
import { paramsOf } from '../../../src/ethereum/params.js';
import { toHex } from '../../../src/util/bytes.js';
import { parseJson } from '../../../src/util/json.js';
import { silentLogger } from '../../../src/util/logger.js';

const ADDRESS = '0x0102030405060708090a0b0c0d0e0f1011121314';

/** Methods on a development network that only notes what is asked of it; its snapshot has the id 26. */
function development(hasNetwork = true) {
  const calls: unknown[][] = [];
  const note =
    (name: string) =>
    (...args: readonly unknown[]) =>
      void calls.push([name, ...args.filter((arg) => !(arg instanceof AbortSignal))]);
  const network = {
    time: { offset: -3, advance: note('advance'), set: note('set'), setNext: note('setNext') },
    mining: { mode: 'off' },
    snapshots: { take: () => 26, has: (id: number) => id === 26, revert: note('revert'), drop: note('drop') },
    dump: { dump: async () => 'state', load: note('load') },
    setMiningInterval: note('interval'),
    impersonate: note('impersonate'),
    change: async (changes: readonly { readonly kind: string }[]) => note('change')(...changes.map(({ kind }) => kind)),
    mine: async ({ count, interval }: { readonly count: number; readonly interval: number }) => note('mine')(count, interval),
  };
  const table = new MethodTable({
    modules: { devNetwork: hasNetwork ? network : undefined, wallets: { loaded: () => [] } } as unknown as EthereumModules,
    methods: developmentMethods,
    maxResultBytes: 1_000,
    metrics: { finished() {} },
    log: silentLogger,
  });
  const ask = async (method: string, ...params: readonly unknown[]): Promise<unknown> => {
    const outcome = await table.call(method, paramsOf(parseJson(JSON.stringify(params))), { signal: new AbortController().signal });
    return 'result' in outcome ? JSON.parse(outcome.result) : outcome.error.message;
  };
  return { calls, network, ask };
}

/** Method, parameters, result, and what the network was asked for. */
const rows: readonly (readonly [method: string, params: readonly unknown[], result: unknown, calls: readonly unknown[][]])[] = [
  ['evm_snapshot', [], '0x1a', []],
  [
    'evm_revert',
    ['0x1a'],
    true,
    [
      ['revert', 26],
      ['drop', 26],
    ],
  ],
  ['anvil_revert', [27], false, []],
  ['hardhat_dumpState', [], 'state', []],
  ['anvil_loadState', ['state'], true, [['load', 'state']]],
  ['evm_increaseTime', [60], '-3', [['advance', 60]]],
  ['evm_increaseTime', [0], '-3', [['advance', 0]]],
  ['evm_setTime', ['0x10'], '-3', [['set', 16]]],
  ['evm_setNextBlockTimestamp', [99], '99', [['setNext', 99]]],
  ['evm_mine', [], '0x0', [['mine', 1, 1]]],
  [
    'evm_mine',
    [77],
    '0x0',
    [
      ['setNext', 77],
      ['mine', 1, 1],
    ],
  ],
  ['evm_mine', [{ blocks: 3 }], '0x0', [['mine', 3, 1]]],
  [
    'evm_mine',
    [{ timestamp: '0x7', blocks: 2 }],
    '0x0',
    [
      ['setNext', 7],
      ['mine', 2, 1],
    ],
  ],
  ['evm_setIntervalMining', [1_500], true, [['interval', 1.5]]],
  ['anvil_setIntervalMining', [2], null, [['interval', 2]]],
  ['hardhat_mine', [], true, [['mine', 1, 1]]],
  ['anvil_mine', ['0x5', 60], true, [['mine', 5, 60]]],
  ['hardhat_setBalance', [ADDRESS, '0x5'], true, [['change', 'evm-balance']]],
  ['anvil_setNonce', [ADDRESS, 7], true, [['change', 'evm-nonce']]],
  ['hardhat_setCode', [ADDRESS, '0x00'], true, [['change', 'evm-code']]],
  ['anvil_setStorageAt', [ADDRESS, '0x1', `0x${'00'.repeat(32)}`], true, [['change', 'evm-slot']]],
];
for (const [method, params, result, calls] of rows) {
  test(`${method}(${params.map((each) => JSON.stringify(each)).join()})`, async () => {
    const { ask, calls: made } = development();
    assert.deepEqual(await ask(method, ...params), result);
    assert.deepEqual(made, calls);
  });
}

test('minting with each transaction is switched on and off', async () => {
  const { ask, network } = development();
  assert.equal(await ask('hardhat_getAutomine'), false);
  assert.equal(await ask('evm_setAutomine', true), true);
  assert.deepEqual([network.mining.mode, await ask('anvil_getAutomine')], ['tx', true]);
  assert.equal(await ask('anvil_setAutomine', false), true);
  assert.deepEqual([network.mining.mode, await ask('hardhat_getAutomine')], ['off', false]);
});

test('accounts are impersonated by the script of their address', async () => {
  const { ask, calls } = development();
  assert.equal(await ask('hardhat_impersonateAccount', ADDRESS), true);
  assert.equal(await ask('anvil_stopImpersonatingAccount', ADDRESS), true);
  // OP_16 and the bytes of the address, backwards.
  const script = '601414131211100f0e0d0c0b0a090807060504030201';
  assert.deepEqual(
    calls.map(([name, bytes, on]) => [name, toHex(bytes as Uint8Array), on]),
    [true, false].map((on) => ['impersonate', script, on]),
  );
});

test('numbers are whole, and not negative', async () => {
  const { ask, calls } = development();
  for (const wrong of [-1, 1.5, 2 ** 53]) assert.match(String(await ask('evm_increaseTime', wrong)), /expected a whole number/);
  assert.deepEqual(calls, []);
});

test('on other networks every method is refused', async () => {
  const { ask } = development(false);
  const refused = String(await ask('evm_mine'));
  assert.match(refused, /development/);
  assert.equal(await ask('hardhat_getAutomine'), refused);
});
