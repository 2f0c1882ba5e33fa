import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attributes } from '../../../src/dfi/attributes/attributes.js';
import { attributeAt } from '../../../src/dfi/attributes/path.js';
import { LongWorkThread } from '../../../src/evm/long-work.js';
import { Overlay } from '../../../src/storage/overlay.js';
import { workerProgram } from '../../worker-program.js';
import { RecordedNode } from './recorded-node.js';

const A = '0xc50d87f19c20dfdd140a387a20365f7e4198ca6a';
const TOKEN = '0xff00000000000000000000000000000000000001';
/** Stores its second word under its first. */
const C1 = '0x4434db6e3407bed22eb70bebab7277306af87e19';
/** Reverts. */
const C3 = '0xc4bbb93e9e85addc5d186399e3ee921af90b8d89';
const NOBODY = '0x00000000000000000000000000000000000abcde';
const BALANCE_OF_A = `0x70a08231${word(BigInt(A))}`;
const node = new RecordedNode('main').connect();

function word(value: bigint): string {
  return value.toString(16).padStart(64, '0');
}

function custom(text: string) {
  return { error: { code: -32001, message: `Custom error: ${text}` } };
}

/** Asserts an answer; an error is compared by its members. */
async function assertAnswer(actual: Promise<unknown>, expected: unknown): Promise<void> {
  assert.deepEqual(JSON.parse(JSON.stringify(await actual, ['error', 'code', 'message', 'data'].concat(namesOf(expected)))), expected);
}

function namesOf(value: unknown): string[] {
  return typeof value === 'object' && value !== null ? Object.keys(value) : [];
}

/** An account with this code in place of another. */
function withCode(code: string, address = NOBODY) {
  return { [address]: { code: `0x${code}` } };
}

test('eth_call answers with the state of any block', async () => {
  const expected = [0n, 10n, 10n, 10n, 10n, 6n, 6n, 5n, 5n];
  for (const [number, tokens] of expected.entries()) {
    const answer = await node.ask('eth_call', { to: TOKEN, data: BALANCE_OF_A }, `0x${number.toString(16)}`);
    assert.equal(answer, `0x${word(tokens * 10n ** 18n)}`, `block ${number}`);
  }
  await assertAnswer(node.ask('eth_call', { to: TOKEN, data: BALANCE_OF_A }, '0x9'), custom('header not found'));
});

test('the block of a call: number, price and balances', async () => {
  // NUMBER, GASPRICE and the balance of A, in memory
  const code = `436000523a60205273${A.slice(2)}3160405260606000f3`;
  const at = async (tag: string, call = {}) => (await node.ask('eth_call', { to: NOBODY, ...call }, tag, withCode(code))) as string;
  const answer = await at('0x4');
  assert.equal(BigInt(answer.slice(0, 66)), 4n);
  assert.equal(BigInt(`0x${answer.slice(66, 130)}`), 10n ** 10n);
  const priced = await at('latest', { gasPrice: '0x7' });
  assert.equal(BigInt(`0x${priced.slice(66, 130)}`), 7n);
  const capped = await at('latest', { maxFeePerGas: '0x8', maxPriorityFeePerGas: '0x1' });
  assert.equal(BigInt(`0x${capped.slice(66, 130)}`), 8n);
});

test('reverts and failures', async () => {
  await assertAnswer(node.ask('eth_call', { to: C3 }), { error: { code: 3, message: '', data: '0x' } });
  const text = Buffer.from('no').toString('hex').padEnd(64, '0');
  // Copies its own tail into memory and reverts with it.
  const tail = `08c379a0${word(32n)}${word(2n)}${text}`;
  const code = `60${(tail.length / 2).toString(16)}600c60003960${(tail.length / 2).toString(16)}6000fd${tail}`;
  await assertAnswer(node.ask('eth_call', { to: NOBODY }, 'latest', withCode(code)), {
    error: { code: 3, message: 'execution reverted: no', data: `0x${tail}` },
  });
  await assertAnswer(node.ask('eth_call', { to: NOBODY }, 'latest', withCode('fe')), custom('exit error InvalidCode(Opcode(254))'));
  await assertAnswer(node.ask('eth_call', { to: C1, gas: '0x5300' }), custom('exit error OutOfGas'));
  await assertAnswer(node.ask('eth_call', { from: NOBODY, to: C1, value: '0x1' }), custom('exit error OutOfFund'));
  await assertAnswer(node.ask('eth_call', { from: NOBODY, value: '0x1' }), custom('exit error OutOfFund'));
});

test('requests that contradict themselves', async () => {
  const cases: readonly (readonly [object, string])[] = [
    [{ data: '0x', input: '0x' }, 'data and input fields are mutually exclusive'],
    [{ gas: '0x10000000000000000' }, 'integer overflow when casting to u64'],
    [{ type: '0x3' }, 'invalid transaction type specified'],
    [{ gasPrice: '0x1', maxPriorityFeePerGas: '0x1' }, 'both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified'],
    [{ maxFeePerGas: '0x1' }, 'both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified'],
  ];
  for (const [request, text] of cases) await assertAnswer(node.ask('eth_call', { to: C3, ...request }), custom(text));
  await assertAnswer(node.ask('eth_call', { toAddress: C3 }), {
    error: {
      code: -32602,
      message:
        'unknown field `toAddress`, expected one of `from`, `to`, `gasPrice`, `maxFeePerGas`, `maxPriorityFeePerGas`, `gas`, `value`, `data`, `input`, `nonce`, `accessList`, `type` at line 1 column 12',
    },
  });
});

test('a creation answers the code of the contract', async () => {
  // Returns one byte, 0x01.
  assert.equal(await node.ask('eth_call', { data: '0x600160005360016000f3' }), '0x01');
  await assertAnswer(node.ask('eth_call', { data: `0x${'00'.repeat(49153)}` }), custom('exit error CreateContractLimit'));
});

test('an override replaces a whole account', async () => {
  // An override of the balance alone hides the code.
  assert.equal(await node.ask('eth_call', { to: TOKEN, data: BALANCE_OF_A }, 'latest', { [TOKEN]: { balance: '0x1' } }), '0x');
  // SLOAD of slots 1 and 2: `state` and `stateDiff` add up, stored slots are not seen.
  const code = '60015460005260025460205260035460405260606000f3';
  const state = { [`0x${word(1n)}`]: `0x${word(5n)}` };
  const stateDiff = { [`0x${word(2n)}`]: `0x${word(6n)}` };
  const answer = await node.ask('eth_call', { to: C1 }, 'latest', { [C1]: { code: `0x${code}`, state, stateDiff } });
  assert.equal(answer, `0x${word(5n)}${word(6n)}${word(0n)}`);
});

test('gas estimates', async () => {
  assert.equal(await node.ask('eth_estimateGas', { from: A, to: NOBODY, value: '0x1' }), '0x5208');
  await assertAnswer(node.ask('eth_estimateGas', { from: NOBODY, to: A, value: '0x1' }), custom('transaction execution failed'));
  await assertAnswer(
    node.ask('eth_estimateGas', { from: NOBODY, to: A, value: '0x1', gasPrice: '0x1' }),
    custom('insufficient funds for transfer'),
  );
  await assertAnswer(node.ask('eth_estimateGas', { to: C3 }), custom('transaction execution failed'));
  await assertAnswer(
    node.ask('eth_estimateGas', { to: TOKEN, data: BALANCE_OF_A, gas: '0x5210' }),
    custom('gas required exceeds allowance 21008'),
  );
  // The sum of both bounds exceeds 64 bits.
  await assertAnswer(node.ask('eth_estimateGas', { to: TOKEN, data: BALANCE_OF_A, gas: `0x${'f'.repeat(16)}` }), custom('value overflow'));
  const estimate = BigInt((await node.ask('eth_estimateGas', { to: TOKEN, data: BALANCE_OF_A })) as string);
  const least = await leastGas({ to: TOKEN, data: BALANCE_OF_A });
  assert.ok(estimate >= least && Number(estimate - least) <= 0.15 * Number(estimate), `${estimate} for ${least}`);
});

test('a negative -evmestimategaserrorratio allows any estimate', async () => {
  const lenient = new RecordedNode('main', { estimateErrorRatio: -1 }).connect();
  assert.equal(await lenient.ask('eth_estimateGas', { to: TOKEN, data: BALANCE_OF_A }), `0x${(30_000_000).toString(16)}`);
});

/** Least gas with which a call succeeds. */
async function leastGas(request: object): Promise<bigint> {
  let [low, high] = [21_000n, 1_000_000n];
  while (low + 1n < high) {
    const middle = (low + high) / 2n;
    const answer = await node.ask('eth_call', { ...request, gas: `0x${middle.toString(16)}` });
    if (typeof answer === 'string') high = middle;
    else low = middle;
  }
  return high;
}

/** JUMPDEST, PUSH1 0, JUMP: runs until its gas is used. */
const LOOP = '5b600056';

test('a long call shares the event loop, and sees its block while others are connected', async () => {
  const young = new RecordedNode('main').connect(4);
  // Uses most of the gas of a block, then answers the balance of A.
  const code = `621000005b60019003806004575073${A.slice(2)}3160005260206000f3`;
  const expected = await young.ask('eth_call', { to: NOBODY }, '0x4', withCode(code));
  const answer = young.ask('eth_call', { to: NOBODY }, 'latest', withCode(code));
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  young.connect();
  assert.deepEqual(await answer, expected);
  clearInterval(timer);
  assert.ok(turns > 2, `${turns} turns`);
  assert.notDeepEqual(await young.ask('eth_call', { to: NOBODY }, 'latest', withCode(code)), expected);
});

test('a long call ends if its block is disconnected, and if its caller leaves', async () => {
  const young = new RecordedNode('main').connect();
  const answer = young.ask('eth_call', { to: NOBODY }, 'latest', withCode(LOOP));
  young.disconnect();
  await assertAnswer(answer, custom('header not found'));
  const caller = new AbortController();
  const left = young.call('eth_call', [{ to: NOBODY }, 'latest', withCode(LOOP)], { signal: caller.signal });
  caller.abort(new Error('gone'));
  assert.ok('error' in (await left));
});

test('gas beyond that of a block is not used', async () => {
  await assertAnswer(
    node.ask('eth_call', { to: NOBODY, gas: '0xffffffffffffffff' }, 'latest', withCode(LOOP)),
    custom('exit error OutOfGas'),
  );
});

test('a call may use more gas than blocks have after governance has lowered their limit', async () => {
  const lowered = new RecordedNode('main').connect();
  const view = new Overlay(lowered.store);
  view.put(attributes, attributeAt('v0/evm/block/gas_limit'), { kind: 'u64', value: 100_000n });
  lowered.store.write(view.changes());
  // GAS, in memory
  const override = withCode('5a60005260206000f3');
  const left = (call: object) => lowered.ask('eth_call', { to: NOBODY, ...call }, 'latest', override);
  assert.equal(BigInt((await left({})) as string), 100_000n - 21_000n - 2n);
  assert.equal(BigInt((await left({ gas: '0x7a120' })) as string), 500_000n - 21_000n - 2n);
});

test('long hashes and precompiled contracts are computed by another thread', async () => {
  const thread = new LongWorkThread(workerProgram('src/evm/long-work-worker.ts'));
  const names: unknown[] = [];
  const offload: LongWorkThread['offload'] = (work, cost) => {
    const result = thread.offload(work, cost);
    if (result) names.push(work.name);
    return result;
  };
  const threaded = new RecordedNode('main', { offload }).connect();
  const both = async (...params: unknown[]) => {
    const [here, there] = [await node.ask('eth_call', ...params), await threaded.ask('eth_call', ...params)];
    assert.deepEqual(JSON.stringify(there), JSON.stringify(here));
    return here;
  };
  // KECCAK256 of 1 MiB
  await both({ to: NOBODY }, 'latest', withCode('6210000060002060005260206000f3'));
  assert.equal(await both({ to: `0x${'8'.padStart(40, '0')}`, data: '0x' }), `0x${word(1n)}`);
  // a point that is not on the curve
  await both({ to: `0x${'8'.padStart(40, '0')}`, data: `0x${'01'.repeat(192)}` });
  // BLAKE2b with 200,000 rounds
  await both({ to: `0x${'9'.padStart(40, '0')}`, data: `0x00030d40${'5a'.repeat(208)}01` });
  assert.deepEqual(names, ['keccak', 8n, 8n, 9n]);
  for (const size of [65_535, 65_536]) {
    const data = `0x${'5a'.repeat(size)}`;
    assert.equal(await threaded.ask('web3_sha3', data), await node.ask('web3_sha3', data));
  }
  assert.deepEqual(names.slice(4), ['keccak']);
  await thread.stop();
});
