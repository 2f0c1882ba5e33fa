import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TemplateRequest } from '../../../gen/ts/dfi/mining/v1/mining.js';
import { networkParams } from '../../../src/params/index.js';
import { type Block, block as blockCodec } from '../../../src/primitives/block.js';
import { decode, encode } from '../../../src/primitives/codec.js';
import { formatHash } from '../../../src/primitives/hash.js';
import { type Transaction, transaction } from '../../../src/primitives/transaction.js';
import { getBlockTemplate } from '../../../src/services/mining/template.js';
import { fromHex, toHex } from '../../../src/util/bytes.js';
import { blockOn, bytesOf, extend, OP_TRUE_SCRIPT, spend } from '../../chains/block-builder.js';
import { documentCall } from '../json-rpc-call.js';
import { type ServiceNodeOptions, startServices } from '../service-node.js';

const params = networkParams({ network: 'regtest', dummyPos: true });
const SEGWIT = '[{"rules": ["segwit"]}]';
const FIRST_TIME = 1_579_045_065;

function fresh(options: ServiceNodeOptions = {}, network = params) {
  const node = startServices(network, { operate: [0], ...options });
  const template = async (request = SEGWIT) => JSON.parse(await node.ask('getblocktemplate', request));
  const propose = (block: Block) =>
    node.ask('getblocktemplate', JSON.stringify([{ mode: 'proposal', data: toHex(bytesOf(node.chain, block)) }]));
  return { ...node, template, propose };
}

/** Node with anyone-can-spend coins, and a mempool with a permissive policy. */
function withCoins() {
  const node = fresh();
  extend(node.chain, 103);
  const coinOf = (height: number) => {
    const entry = node.chain.entryAt(height);
    const coinbase = (entry && node.chain.block(entry))?.transactions[0] as Transaction;
    return { point: { txid: coinbase.txid, vout: 0 }, value: coinbase.vout[0]?.value as bigint };
  };
  /** Adds to the mempool without the relay rules. */
  const add = (tx: Transaction, fee: bigint) =>
    node.modules.mempool.pool.add({ tx, fee, vsize: tx.raw.length, sigOpsCost: 4, time: FIRST_TIME, height: 103, spendsCoinbase: true });
  return { ...node, coinOf, add };
}

test('getblocktemplate: all members, in their order', async () => {
  const { chain, clock, ask } = fresh();
  extend(chain, 2);
  clock.setMockTime(FIRST_TIME + 1_000);
  const tip = formatHash(chain.tip.hash);
  assert.equal(
    await ask('getblocktemplate', SEGWIT),
    `{"capabilities":["proposal"],"version":536870912,"rules":[],"vbavailable":{},"vbrequired":0,"previousblockhash":"${tip}","transactions":[],"coinbaseaux":{"flags":""},"coinbasevalue":5000000000,"longpollid":"${tip}0","target":"7fffff0000000000000000000000000000000000000000000000000000000000","mintime":${chain.tip.medianTimePast() + 1},"mutable":["time","transactions","prevblock"],"noncerange":"00000000ffffffff","sigoplimit":1280000,"sizelimit":64000000,"weightlimit":64000000,"curtime":${FIRST_TIME + 1_000},"bits":"207fffff","height":3,"default_witness_commitment":"6a24aa21a9ede2f61c3f71d1defd3fa999dfa36953755c690689799962b48bebd836974e8cf9"}`,
  );
});

test('getblocktemplate: transactions with their dependencies; fees go to the minter', async () => {
  const { chain, ask, template, coinOf, add } = withCoins();
  const [one, two] = [coinOf(1), coinOf(2)];
  const parent = spend(chain, [one.point], [one.value - 1_000n, 500n]);
  const child = spend(
    chain,
    [
      { txid: parent.txid, vout: 0 },
      { txid: parent.txid, vout: 1 },
    ],
    [one.value - 2_500n],
  );
  const other = spend(chain, [two.point], [two.value - 100_000n]);
  add(parent, 500n);
  add(child, 2_000n);
  add(other, 100_000n);
  const { transactions, coinbasevalue, longpollid } = await template();
  const as = (tx: Transaction, depends: number[], fee: number) => ({
    data: toHex(tx.raw),
    txid: formatHash(tx.txid),
    hash: formatHash(tx.wtxid),
    depends,
    fee,
    sigops: 4,
    weight: 4 * tx.raw.length,
  });
  assert.deepEqual(transactions, [as(other, [], 100_000), as(parent, [], 500), as(child, [2, 2], 2_000)]);
  assert.equal(coinbasevalue, 5_000_102_500);
  assert.equal(longpollid, `${formatHash(chain.tip.hash)}3`);
  const info = JSON.parse(await ask('getmininginfo', '[]'));
  const weights = [parent, child, other].reduce((sum, { raw }) => sum + 4 * raw.length, 4_000);
  assert.deepEqual([info.currentblockweight, info.currentblocktx, info.pooledtx], [weights, 3, 3]);
});

test('getblocktemplate: without segwit no commitment, and limits count bytes', async () => {
  const at = (segwitHeight: number) => fresh({}, networkParams({ network: 'regtest', dummyPos: true, segwitHeight })).template();
  const never = await at(-1);
  assert.equal('default_witness_commitment' in never, false);
  const before = await at(10);
  assert.equal('default_witness_commitment' in before, true);
  for (const template of [never, before]) {
    const { sigoplimit, sizelimit, weightlimit } = template;
    assert.deepEqual([sigoplimit, sizelimit, weightlimit], [320_000, 16_000_000, undefined]);
  }
});

test('getblocktemplate: a started deployment is named with its bit, and signalled', async () => {
  const { chain, clock, template } = fresh();
  extend(chain, 144);
  clock.setMockTime(chain.tip.time);
  const { version, vbavailable, rules } = await template();
  assert.deepEqual({ version, vbavailable, rules }, { version: 0x30000000, vbavailable: { testdummy: 28 }, rules: [] });
});

test('getblocktemplate: -blockversion', async () => {
  const { template } = fresh({ assembly: { blockVersion: 5 } });
  assert.equal((await template()).version, 5);
});

const NOT_CONNECTED = '-9 DeFi Blockchain is not connected!';
const NO_SEGWIT = '-8 getblocktemplate must be called with the segwit rule set (call with {"rules": ["segwit"]})';
const NOT_A_MASTERNODE = '-32600 getblocktemplate can only be called by masternodes';
const NOT_AN_OBJECT = '-1 JSON value is not an object as expected';
const NOT_A_STRING = '-1 JSON value is not a string as expected';

const lonely = { peers: { count: 0 } };
const connected = { peers: { count: 1 } };
const refusals: readonly { request: string; text: string; options?: ServiceNodeOptions }[] = [
  { request: '[]', text: NO_SEGWIT },
  { request: '[null]', text: NO_SEGWIT },
  { request: '[{}]', text: NO_SEGWIT },
  { request: '[{"rules": "segwit"}]', text: NO_SEGWIT },
  { request: '[{"rules": ["!segwit"]}]', text: NO_SEGWIT },
  { request: '[{"rules": ["segwit", 1]}]', text: NOT_A_STRING },
  { request: '["segwit"]', text: NOT_AN_OBJECT },
  { request: '[[]]', text: NOT_AN_OBJECT },
  { request: '[{}, 1]', text: '-1 usage' },
  { request: '[{"mode": 5}]', text: '-8 Invalid mode' },
  { request: '[{"mode": "bogus"}]', text: '-8 Invalid mode' },
  { request: '[{"mode": "bogus", "rules": [1]}]', text: NOT_A_STRING },
  { request: '[{"mode": null}]', text: NO_SEGWIT },
  { request: '[{"maxversion": 1.5}]', text: '-1 JSON integer out of range' },
  { request: '[{"maxversion": "2"}]', text: NO_SEGWIT },
  { request: '[{"maxversion": 1.5, "rules": []}]', text: NO_SEGWIT },
  { request: '[{"mode": "bogus"}]', text: '-8 Invalid mode', options: lonely },
  { request: '[{}]', text: NOT_CONNECTED, options: { ...lonely, operate: [] } },
  { request: SEGWIT, text: NOT_CONNECTED, options: lonely },
  { request: '[{}]', text: NOT_A_MASTERNODE, options: { ...connected, operate: [] } },
  { request: '[{"longpollid": "zz"}]', text: NOT_A_MASTERNODE, options: { operate: [] } },
  { request: '[{"longpollid": "zz"}]', text: "-8 longpollid must be of length 64 (not 2, for 'zz')" },
  { request: `[{"longpollid": "${'zz'.repeat(32)}7"}]`, text: `-8 longpollid must be hexadecimal string (not '${'zz'.repeat(32)}')` },
  { request: `[{"longpollid": "${'00'.repeat(32)}7"}]`, text: NO_SEGWIT },
  { request: '[{"mode": "proposal"}]', text: '-3 Missing data String key for proposal', options: lonely },
  { request: '[{"mode": "proposal", "data": 1}]', text: '-3 Missing data String key for proposal' },
  { request: '[{"mode": "proposal", "data": "00", "rules": [1]}]', text: '-22 Block decode failed' },
  { request: '[{"mode": "proposal", "data": "xy"}]', text: '-22 Block decode failed' },
];
for (const { request, text, options = {} } of refusals) {
  const who = options.peers ? `${options.peers.count} peers` : 'no network';
  test(`getblocktemplate: ${request.slice(0, 60)} with ${who}${options.operate ? ', no operator' : ''}`, async () => {
    const { ask } = fresh(options);
    assert.equal(await ask('getblocktemplate', request), text);
  });
}

test('getblocktemplate: a node without P2P reports it if peers are required', async () => {
  const { ask } = fresh({}, { ...params, mintWithoutPeers: false });
  assert.equal(await ask('getblocktemplate', SEGWIT), '-31 Error: Peer-to-peer functionality missing or disabled');
});

test('getblocktemplate: with peers and a recent tip there is a template', async () => {
  const { template } = fresh(connected);
  assert.equal((await template()).height, 1);
});

test('getblocktemplate: none during initial block download, even without other minters', async () => {
  const behind = { ...params, maxTipAge: -1 };
  const syncing = '-10 DeFi Blockchain is in initial sync and waiting for blocks...';
  assert.equal(await fresh({ ...connected, operate: [] }, behind).ask('getblocktemplate', SEGWIT), syncing);
  assert.equal(await fresh(lonely, behind).ask('getblocktemplate', SEGWIT), NOT_CONNECTED);
});

test('getblocktemplate: requests of other transports without JSON', async () => {
  const { chain, modules } = fresh();
  const ask = (wanted: Partial<TemplateRequest>) =>
    getBlockTemplate(modules, { templateRequest: { capabilities: [], rules: ['segwit'], ...wanted } }, documentCall);
  const made = (await ask({ maxversion: 2n })).result;
  assert.equal(made?.$case === 'template' && made.value.height, 1);
  const [block] = extend(chain, 1) as [Block];
  assert.deepEqual(await ask({ mode: 'proposal', data: toHex(bytesOf(chain, block)) }), {
    result: { $case: 'rejectReason', value: 'duplicate' },
  });
  assert.throws(() => void ask({ mode: 'proposal' }), { kind: 'type' });
  assert.throws(() => void ask({ longpollid: '' }), { kind: 'invalid-parameter' });
  assert.throws(() => void ask({ rules: [] }), { kind: 'invalid-parameter' });
});

test('proposal: null for a valid block, which is not stored', async () => {
  const { chain, propose } = fresh();
  const block = blockOn(chain, chain.tip);
  assert.equal(await propose(block), 'null');
  assert.equal(chain.entry(block.hash), undefined);
  assert.equal(chain.tip.height, 0);
});

test('proposal: a completed template is valid', async () => {
  const { chain, propose, template, coinOf, add } = withCoins();
  const one = coinOf(1);
  add(spend(chain, [one.point], [one.value - 1_000n]), 1_000n);
  const { transactions, coinbasevalue, curtime } = await template();
  const txs = transactions.map(({ data }: { data: string }) => decode(transaction(params.txFormat), fromHex(data)));
  const vout = [{ value: BigInt(coinbasevalue), scriptPubKey: OP_TRUE_SCRIPT, tokenId: 0 }];
  const block = blockOn(chain, chain.tip, { transactions: txs, coinbase: { vout }, header: { time: curtime } });
  assert.equal(await propose(block), 'null');
  const greedy = [{ value: BigInt(coinbasevalue) + 1n, scriptPubKey: OP_TRUE_SCRIPT, tokenId: 0 }];
  assert.equal(await propose(blockOn(chain, chain.tip, { transactions: txs, coinbase: { vout: greedy } })), '"bad-cb-amount"');
});

test('proposal: known blocks, blocks on another parent, invalid blocks', async () => {
  const { chain, ask, propose } = fresh();
  const [first, second] = extend(chain, 2) as [Block, Block];
  assert.equal(await propose(second), '"duplicate"');
  assert.equal(await propose(blockOn(chain, chain.entry(first.hash) ?? chain.tip, { tag: 7 })), '"inconclusive-not-best-prevblk"');
  const beside = blockOn(chain, chain.entry(first.hash) ?? chain.tip, { tag: 8 });
  chain.submitBlock(bytesOf(chain, beside));
  assert.equal(await propose(beside), '"duplicate-inconclusive"');
  await ask('invalidateblock', JSON.stringify([formatHash(second.hash)]));
  assert.equal(await propose(second), '"duplicate-invalid"');
  const on = chain.tip;
  assert.equal(await propose(blockOn(chain, on, { header: { merkleRoot: new Uint8Array(32) } })), '"bad-txnmrklroot"');
  assert.equal(await propose(blockOn(chain, on, { header: { time: on.medianTimePast() } })), '"time-too-old"');
  assert.equal(await propose(blockOn(chain, on, { header: { time: 0x7fffffff } })), '"time-too-new"');
  assert.equal(await propose(blockOn(chain, on, { header: { bits: 0x1d00ffff } })), '"bad-diffbits"');
  // Rules of the header come before those of the block.
  assert.equal(await propose(blockOn(chain, on, { header: { bits: 0x1d00ffff, merkleRoot: new Uint8Array(32) } })), '"bad-diffbits"');
  const missing = spend(chain, [{ txid: new Uint8Array(32).fill(3), vout: 0 }], [1n]);
  assert.equal(await propose(blockOn(chain, on, { transactions: [missing] })), '"bad-txns-inputs-missingorspent"');
});

test('proposal: bytes after the block are ignored', async () => {
  const { chain, ask } = fresh();
  const data = `${toHex(encode(blockCodec(params.txFormat), blockOn(chain, chain.tip)))}00`;
  assert.equal(await ask('getblocktemplate', JSON.stringify([{ mode: 'proposal', data }])), 'null');
});

test('long poll: returns on the new tip, immediately if the tip differs already', async () => {
  const { chain, template } = fresh();
  const { longpollid } = await template();
  const waiting = template(`[{"rules": ["segwit"], "longpollid": "${longpollid}"}]`);
  let answered = false;
  void waiting.then(() => {
    answered = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(answered, false);
  extend(chain, 1);
  assert.equal((await waiting).height, 2);
  assert.equal((await template(`[{"rules": ["segwit"], "longpollid": "${longpollid}"}]`)).height, 2);
});

test('long poll: an id that is not a string means the present state', async () => {
  const { chain, template } = fresh();
  const waiting = template('[{"rules": ["segwit"], "longpollid": 1}]');
  await new Promise((resolve) => setTimeout(resolve, 10));
  extend(chain, 1);
  assert.equal((await waiting).height, 2);
});

test('long poll: shutdown is reported before invalid rules', async () => {
  const { ask, stopping } = fresh();
  const waiting = ask('getblocktemplate', '[{"longpollid": true}]');
  stopping.abort();
  assert.equal(await waiting, '-9 Shutting down');
});

test('long poll: ends when the caller disconnects', async () => {
  const { ask } = fresh();
  const caller = new AbortController();
  const waiting = ask('getblocktemplate', '[{"rules": ["segwit"], "longpollid": true}]', { signal: caller.signal });
  caller.abort();
  assert.match(await waiting, /^-1 /);
});
