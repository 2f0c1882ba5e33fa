import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { NodeError } from '../../src/util/errors.js';
import { type FakeHandlers, startGateway } from './gateway-fixture.js';

const A = 'aa'.repeat(32);
const B = `b1${'bb'.repeat(31)}`;
/** The same hash as bytes in wire order. */
const B_BYTES = `${'bb'.repeat(31)}b1`;
const NONE = 'cc'.repeat(32);

const header = (hash: string, height: number, next: string | undefined) => ({
  hash,
  confirmations: 2 - height,
  height,
  version: 1,
  versionHex: '00000001',
  merkleroot: NONE,
  time: 5,
  mediantime: 5,
  nextblockhash: next,
});

/** Output 0 of A in binary answers: two constants of its block, 150 satoshis, one opcode, token 200. */
const COIN = '01' + '0000000000000000' + '9600000000000000' + '0151' + '8048';

/** Transaction of that output. */
const TRANSACTION = `0400000001${'00'.repeat(36)}00ffffffff01${COIN.slice(18)}00000000`;

const script = { asm: '', hex: '51', addresses: [], type: 'nonstandard' };

const handlers: FakeHandlers = {
  getblockchaininfo: () => ({ chain: 'regtest' }),
  getblockcount: () => ({ height: 1 }),
  getbestblockhash: () => ({ blockhash: B }),
  getblockhash: ({ height }) => {
    if (height > 1) throw new NodeError('out-of-range', 'Block height out of range');
    return { blockhash: height === 0 ? A : B };
  },
  getblock: ({ blockhash, verbosity }) => {
    if (blockhash !== A) throw new NodeError('block-not-found', 'Block not found');
    return verbosity === 0
      ? { block: { $case: 'hex', value: '0a0b' } }
      : { block: { $case: 'object', value: { hash: A, height: verbosity } } };
  },
  getblockheader: ({ blockhash, verbose }) => {
    if (blockhash === NONE) throw new NodeError('block-not-found', 'Block not found');
    if (!verbose) return { header: { $case: 'hex', value: blockhash === A ? '0a' : '0b' } };
    return { header: { $case: 'object', value: blockhash === A ? header(A, 0, B) : header(B, 1, undefined) } };
  },
  gettxout: ({ txid, n }) =>
    txid === A && n === 0
      ? { output: { bestblock: B, confirmations: 2, value: 150n, scriptPubKey: script, scriptpubkey: script, coinbase: true } }
      : {},
  getrawtransaction: ({ txid, verbose, blockhash }) => {
    if (txid === B) {
      assert.equal(verbose, true);
      const transaction = { txid, hash: txid, vin: [], vout: [{ value: 150n, n: 0, scriptpubkey: script }], hex: '0102' };
      return { result: { $case: 'transaction', value: { transaction, blockhash: A, confirmations: 2, time: 5n, blocktime: 5n } } };
    }
    if (blockhash === undefined) throw new NodeError('transaction-not-found', 'No such mempool transaction');
    assert.deepEqual([txid, verbose, blockhash], [A, false, A]);
    return { result: { $case: 'hex', value: TRANSACTION } };
  },
};

test('reference rest: callers without credentials have a bounded queue of their own', async (t) => {
  let answer: () => void = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const reasons: string[] = [];
  let isAsked: () => void = () => {};
  const asked = new Promise<void>((resolve) => {
    isAsked = resolve;
  });
  const slow = () => {
    isAsked();
    return answered.then(() => ({ chain: 'regtest' }));
  };
  const metrics = { rejected: (reason: string) => void reasons.push(reason) };
  const { ask, post } = await startGateway(t, { ...handlers, getblockchaininfo: slow }, { rest: true, maxPending: 1 }, { metrics });
  const get = () => ask('/rest/chaininfo.json', { method: 'GET', auth: null });
  const many = Array.from({ length: 20 }, get);
  await asked;
  while (reasons.length < 4) await setImmediate();
  assert.equal((await post('{"method":"getblockcount"}')).status, 200);
  answer();
  const statuses = (await Promise.all(many)).map(({ status, body }) => [status, status === 200 ? '' : body]);
  assert.equal(statuses.filter(([status]) => status === 200).length, 16);
  assert.deepEqual(
    statuses.filter(([status]) => status !== 200),
    new Array(4).fill([500, 'Work queue depth exceeded']),
  );
  assert.deepEqual(reasons, new Array(4).fill('queue'));
});

test('reference rest: paths, formats and refusals', async (t) => {
  const { ask } = await startGateway(t, handlers, { rest: true });
  const cases: { path: string; status: number; body: string | RegExp; type?: string }[] = [
    { path: 'chaininfo.json', status: 200, body: /^\{"chain":"regtest",.*\}\n$/, type: 'application/json' },
    { path: 'chaininfo.hex', status: 404, body: 'output format not found (available: json)\r\n', type: 'text/plain' },
    { path: `block/${A}.hex`, status: 200, body: '0a0b\n', type: 'text/plain' },
    { path: `block/${A}.bin`, status: 200, body: '\n\v', type: 'application/octet-stream' },
    { path: `block/${A}.json`, status: 200, body: /"height":2/ },
    { path: `block/notxdetails/${A}.json`, status: 200, body: /"height":1/ },
    { path: `block/${B}.json`, status: 404, body: `${B} not found\r\n` },
    { path: 'block/xyz.json', status: 400, body: 'Invalid hash: xyz\r\n' },
    { path: `block/${A}.xml`, status: 400, body: `Invalid hash: ${A}.xml\r\n` },
    { path: `block/${A}`, status: 404, body: 'output format not found (available: .bin, .hex, .json)\r\n' },
    { path: `block/${A}.`, status: 404, body: 'output format not found (available: .bin, .hex, .json)\r\n' },
    { path: `block/${B}`, status: 404, body: `${B} not found\r\n` },
    {
      path: `tx/${B}.json`,
      status: 200,
      body: new RegExp(`,"vout":\\[.*\\],"blockhash":"${A}","hex":"0102"\\}\n$`),
      type: 'application/json',
    },
    { path: `tx/${A}`, status: 404, body: `${A} not found\r\n` },
    { path: `tx/${A}.foo`, status: 400, body: `Invalid hash: ${A}.foo\r\n` },
    { path: 'chaininfo.foo', status: 404, body: 'output format not found (available: json)\r\n' },
    { path: `headers/5/${A}.hex`, status: 200, body: '0a0b\n' },
    { path: `headers/1/${A}.hex`, status: 200, body: '0a\n' },
    { path: `headers/5/${NONE}.json`, status: 200, body: '[]\n' },
    { path: `headers/5/${NONE}.bin`, status: 200, body: '', type: 'application/octet-stream' },
    { path: `headers/5/${B}.json`, status: 200, body: /^\[\{"hash":"b1bb/ },
    { path: `headers/${A}.hex`, status: 400, body: 'No header count specified. Use /rest/headers/<count>/<hash>.<ext>.\r\n' },
    { path: `headers/0/${A}.hex`, status: 400, body: 'Header count out of range: 0\r\n' },
    { path: `headers/2001/${A}.hex`, status: 400, body: 'Header count out of range: 2001\r\n' },
    { path: `headers/5/${A}`, status: 404, body: 'output format not found (available: .bin, .hex)\r\n' },
    { path: `headers/5/${A}.xml`, status: 400, body: `Invalid hash: ${A}.xml\r\n` },
    { path: 'blockhashbyheight/1.json', status: 200, body: `{"blockhash":"${B}"}\n` },
    { path: 'blockhashbyheight/0.hex', status: 200, body: `${A}\n` },
    { path: 'blockhashbyheight/1.hex', status: 200, body: `${B}\n` },
    { path: 'blockhashbyheight/1.bin', status: 200, body: Buffer.from(B_BYTES, 'hex').toString('utf8'), type: 'application/octet-stream' },
    { path: 'blockhashbyheight/2.json', status: 404, body: 'Block height out of range\r\n' },
    { path: 'blockhashbyheight/-1.json', status: 400, body: 'Invalid height: -1\r\n' },
    { path: 'blockhashbyheight/2147483648.json', status: 400, body: 'Invalid height: 2147483648\r\n' },
    { path: 'blockhashbyheight/+00000000001.hex', status: 200, body: `${B}\n` },
    { path: 'blockhashbyheight/2', status: 404, body: 'Block height out of range\r\n' },
    { path: 'blockhashbyheight/1', status: 404, body: 'output format not found (available: .bin, .hex, .json)\r\n' },
    { path: 'blockhashbyheight/1<.foo', status: 400, body: 'Invalid height: 1.foo\r\n' },
    {
      path: `getutxos/${A}-0/${A}-1.json`,
      status: 200,
      body: /^\{"chainHeight":1,"chaintipHash":"b1bb.*","bitmap":"10","utxos":\[\{"height":0,"value":0\.00000150,"scriptPubKey":\{.*\}\}\]\}\n$/,
    },
    { path: `getutxos/${A}-0/${A}-1.hex`, status: 200, body: `01000000${B_BYTES}0101${COIN}\n`, type: 'text/plain' },
    { path: `getutxos/${A}-1.hex`, status: 200, body: `01000000${B_BYTES}010000\n` },
    { path: `getutxos/${A}-1/${A}--1/aabb-7.json`, status: 200, body: /"bitmap":"000","utxos":\[\]\}/ },
    { path: `getutxos/${A}-1`, status: 404, body: 'output format not found (available: .bin, .hex, .json)\r\n' },
    { path: `getutxos/${A}-1.xml`, status: 400, body: 'Parse error\r\n' },
    { path: 'getutxos.json', status: 400, body: 'Error: empty request\r\n' },
    { path: 'getutxos', status: 400, body: 'Error: empty request\r\n' },
    { path: 'getutxos.xml', status: 400, body: 'Parse error\r\n' },
    { path: 'getutxos/checkmempool.json', status: 400, body: 'Error: empty request\r\n' },
    { path: `getutxos/checkmempool/${A}.json`, status: 400, body: 'Parse error\r\n' },
    { path: `getutxos/${A}-0/.json`, status: 400, body: 'Parse error\r\n' },
    { path: `getutxos/${A}-2147483648.json`, status: 400, body: 'Parse error\r\n' },
    {
      path: `getutxos/${Array.from({ length: 16 }, (_, i) => `${A}-${i}`).join('/')}.json`,
      status: 400,
      body: 'Error: max outpoints exceeded (max: 15, tried: 16)\r\n',
    },
    { path: 'nosuch.json', status: 404, body: '' },
  ];
  for (const { path, status, body, type } of cases) {
    const answer = await ask(`/rest/${path}`, { method: 'GET', auth: null });
    assert.equal(answer.status, status, path);
    if (typeof body === 'string') assert.equal(answer.body, body, path);
    else assert.match(answer.body, body, path);
    if (type !== undefined) assert.equal(answer.headers['content-type'], type, path);
  }
});

test('reference rest: warming up', async (t) => {
  const { ask, invoker } = await startGateway(t, handlers, { rest: true });
  invoker.warmup = 'Rescanning...';
  const answer = await ask('/rest/chaininfo.json', { method: 'GET', auth: null });
  assert.deepEqual([answer.status, answer.body], [503, 'Service temporarily unavailable: Rescanning...\r\n']);
});

test('reference rest: outputs asked for in a body', async (t) => {
  const { ask } = await startGateway(t, handlers, { rest: true });
  const point = (n: string) => `${A}${n}`;
  const asked = `02${point('00000000')}${point('01000000')}`;
  const found = `01000000${B_BYTES}0101${COIN}`;
  const cases = [
    { name: 'binary', path: '.bin', body: Buffer.from(asked, 'hex'), status: 200, answer: Buffer.from(found, 'hex').toString('utf8') },
    { name: 'hex', path: '.hex', body: `${asked.slice(0, 4)} ${asked.slice(4)}\n`, status: 200, answer: `${found}\n` },
    { name: 'more follows', path: '.hex', body: `${asked}00`, status: 200, answer: `${found}\n` },
    { name: 'none', path: '.hex', body: '00', status: 200, answer: `01000000${B_BYTES}0000\n` },
    { name: 'a flag in front, read as the number', path: '.hex', body: `00${asked}`, status: 200, answer: `01000000${B_BYTES}0000\n` },
    { name: 'with another verb', path: '.hex', method: 'GET', body: asked, status: 200, answer: `${found}\n` },
    { name: 'put', path: '.hex', method: 'PUT', body: asked, status: 200, answer: `${found}\n` },
    { name: 'no hex at all', path: '.hex', body: 'xyz', status: 200, answer: `01000000${B_BYTES}0000\n` },
    { name: 'cut off', path: '.bin', body: Buffer.from(asked, 'hex').subarray(0, -1), status: 400, answer: 'Parse error\r\n' },
    { name: 'JSON', path: '.bin', body: '{"checkmempool', status: 400, answer: 'Parse error\r\n' },
    { name: 'JSON for JSON', path: '.json', body: '{"checkmempool', status: 400, answer: 'Error: empty request\r\n' },
    { name: 'nothing', path: '.bin', body: '', status: 400, answer: 'Error: empty request\r\n' },
    {
      name: 'in the path too',
      path: `/${A}-0.bin`,
      body: Buffer.from(asked, 'hex'),
      status: 400,
      answer: 'Combination of URI scheme inputs and raw post data is not allowed\r\n',
    },
    {
      name: 'too many',
      path: '.hex',
      // The length is the bytes fd 10 03: the flag, the number of outpoints, and the beginning of the first one.
      body: '00'.repeat(0x310),
      status: 400,
      answer: 'Error: max outpoints exceeded (max: 15, tried: 16)\r\n',
    },
    { name: 'far too many', path: '.bin', body: Buffer.alloc(65_537), status: 413, answer: '' },
  ];
  for (const { name, path, method = 'POST', body, status, answer } of cases) {
    const headers = { 'content-length': String(Buffer.byteLength(body)) };
    const reply = await ask(`/rest/getutxos${path}`, { method, auth: null, headers, body });
    assert.deepEqual([reply.status, reply.body], [status, answer], name);
  }
});

test('reference rest: a network whose outputs have no token', async (t) => {
  const { ask } = await startGateway(t, handlers, { rest: true, tokenIds: false });
  const reply = await ask(`/rest/getutxos/${A}-0.hex`, { method: 'GET', auth: null });
  assert.equal(reply.body, `01000000${B_BYTES}0101${COIN.slice(0, -4)}\n`);
});
