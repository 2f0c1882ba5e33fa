import assert from 'node:assert/strict';
import { describe, mock, test } from 'node:test';
import { xxhash64 } from 'hash-wasm';
import { evmBlock } from '../../../src/dfi/evm/blocks.js';
import { parseStartState, putStartState } from '../../../src/dfi/evm/start-state.js';
import { putToken, type Token } from '../../../src/dfi/tokens/columns.js';
import { updateTokenAnyBody } from '../../../src/dfi/tokens/updates.js';
import { xxhash128 } from '../../../src/ethereum/traces/xxhash.js';
import { WordMap } from '../../../src/evm/word-map.js';
import { encode } from '../../../src/primitives/codec.js';
import { NULL_HASH } from '../../../src/primitives/hash.js';
import { Overlay } from '../../../src/storage/overlay.js';
import { fromHex, toHex } from '../../../src/util/bytes.js';
import { turnsOf } from '../../event-loop-turns.js';
import { carrier, custom } from '../mempool/evm-transactions.js';
import { RecordedNode } from './recorded-node.js';

const TOKEN = '0xff00000000000000000000000000000000000001';
const BALANCE = `0x70a08231${'c50d87f19c20dfdd140a387a20365f7e4198ca6a'.padStart(64, '0')}`;
const NOBODY = '0x00000000000000000000000000000000000abcde';
const limits = { maxTraceBytes: 20_000_000, maxResponseBytes: 25 * 2 ** 20, isTracing: true, isDebug: true };
const node = new RecordedNode('main', limits).connect();

function withCode(code: string) {
  return { [NOBODY]: { code: `0x${code}` } };
}

interface Steps {
  readonly gas: string;
  readonly failed: boolean;
  readonly returnValue: string;
  readonly structLogs: readonly Record<string, unknown>[];
}

test('the hash of tracers', () => {
  assert.equal(toHex(xxhash128(new Uint8Array(0))), '99e9d85137db46ef4bbea33613baafd5');
  assert.equal(toHex(xxhash128(Buffer.from('System'))), '26aa394eea5630e07c48ae0c9558cef7');
});

test('the hash of tracers is two of XXH64, as another implementation computes it', async () => {
  for (let length = 0; length < 100; length++) {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * 89 + length) & 0xff);
    const halves = await Promise.all([0, 1].map(async (seed) => fromHex(await xxhash64(bytes, seed)).reverse()));
    assert.equal(toHex(xxhash128(bytes)), toHex(Buffer.concat(halves)), `${length} bytes`);
  }
});

test('opcodes of a call: gas, memory that was written, stack and storage', async () => {
  // Stores a byte, reads slot 1, stops.
  const trace = (await node.ask('debug_traceCall', { to: NOBODY }, 'latest', {}, withCode('60ff60005360015400'))) as Steps;
  assert.deepEqual(
    trace.structLogs.map(({ op, gasCost, depth }) => [op, gasCost, depth]),
    [
      ['PUSH1', 3, 1],
      ['PUSH1', 3, 1],
      ['MSTORE8', 3, 1],
      ['PUSH1', 3, 1],
      ['SLOAD', 2100, 1],
      ['STOP', 0, 1],
    ],
  );
  assert.deepEqual(trace.structLogs[3]?.memory, ['ff'.padStart(64, '0')]);
  assert.deepEqual(trace.structLogs[5]?.storage, { [`0x${'1'.padStart(64, '0')}`]: `0x${'0'.repeat(64)}` });
  assert.deepEqual([trace.failed, BigInt(trace.gas)], [false, 21_000n + 3n + 3n + 3n + 3n + 3n + 2100n]);
});

test('an opcode that is refused is not in the trace, and a precompiled contract leaves its depth behind', async () => {
  const refused = (await node.ask('debug_traceCall', { to: NOBODY }, 'latest', {}, withCode('6000fe'))) as Steps;
  assert.deepEqual(
    refused.structLogs.map(({ op }) => op),
    ['PUSH1'],
  );
  assert.equal(refused.failed, true);
  // STATICCALL of the identity, then STOP
  const called = (await node.ask('debug_traceCall', { to: NOBODY }, 'latest', {}, withCode('600060006000600060045afa00'))) as Steps;
  assert.deepEqual(called.structLogs.at(-1), { ...called.structLogs.at(-1), op: 'STOP', depth: 2 });
});

describe('an opcode whose gas did not suffice, as the last thing before the caller ends', () => {
  const CALLED = '0x0000000000000000000000000000000000abcdef';
  // Calls it with the limit, and ends.
  const callerOf = (limit: number) => `6000600060006000600062abcdef61${limit.toString(16).padStart(4, '0')}f1`;
  const rows = [
    { name: 'BALANCE', code: '600031', limit: 10, shown: [7, 100] },
    { name: 'SLOAD', code: '600054', limit: 10, shown: [7, 2100] },
    { name: 'SSTORE', code: '6001600055', limit: 2400, shown: [2394, 22_100] },
    { name: 'SSTORE with no more than the stipend', code: '6001600055', limit: 2300, shown: [0, 0] },
    { name: 'EXP', code: '61ffff60020a', limit: 10, shown: [4, 110] },
    { name: 'KECCAK256', code: '6041600020', limit: 20, shown: [14, 48] },
    { name: 'KECCAK256 without gas for its memory', code: '6041600020', limit: 57, shown: [51, 48] },
    { name: 'LOG1 with two operands', code: '600a6000a1', limit: 100, shown: [94, 830] },
    { name: 'CODECOPY', code: '60216000600039', limit: 10, shown: [1, 9] },
    { name: 'EXTCODECOPY without gas for its memory', code: '60216000600060003c', limit: 2620, shown: [2608, 106] },
    { name: 'CALL with a value', code: '6000600060006000600160006000f1', limit: 40, shown: [19, 9100] },
    { name: 'DELEGATECALL', code: '600060006000600060005af4', limit: 30, shown: [13, 100] },
    { name: 'STATICCALL of a range that no gas pays for', code: '6000600060ff19600060005afa', limit: 30, shown: [10, 0] },
    { name: 'CREATE2', code: '6000604160006000f5', limit: 32_015, shown: [32_003, 32_018] },
    { name: 'SELFDESTRUCT', code: '6000ff', limit: 100, shown: [97, 5000] },
  ];
  for (const { name, code, limit, shown } of rows) {
    test(`${name}: its gas, and its cost without memory`, async () => {
      const state = { ...withCode(callerOf(limit)), [CALLED]: { code: `0x${code}`, balance: '0x5' } };
      const { structLogs } = (await node.ask('debug_traceCall', { to: NOBODY }, 'latest', {}, state)) as Steps;
      const last = structLogs.at(-1);
      assert.deepEqual([last?.depth, last?.gas, last?.gasCost], [2, ...shown]);
    });
  }
});

test('an opcode that lacks operands, but not those of its cost, shows its cost without memory', async () => {
  const lastOf = async (code: string) => {
    const trace = (await node.ask('debug_traceCall', { to: NOBODY }, 'latest', {}, withCode(code))) as Steps;
    return [trace.structLogs.at(-1)?.op, trace.structLogs.at(-1)?.gasCost];
  };
  assert.deepEqual(await lastOf('606453'), ['MSTORE8', 3]);
  // One of three topics, length and offset of the data
  assert.deepEqual(await lastOf('600160036064a3'), ['LOG3', 1524]);
});

test('calls of a call through a proxy', async () => {
  const trace = (await node.ask('debug_traceCall', { to: TOKEN, data: BALANCE }, 'latest', { tracer: 'callTracer' })) as Record<
    string,
    unknown
  >;
  const [inner] = trace.calls as Record<string, unknown>[];
  assert.deepEqual([trace.type, trace.to, inner?.type, inner?.from], ['CALL', TOKEN, 'DELEGATECALL', TOKEN]);
  assert.equal(inner?.output, trace.output);
  assert.equal(trace.output, await node.ask('eth_call', { to: TOKEN, data: BALANCE }));
});

test('limits and refused tracers', async () => {
  const traced = async (less: Partial<typeof limits>) =>
    new RecordedNode('main', { ...limits, ...less }).connect().ask('debug_traceCall', { to: TOKEN, data: BALANCE }, 'latest', {});
  assert.equal(((await traced({ maxResponseBytes: 100 })) as { error: Error }).error.message, 'Response is too big');
  const answers = [
    await traced({ maxTraceBytes: 100 }),
    await traced({ maxTraceBytes: 100, maxResponseBytes: 100 }),
    await node.ask('debug_traceCall', { to: TOKEN }, 'latest', { tracer: '' }),
    await new RecordedNode('main').connect().ask('debug_traceCall', { to: TOKEN }, 'latest', {}),
    await node.ask('debug_traceTransaction', `0x${'00'.repeat(32)}`),
  ];
  const texts = answers.map((answer) => (answer as { error: Error }).error.message.replace('Custom error: ', ''));
  assert.deepEqual(texts, [
    ...Array.from(
      { length: 2 },
      () => 'error calling EVM : "replayed transaction generated too much data. try disabling memory or storage?"',
    ),
    'javascript based tracing is not available (hash :[153, 233, 216, 81, 55, 219, 70, 239, 75, 190, 163, 54, 19, 186, 175, 213])',
    'debug_* RPCs have not been enabled',
    `could not find receipt for transaction hash 0x${'00'.repeat(32)}`,
  ]);
});

describe('gas in the tree of calls', () => {
  interface Call {
    readonly gas: string;
    readonly gasUsed: string;
    readonly error?: string;
    readonly calls?: readonly Call[];
  }
  const LIMIT = 1_000_000;
  const INTRINSIC = 21_000;
  const traced = async (code: string) =>
    (await node.ask('debug_traceCall', { to: NOBODY, gas: '0xf4240' }, 'latest', { tracer: 'callTracer' }, withCode(code))) as Call;

  const rows = [
    { name: 'an offset whose memory no gas pays for notes nothing', code: `60017f${'ff'.repeat(32)}52`, used: 3 },
    { name: 'CALLCODE with three operands notes the gas', code: '600160016001f2', used: 9 },
    { name: 'CALLCODE with two operands notes nothing', code: '60016001f2', used: 3 },
    { name: 'an opcode of fixed cost without operands notes the gas', code: '600101', used: 3 },
  ];
  for (const { name, code, used } of rows) {
    test(name, async () => {
      const { gas, gasUsed } = await traced(code);
      assert.deepEqual([Number(gas), Number(gasUsed)], [LIMIT - INTRINSIC - used, INTRINSIC + used]);
    });
  }

  test('a precompiled contract notes the gas that it was given, unless it compares it first', async () => {
    const [multiplication, hash] = [await traced('5f5f5f5f5f6007610a0bf100'), await traced('5f5f5f5f5f6002600af100')];
    assert.deepEqual([multiplication.calls?.[0]?.gas, multiplication.calls?.[0]?.error], ['0xa0b', 'out of gas']);
    assert.deepEqual([hash.calls?.[0]?.gasUsed, hash.calls?.[0]?.error], ['0x0', 'out of gas']);
  });

  test('an opcode that writes in a static frame is refused before its cost', async () => {
    // The code calls itself in a static frame with too little gas for a creation.
    const errorOf = async (writing: string) => (await traced(`36600f575f5f60015f306103e8fa005b${writing}`)).calls?.[0]?.error;
    assert.equal(await errorOf('5f5f5ff000'), 'unexpected error');
    assert.equal(await errorOf('60015f19f000'), 'stack underflow');
    assert.equal(await errorOf('60015f195ff000'), 'out of gas');
  });
});

test('a block is traced by the DVM transactions that create or rename tokens, whatever its entries record', async () => {
  const fields = { symbol: 'TSLA', name: 'Tesla', decimal: 8, limit: 0n, flags: 0x04 };
  const life = { creationTx: new Uint8Array(32).fill(7), destructionTx: NULL_HASH, creationHeight: 0, destructionHeight: -1 };
  const token: Token = { ...fields, ...life, minted: 0n };
  const recorded = new RecordedNode('main', limits).connect();
  const view = new Overlay(recorded.store);
  putToken(view, 1, token);
  recorded.store.write(view.changes());
  const renaming = () => custom('n', encode(updateTokenAnyBody, { tokenTx: token.creationTx, token, newCollateral: undefined }));
  // The entries record a new version of token contracts, a new name, and the contract of a new token.
  const number = 6;
  const chain = { ...recorded.modules.chain, entryAt: () => ({}), block: () => ({ transactions: [renaming(), renaming(), renaming()] }) };
  Object.assign(recorded.modules, { chain });
  const traces = (await recorded.ask('debug_traceBlockByNumber', `0x${number}`, {})) as readonly { readonly result: Steps }[];
  assert.deepEqual(
    traces.map(({ result }) => [result.gas, result.failed, result.structLogs]),
    [1, 2, 3].map(() => ['0x0', false, []]),
  );
});

test('the first block of a start state has no entries to trace', async () => {
  const recorded = new RecordedNode('main', limits);
  const view = new Overlay(recorded.store);
  putStartState(view, parseStartState('{"alloc":{}}'));
  recorded.store.write(view.changes());
  Object.assign(recorded.modules, { chain: { ...recorded.modules.chain, entryAt: () => undefined } });
  assert.deepEqual(await recorded.ask('debug_traceBlockByNumber', 'earliest'), []);
});

test('the traces of a block share the length of one answer', async () => {
  const traced = async (maxResponseBytes: number) => {
    const recorded = new RecordedNode('main', { ...limits, maxResponseBytes }).connect();
    const transactions = evmBlock(recorded.store, 3)?.entries.map(({ raw }) => carrier(raw));
    Object.assign(recorded.modules, { chain: { ...recorded.modules.chain, entryAt: () => ({}), block: () => ({ transactions }) } });
    return recorded.ask('debug_traceBlockByNumber', '0x3', { tracer: 'callTracer' });
  };
  const lengths = ((await traced(limits.maxResponseBytes)) as readonly unknown[]).map((trace) => JSON.stringify(trace).length);
  assert.ok(lengths.length > 2);
  const refused = (await traced(Math.max(...lengths))) as { readonly error: Error };
  assert.equal(refused.error.message, 'Response is too big');
});

test('an access list has the slots that a call reads', async () => {
  const { accessList, gasUsed } = (await node.ask('eth_createAccessList', { to: TOKEN, data: BALANCE })) as Record<string, unknown>;
  const [item] = accessList as { address: string; storageKeys: string[] }[];
  assert.deepEqual([item?.address, item?.storageKeys.length], [TOKEN, 2]);
  assert.ok(BigInt(gasUsed as string) > 21_000n);
});

test('fees are estimated with the next base fee; before the first EVM block there is no state', async () => {
  const [empty, started] = [new RecordedNode('main', limits), new RecordedNode('main', limits).connect(1)];
  const call = { to: TOKEN, gasPrice: '0x4a817c800' };
  const text = 'Custom error: error calling EVM : "Could not restore backend Block number 0 not found"';
  const { error } = (await empty.ask('debug_feeEstimate', call)) as { readonly error: { readonly message: string } };
  assert.equal(error.message, text);
  const fees = (await started.ask('debug_feeEstimate', call)) as Record<string, string>;
  assert.equal(BigInt(fees.gas_fee as string), BigInt(fees.used_gas as string) * 20_000_000_000n);
  assert.equal(BigInt(fees.burnt_fee as string), BigInt(fees.used_gas as string) * 10_000_000_000n);
});

test('a call with many calls below it is shown in slices', async () => {
  // Calls an empty account until the gas is used.
  const code = '5b60006000600060006099' + '5afa50' + '600056';
  let trace: { readonly error?: string; readonly calls?: readonly { readonly to: string; readonly calls?: unknown }[] } = {};
  const turns = await turnsOf(async () => {
    trace = (await node.ask(
      'debug_traceCall',
      { to: NOBODY, gas: '0x30d40' },
      'latest',
      { tracer: 'callTracer' },
      withCode(code),
    )) as never;
  });
  assert.equal(trace.error, 'out of gas');
  assert.ok((trace.calls?.length ?? 0) > 1000);
  assert.ok(trace.calls?.every(({ to, calls }) => to.endsWith('99') && calls === undefined));
  assert.ok(turns > 15, String(turns));
});

test('the slots that frames below have read are not copied with each of them', async () => {
  const [other, counts, calls] = [`0x${'bb'.repeat(20)}`, '600160005101600052', `6000600060206000${`73${'bb'.repeat(20)}`}5afa50`];
  const overrides = { ...withCode(`5b${counts}${calls}600056`), [other]: { code: '0x60003554505b00' } };
  const set = mock.method(WordMap.prototype, 'set');
  try {
    const trace = (await node.ask('debug_traceCall', { to: NOBODY, gas: '0x16e360' }, 'latest', {}, overrides)) as Steps;
    const frames = trace.structLogs.filter(({ op }) => op === 'SLOAD').length;
    assert.ok(frames > 400);
    assert.ok(set.mock.callCount() < 50 * frames, `${set.mock.callCount()} of ${frames} frames`);
  } finally {
    set.mock.restore();
  }
});
