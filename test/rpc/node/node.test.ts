import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkParams } from '../../../src/params/index.js';
import { formatHash } from '../../../src/primitives/hash.js';
import { startServices } from '../service-node.js';

const regtest = networkParams({ network: 'regtest' });
const ADDRESS = 'mud4VMfbBqXNpbt8ur33KHKx8pk3npSq8c';
const UNKNOWN = 'ab'.repeat(32);

test('help: one operation, an unknown one, and the list without hidden ones', async () => {
  const { ask } = startServices(regtest);
  assert.match(await ask('help', '["getblock"]'), /^"getblock \\"blockhash\\" \( verbosity \)\\n/);
  assert.equal(await ask('help', '["nothing"]'), '"help: unknown command: nothing"');
  assert.equal(await ask('help', '[null]'), '-1 JSON value is not a string as expected');
  const list = JSON.parse(await ask('help', '[]')) as string;
  assert.match(list, /^== Accounts ==\n/);
  assert.match(list, /\n== Generating ==\ngeneratetoaddress nblocks "address" \( maxtries \)\n/);
  assert.doesNotMatch(list, /setmocktime/);
});

test('stop: requests the shutdown; only a number delays the answer', async () => {
  const { ask, stopRequests } = startServices(regtest);
  assert.equal(await ask('stop', '[]'), '"Defi server stopping"');
  assert.equal(await ask('stop', '["soon"]'), '"Defi server stopping"');
  const start = performance.now();
  assert.equal(await ask('stop', '[30]'), '"Defi server stopping"');
  assert.ok(performance.now() - start >= 29);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(stopRequests(), 3);
});

test('uptime: follows the mock time', async () => {
  const { ask } = startServices(regtest);
  assert.equal(await ask('uptime', '[]'), '0');
  assert.equal(await ask('setmocktime', '[1579045075]'), 'null');
  assert.equal(await ask('uptime', '[]'), '10');
});

test('setmocktime: regtest only, and a number', async () => {
  const { ask } = startServices(regtest);
  assert.equal(await ask('setmocktime', '["1"]'), '-3 Expected type number, got string');
  const main = startServices(networkParams({ network: 'main' }));
  assert.equal(await main.ask('setmocktime', '[1]'), '-1 setmocktime for regression testing (-regtest mode) only');
});

test('setmockcheckpoint: regtest only, a height and a hash', async () => {
  const { ask } = startServices(regtest);
  const genesis = formatHash(regtest.genesis.hash);
  assert.equal(await ask('setmockcheckpoint', `[0, "${genesis}"]`), 'null');
  assert.equal(await ask('setmockcheckpoint', '[0, "00"]'), `-8 blockhash must be of length 64 (not 2, for '00')`);
  assert.equal(await ask('setmockcheckpoint', '[1.5, {}]'), '-3 Expected type string, got object');
  assert.equal(await ask('setmockcheckpoint', '[null, "00"]'), '-3 Expected type number, got null');
  const main = startServices(networkParams({ network: 'main' }));
  const text = '-1 setmockcheckpoint for regression testing (-regtest mode) only';
  assert.equal(await main.ask('setmockcheckpoint', `[1, "${genesis}"]`), text);
});

test('getrpcinfo: lists the call itself', async () => {
  const { ask } = startServices(regtest);
  const info = JSON.parse(await ask('getrpcinfo', '[]'));
  assert.equal(info.logpath, '/somewhere/debug.log');
  assert.equal(info.active_commands.length, 1);
  assert.equal(info.active_commands[0].method, 'getrpcinfo');
  assert.ok(Number.isInteger(info.active_commands[0].duration) && info.active_commands[0].duration >= 0);
});

test('getmemoryinfo: nothing is locked', async () => {
  const { ask } = startServices(regtest);
  const text = '{"locked":{"used":0,"free":0,"total":0,"locked":0,"chunks_used":0,"chunks_free":0}}';
  assert.equal(await ask('getmemoryinfo', '[]'), text);
  assert.equal(await ask('getmemoryinfo', '["foobar"]'), '-8 unknown mode foobar');
  assert.equal(await ask('getmemoryinfo', '["mallocinfo"]'), '-8 mallocinfo is only available when compiled with glibc 2.10+');
});

test('logging: switches categories, exclusion wins', async () => {
  const { ask } = startServices(regtest);
  const states = async (params: string) => JSON.parse(await ask('logging', params)) as Record<string, boolean>;
  assert.ok(Object.values(await states('[]')).every((on) => !on));
  assert.equal((await states('[["net"]]')).net, true);
  assert.equal((await states('[[], ["net"]]')).net, false);
  const mixed = await states('[["all"], ["rpc"]]');
  assert.deepEqual([mixed.net, mixed.rpc], [true, false]);
  assert.equal(await ask('logging', '[["nonsense"]]'), '-8 unknown logging category nonsense');
  assert.equal(await ask('logging', '[["constructor"]]'), '-8 unknown logging category constructor');
  const names = Object.keys(await states('[]'));
  assert.deepEqual(names, [...names].sort());
  assert.deepEqual(await states('["nonsense", {}]'), mixed, 'anything but a list is ignored');
});

test('echo: returns every argument, numbers with their text', async () => {
  const { ask } = startServices(regtest);
  assert.equal(await ask('echo', '[]'), '[]');
  assert.equal(await ask('echo', '[1.50, "a", null]'), '[1.50,"a",null]');
  assert.equal(await ask('echojson', '{"arg2": {"b": [1e3]}}'), '[null,null,{"b":[1e3]}]');
  assert.equal(await ask('echo', '[1,2,3,4,5,6,7,8,9,10]'), '[1,2,3,4,5,6,7,8,9,10]');
  assert.equal(await ask('echo', '[1,2,3,4,5,6,7,8,9,10,11]'), '-1 usage');
});

test('getversioninfo and ping', async () => {
  const { ask } = startServices(regtest);
  const text =
    '{"name":"DeFiChain","version":"4.2.5","numericVersion":4020500,"fullVersion":"DeFiChain:4.2.5","userAgent":"/DeFiChain:4.2.5/","protoVersion":70039,"protoVersionMin":70023,"rpcVersion":"1","rpcVersionMin":"1"}';
  assert.equal(await ask('getversioninfo', '[]'), text);
  assert.equal(await ask('ping', '[]'), 'null');
  assert.equal(await ask('syncwithvalidationinterfacequeue', '[]'), 'null');
});

test('generatetoaddress: the number of blocks, or the error', async () => {
  const { ask, chain } = startServices(regtest, { operate: [0] });
  assert.equal(await ask('generatetoaddress', `[2, "${ADDRESS}", 10]`), '2');
  assert.equal(chain.tip.height, 2);
  assert.equal(await ask('generatetoaddress', '[1, "nobody"]'), '-5 Error: Invalid address');
  assert.equal(await ask('generatetoaddress', '["1", 5, "x"]'), '-1 JSON value is not an integer as expected');
  assert.equal(await ask('generatetoaddress', '[1, 5, 1]'), '-1 JSON value is not a string as expected');
  assert.equal(await ask('generatetoaddress', '[1]'), '-1 usage');
  const without = startServices(regtest);
  assert.equal(await without.ask('generatetoaddress', `[1, "${ADDRESS}"]`), '-5 Error: I am not masternode operator');
});

test('invalidateblock and reconsiderblock: disconnect and reconnect', async () => {
  const { ask, chain } = startServices(regtest, { operate: [0] });
  await ask('generatetoaddress', `[3, "${ADDRESS}"]`);
  const tip = formatHash(chain.tip.hash);
  const second = JSON.stringify([formatHash(chain.entryAt(2)?.hash ?? new Uint8Array(32))]);
  assert.equal(await ask('invalidateblock', second), 'null');
  assert.equal(chain.tip.height, 1);
  assert.equal(await ask('reconsiderblock', second), 'null');
  assert.equal(formatHash(chain.tip.hash), tip);
  for (const method of ['invalidateblock', 'reconsiderblock']) {
    assert.equal(await ask(method, `["${UNKNOWN}"]`), '-5 Block not found');
    assert.equal(await ask(method, '["ab"]'), "-8 blockhash must be of length 64 (not 2, for 'ab')");
  }
  assert.equal(await ask('invalidateblock', JSON.stringify([formatHash(chain.genesis.hash)])), '-20  (code 67)');
});

test('invalidateblock of a pruned block is refused before anything is disconnected', async () => {
  const { ask, chain } = startServices(regtest, { operate: [0] });
  await ask('generatetoaddress', `[3, "${ADDRESS}"]`);
  const { tip } = chain;
  const [pruned, stored] = [1, 2].map((height) => chain.entryAt(height));
  if (pruned) pruned.position = undefined;
  Object.defineProperty(chain, 'lowestStored', { value: () => stored });
  const refusal = '-20 Cannot invalidate a block whose data is pruned';
  assert.equal(await ask('invalidateblock', JSON.stringify([formatHash(pruned?.hash ?? tip.hash)])), refusal);
  assert.deepEqual([chain.tip, chain.fault], [tip, undefined]);
  assert.equal(await ask('invalidateblock', JSON.stringify([formatHash(stored?.hash ?? tip.hash)])), 'null');
  assert.equal(chain.tip, pruned);
});

test('waitfornewblock: until the tip changes, or a timeout', async () => {
  const { ask, chain } = startServices(regtest, { operate: [0] });
  const before = `{"hash":"${formatHash(chain.tip.hash)}","height":0}`;
  assert.equal(await ask('waitfornewblock', '[20]'), before);
  const waiting = ask('waitfornewblock', '[]');
  await ask('generatetoaddress', `[1, "${ADDRESS}"]`);
  assert.equal(await waiting, `{"hash":"${formatHash(chain.tip.hash)}","height":1}`);
});

test('waits with a negative timeout return immediately', async () => {
  const { ask, chain } = startServices(regtest);
  const tip = `{"hash":"${formatHash(chain.tip.hash)}","height":0}`;
  assert.equal(await ask('waitfornewblock', '[-1]'), tip);
  assert.equal(await ask('waitforblockheight', '[9, -5]'), tip);
  assert.equal(await ask('waitforblock', `["${UNKNOWN}", -2147483648]`), tip);
});

test('waitforblockheight and waitforblock: immediately if the tip matches already', async () => {
  const { ask, chain } = startServices(regtest, { operate: [0] });
  const waiting = ask('waitforblockheight', '[2]');
  await ask('generatetoaddress', `[2, "${ADDRESS}"]`);
  const tip = `{"hash":"${formatHash(chain.tip.hash)}","height":2}`;
  assert.equal(await waiting, tip);
  assert.equal(await ask('waitforblockheight', '[1]'), tip);
  assert.equal(await ask('waitforblock', JSON.stringify([formatHash(chain.tip.hash)])), tip);
  assert.equal(await ask('waitforblock', `["${UNKNOWN}", 20]`), tip);
});

test('waiting ends when the node stops or the caller disconnects', async () => {
  const { ask, stopping } = startServices(regtest);
  const waiting = ask('waitforblockheight', '[9]');
  stopping.abort();
  assert.match(await waiting, /"height":0/);
  const other = startServices(regtest);
  const caller = new AbortController();
  const left = other.ask('waitforblockheight', '[9]', { signal: caller.signal });
  caller.abort();
  assert.equal(await left, '-1 the call was cancelled');
});

const addresses = [
  {
    name: 'P2WSH',
    address: 'bcrt1qxvenxvenxvenxvenxvenxvenxvenxvenxvenxvenxvenxvenxveszjzva7',
    expected: { isscript: true, iswitness: true, witness_version: 0, witness_program: '33'.repeat(32) },
  },
  {
    name: 'an unknown witness version',
    address: 'bcrt1pyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zmte6ly',
    expected: { iswitness: true, witness_version: 1, witness_program: '22'.repeat(20) },
  },
];
for (const { name, address, expected } of addresses) {
  test(`validateaddress: ${name}`, async () => {
    const {
      isvalid,
      address: shown,
      scriptPubKey,
      ...rest
    } = JSON.parse(await startServices(regtest).ask('validateaddress', `["${address}"]`));
    assert.deepEqual([isvalid, shown], [true, address]);
    assert.match(scriptPubKey, /^[0-9a-f]+$/);
    assert.deepEqual(rest, expected);
  });
}

test('getzmqnotifications: none', async () => {
  const { ask } = startServices(regtest);
  assert.equal(await ask('getzmqnotifications', '[]'), '[]');
});

test('declared operations without a handler report it', async () => {
  const { ask } = startServices(regtest);
  assert.equal(await ask('spv_setlastheight', '[1]'), '-1 spv_setlastheight is not implemented yet');
});
