import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { parseHash256 } from '../../../src/primitives/hash.js';
import { encodeDestination } from '../../../src/script/address.js';
import { turnsOf } from '../../event-loop-turns.js';
import { type FounderNode, startFounderNode } from '../founder-node.js';

const other = 'mud4VMfbBqXNpbt8ur33KHKx8pk3npSq8c';
let node: FounderNode;
let sent = '';

before(async () => {
  node = await startFounderNode();
  await node.confirm('utxostoaccount', [{ [node.founder]: '10@DFI' }]);
  sent = await node.confirm('accounttoaccount', [node.founder, { [await ownAddress()]: '4@DFI' }]);
});
after(() => node.end());

async function ownAddress(): Promise<string> {
  return String(await node.call('getnewaddress', ['', 'legacy']));
}

interface Record {
  readonly owner: string;
  readonly type: string;
  readonly txid: string;
  readonly amounts: readonly string[];
}

test('gettokenbalances: sums of the accounts of the wallet, in every form', async () => {
  const { call } = node;
  assert.deepEqual(await call('gettokenbalances'), ['10.00000000@0']);
  assert.deepEqual(await call('gettokenbalances', [{}, true]), { 0: 10 });
  assert.deepEqual(await call('gettokenbalances', [{}, false, true]), ['10.00000000@DFI']);
  assert.deepEqual(await call('gettokenbalances', [{ start: 0 }]), []);
  assert.deepEqual(await call('gettokenbalances', [{ start: 0, including_start: true }]), ['10.00000000@0']);
  assert.equal(await call('gettokenbalances', [{ start: '0' }]), '-1 JSON value is not an integer as expected');
});

test('listaccounts: only accounts of the wallet', async () => {
  const { call } = node;
  const all = (await call('listaccounts', [{}, false])) as { owner: string }[];
  const own = (await call('listaccounts', [{}, false, false, true])) as { owner: string }[];
  assert.equal(own.length, 2);
  assert.deepEqual(
    own,
    all.filter(({ owner }) => owner !== other),
  );
});

test('listaccounts: after the largest token id follows the first one of the same account', async () => {
  const all = (await node.call('listaccounts', [{}, false])) as { key: string }[];
  const start = all[1]?.key.replace(/@0$/, '@4294967295');
  assert.deepEqual(await node.call('listaccounts', [{ start }, false]), all.slice(1));
});

test('listaccounthistory: records of the wallet first, then its payments without a record', async () => {
  const { call, founder } = node;
  const [latest, before] = [node.chain.tip.height, node.chain.tip.height - 1];
  const mine = (await call('listaccounthistory', ['mine', { depth: 0 }])) as Record[];
  const transfer = mine.filter(({ type }) => type === 'AccountToAccount');
  assert.equal(transfer.length, 2);
  assert.ok(transfer.every(({ txid }) => txid === sent));
  assert.deepEqual(transfer.map(({ amounts }) => amounts[0]).sort(), ['-4.00000000@DFI', '4.00000000@DFI']);
  assert.deepEqual([...new Set(mine.slice(2).map(({ type }) => type))], ['blockReward']);
  const ids = (await call('listaccounthistory', [founder, { maxBlockHeight: before, depth: 0, format: 'id' }])) as Record[];
  assert.equal(ids[0]?.amounts[0], '10.00000000@0');
  assert.equal(((await call('listaccounthistory', ['mine', { maxBlockHeight: latest, limit: 1 }])) as Record[]).length, 1);
  // Without a start, the first line is left out only on request.
  for (const [including_start, skipped] of [[false, 1] as const, [true, 0] as const]) {
    assert.deepEqual(await call('listaccounthistory', ['mine', { depth: 0, including_start }]), mine.slice(skipped));
  }
});

test('accounthistorycount: the number of listed lines', async () => {
  const { call, founder } = node;
  for (const [owner, options] of [
    ['mine', {}],
    ['all', {}],
    [founder, {}],
    ['mine', { token: 'DFI' }],
    ['mine', { txtype: 'B' }],
    [founder, { txtypes: ['UtxosToAccount', 'B'] }],
  ] as const) {
    const listed = (await call('listaccounthistory', [owner, { ...options, limit: 0 }])) as Record[];
    assert.equal(await call('accounthistorycount', [owner, options]), listed.length, `${owner} ${JSON.stringify(options)}`);
    assert.ok(listed.length > 0);
  }
});

test('a long list of owners is parsed in slices, each owner once and in the same order as a short list', async () => {
  const { call, founder } = node;
  const address = (n: number): string => {
    const hash = new Uint8Array(20).fill(n).fill(n >> 8, 10);
    return encodeDestination({ type: 'pkh', hash }, node.chain.params.address);
  };
  const strangers = Array.from({ length: 2_000 }, (_, n) => address(n));
  for (const method of ['listaccounthistory', 'accounthistorycount']) {
    assert.deepEqual(await call(method, [[founder, other, ...strangers, founder]]), await call(method, [[other, founder]]), method);
    let refused: unknown;
    const turns = await turnsOf(async () => {
      refused = await call(method, [[...strangers, 'nobody']]);
    });
    assert.equal(refused, '-5 recipient (nobody) does not refer to any valid address');
    assert.ok(turns >= 10, `${method}: ${turns} turns`);
  }
});

test('accounthistorycount: payments of disconnected blocks count up to the tip, unless their own transaction has a record', async () => {
  const { call, chain, founder, mint, end, modules } = await startFounderNode();
  const listed = async (owner: string) => ((await call('listaccounthistory', [owner, { limit: 0 }])) as Record[]).length;
  const compare = async () => {
    for (const owner of ['mine', 'all', founder]) assert.equal(await call('accounthistorycount', [owner]), await listed(owner), owner);
  };
  try {
    await call('utxostoaccount', [{ [founder]: '10@DFI' }]);
    await mint(1, founder);
    const txid = String(await call('sendtoaddress', [founder, 1]));
    const payment = parseHash256(txid);
    await mint(1, founder);
    chain.invalidate(chain.tip);
    await compare();
    // The block of the other branch has a record at the place of the payment, which stays in the mempool.
    modules.mempool.prioritise(payment, -100_000_000n);
    await call('lockunspent', [false, [0, 1].map((vout) => ({ txid, vout }))]);
    await call('accounttoaccount', [founder, { [String(await call('getnewaddress'))]: '1@DFI' }]);
    await mint(1, founder);
    assert.equal(chain.block(chain.tip)?.transactions.length, 2);
    assert.ok(modules.mempool.pool.get(payment));
    await compare();
  } finally {
    await end();
  }
});

test('without -acindex histories are refused instead of empty', async () => {
  const bare = await startFounderNode(undefined, [], { keepsHistory: false });
  try {
    const needed = (what: string) => `-32600 -acindex is ${what} history`;
    assert.equal(await bare.call('listaccounthistory'), needed('needed for account'));
    assert.equal(await bare.call('accounthistorycount'), needed('need for account'));
    assert.equal(await bare.call('getaccounthistory', [bare.founder, 1, 1]), needed('needed for account'));
    assert.equal(await bare.call('listauctionhistory'), needed('needed for auction'));
  } finally {
    await bare.end();
  }
});
