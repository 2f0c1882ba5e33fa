import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import type { GetRawMempoolResponse } from '../../gen/ts/dfi/blockchain/v1/blockchain.js';
import type { MempoolPersistence } from '../../src/mempool/persistence.js';
import { formatHash } from '../../src/primitives/hash.js';
import type { Transaction } from '../../src/primitives/transaction.js';
import { statusOf } from '../../src/rpc/errors.js';
import type { CallContext, Handler } from '../../src/rpc/handler.js';
import { Paging } from '../../src/rpc/paging.js';
import * as blockchain from '../../src/services/blockchain/mempool.js';
import { getTxOut } from '../../src/services/blockchain/utxos/utxos.js';
import { prioritiseTransaction } from '../../src/services/mining/priority.js';
import { estimateSmartFee } from '../../src/services/node/chain/fees.js';
import * as broadcast from '../../src/services/rawtransactions/transactions/broadcast.js';
import { getRawTransaction } from '../../src/services/rawtransactions/transactions/lookup.js';
import { toHex } from '../../src/util/bytes.js';
import { NodeError } from '../../src/util/errors.js';
import { JsonObject, type JsonValue, parseJson } from '../../src/util/json.js';
import { ANYONE, DFI, NOW, output, PoolNode } from '../unit/mempool/fixture.js';
import { committedCatalogue } from './catalogue.js';
import { jsonRpcCall } from './json-rpc-call.js';
import { resultText } from './result-text.js';

const handlers: Readonly<Record<string, unknown>> = {
  ...blockchain,
  ...broadcast,
  getTxOut,
  prioritiseTransaction,
  estimateSmartFee,
  getRawTransaction,
};
const catalogue = committedCatalogue();
let node: PoolNode;
let announced: string[];
let modules: object;

beforeEach(() => {
  node = new PoolNode({ coins: 4 });
  announced = [];
  const relay = { announce: (tx: Transaction) => void announced.push(formatHash(tx.txid)) };
  const mempoolPersistence = { loaded: true, save: async () => {} };
  const { chain, mempool } = node;
  modules = {
    chain,
    catalogue,
    mempool,
    mempoolPersistence,
    relay,
    deprecated: [],
    showsWitness: true,
    txIndex: undefined,
    ordersByFee: true,
  };
});

/** JSON text of the result, or `<code> <message>`. */
async function ask(method: string, params: string, more: object = {}): Promise<string> {
  const op = catalogue.byName(method);
  assert.ok(op, method);
  const given = parseJson(params);
  try {
    const request = given instanceof JsonObject ? op.codec.bindNamed(given) : op.codec.bindPositional(given as readonly JsonValue[]);
    return resultText(op, await (handlers[op.method] as Handler<object, object, unknown>)({ ...modules, ...more }, request, jsonRpcCall));
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    return `${statusOf[error.kind].jsonRpc} ${error.message}`;
  }
}

const id = (tx: Transaction) => formatHash(tx.txid);
const hexOf = (tx: Transaction) => toHex(tx.raw);
const send = (tx: Transaction) => ask('sendrawtransaction', `["${hexOf(tx)}"]`);

/** A replaceable parent and its child, in the mempool. */
function family(): [Transaction, Transaction] {
  const parent = node.pay([node.coin(0)], [node.subsidy(1) - 10_000n], { sequence: 0xfffffffd });
  const child = node.pay([output(parent)], [node.subsidy(1) - 15_000n]);
  node.add(parent);
  node.clock.set(NOW + 9);
  node.add(child);
  return [parent, child];
}

describe('queries on the mempool', () => {
  test('getmempoolentry: all members of a transaction, in order', async () => {
    const [parent, child] = family();
    node.mempool.prioritise(child.txid, 2_000n);
    const { height } = node.chain.tip;
    assert.equal(
      await ask('getmempoolentry', `["${id(child)}"]`),
      '{"fees":{"base":0.00005000,"modified":0.00007000,"ancestor":0.00017000,"descendant":0.00007000},"vsize":85,"weight":340,' +
        `"fee":0.00005000,"modifiedfee":0.00007000,"time":1600000009,"height":${height},"descendantcount":1,"descendantsize":85,` +
        '"descendantfees":7000,"ancestorcount":2,"ancestorsize":170,"ancestorfees":17000,' +
        `"wtxid":"${id(child)}","depends":["${id(parent)}"],"spentby":[],"bip125-replaceable":true}`,
    );
    const old = JSON.parse(await ask('getmempoolentry', `["${id(parent)}"]`, { deprecated: ['size'] }));
    assert.deepEqual([old.size, old.spentby, old.descendantfees], [85, [id(child)], 17_000]);
  });

  test('getrawmempool: parents first', async () => {
    const [parent, child] = family();
    assert.equal(await ask('getrawmempool', '[]'), `["${id(parent)}","${id(child)}"]`);
    const verbose = JSON.parse(await ask('getrawmempool', '[true]'));
    assert.deepEqual(Object.keys(verbose), [id(parent), id(child)]);
    assert.deepEqual(verbose[id(child)], JSON.parse(await ask('getmempoolentry', `["${id(child)}"]`)));
  });

  test('getrawmempool: only the transactions of a page are described', async () => {
    const [parent, child] = family();
    const more = [1, 2, 3].map((i) => node.pay([node.coin(i)], [node.subsidy(1) - 10_000n * BigInt(i)]));
    for (const tx of more) node.add(tx);
    const op = catalogue.byName('getrawmempool');
    assert.ok(op);
    const described: number[] = [];
    const entriesOf = ({ transactions }: GetRawMempoolResponse): object => {
      assert.equal(transactions?.$case, 'entries');
      return transactions.value.entries;
    };
    const run = async (request: never, call: CallContext): Promise<object> => {
      const answer = await blockchain.getRawMempool(modules as never, request, call);
      described.push(Object.keys(entriesOf(answer)).length);
      return answer;
    };
    const found: string[] = [];
    const call = { ...jsonRpcCall, dialect: 'document' as const };
    let page = '';
    do {
      const answer = (await new Paging(op).answer({ verbose: true, page, limit: 2 }, call, run)) as GetRawMempoolResponse;
      found.push(...Object.keys(entriesOf(answer)));
      page = answer.next ?? '';
    } while (page !== '');
    assert.deepEqual(found, [parent, child, ...more].map(id).sort());
    assert.deepEqual(described, [3, 3, 1], 'one more than the page shows that there is another');
  });

  test('getmempoolancestors and getmempooldescendants: without the transaction itself, in txid byte order', async () => {
    const [parent, child] = family();
    const more = [0, 1].map((i) => node.pay([output(child), node.coin(1 + i)].slice(i), [DFI / 2n + BigInt(i)]));
    node.add(more[0] as Transaction);
    assert.equal(await ask('getmempoolancestors', `["${id(child)}"]`), `["${id(parent)}"]`);
    const below = [child, more[0] as Transaction].sort((a, b) => (toHex(a.txid) < toHex(b.txid) ? -1 : 1)).map(id);
    assert.equal(await ask('getmempooldescendants', `["${id(parent)}"]`), JSON.stringify(below));
    assert.deepEqual(Object.keys(JSON.parse(await ask('getmempoolancestors', `["${id(child)}", true]`))), [id(parent)]);
  });

  test('getmempoolinfo: sizes and fees', async () => {
    family();
    const info = JSON.parse(await ask('getmempoolinfo', '[]'));
    assert.deepEqual([info.loaded, info.size, info.bytes, info.maxmempool], [true, 2, 170, 300_000_000]);
    assert.ok(info.usage > 170);
    assert.match(await ask('getmempoolinfo', '[]'), /"mempoolminfee":0.00001000,"minrelaytxfee":0.00001000}$/);
  });

  test('gettxout: with and without the mempool', async () => {
    const [parent, child] = family();
    const inPool = JSON.parse(await ask('gettxout', `["${id(child)}", 0]`));
    assert.deepEqual([inPool.confirmations, inPool.value, inPool.coinbase], [0, 49.99985, false]);
    assert.equal(inPool.bestblock, formatHash(node.chain.tip.hash));
    assert.equal(await ask('gettxout', `["${id(child)}", 0, false]`), 'null');
    assert.equal(await ask('gettxout', `["${id(child)}", 1]`), 'null');
    assert.equal(await ask('gettxout', `["${id(parent)}", 0]`), 'null', 'spent in the pool');
    const coin = `["${formatHash(node.coin(0).txid)}", 0`;
    assert.equal(await ask('gettxout', `${coin}]`), 'null', 'spent in the pool');
    assert.equal(JSON.parse(await ask('gettxout', `${coin}, false]`)).confirmations, node.chain.tip.height);
  });

  test('getrawtransaction: in the mempool, without an index', async () => {
    const [parent] = family();
    assert.equal(await ask('getrawtransaction', `["${id(parent)}"]`), `"${hexOf(parent)}"`);
    const verbose = JSON.parse(await ask('getrawtransaction', `["${id(parent)}", true]`));
    assert.deepEqual([verbose.txid, 'blockhash' in verbose, 'confirmations' in verbose], [id(parent), false, false]);
  });
});

describe('sendrawtransaction', () => {
  test('accepts a transaction, and announces it again if it is sent again', async () => {
    const tx = node.pay([node.coin(0)], [node.subsidy(1) - 10_000n]);
    assert.equal(await send(tx), `"${id(tx)}"`);
    assert.equal(await send(tx), `"${id(tx)}"`);
    assert.deepEqual(announced, [id(tx), id(tx)]);
    assert.equal(node.pool.size, 1);
  });

  test('refuses transactions of the chain', async () => {
    const tx = node.pay([node.coin(0)], [node.subsidy(1) - 10_000n]);
    node.mine([tx]);
    assert.equal(await send(tx), '-27 Transaction already in block chain');
    assert.deepEqual(announced, []);
  });

  test('reports the reject reason', async () => {
    const missing = node.pay([{ txid: new Uint8Array(32).fill(1), vout: 0 }], [DFI]);
    assert.equal(await send(missing), '-25 Missing inputs');
    assert.equal(
      await send(node.pay([node.coin(0)], [node.subsidy(1) + 1n])),
      '-26 bad-txns-in-belowout, value in (50.00) < value out (50.00000001) (code 16)',
    );
    assert.equal(await send(node.pay([node.coin(0)], [node.subsidy(1)])), '-26 min relay fee not met, 0 < 85 (code 66)');
    assert.equal(await send(node.pay([node.coin(0)], [DFI], { version: 5 })), '-26 version (code 64)');
    assert.equal(await ask('sendrawtransaction', '["00"]'), '-22 TX decode failed');
  });

  test('the fee limit: a tenth of a coin, a rate, or none', async () => {
    const fee = (satoshis: bigint) => node.pay([node.coin(0)], [node.subsidy(1) - satoshis]);
    const test = (tx: Transaction, limit: string) => ask('testmempoolaccept', `[["${hexOf(tx)}"]${limit}]`);
    const allowed = (tx: Transaction) => `[{"txid":"${id(tx)}","allowed":true}]`;
    const absurd = (tx: Transaction) => `[{"txid":"${id(tx)}","allowed":false,"reject-reason":"256: absurdly-high-fee"}]`;
    const [tenth, more] = [fee(10_000_000n), fee(10_000_001n)];
    assert.deepEqual([await test(tenth, ''), await test(more, '')], [allowed(tenth), absurd(more)]);
    assert.deepEqual([await test(more, ', 0'), await test(more, ', "0"')], [allowed(more), allowed(more)]);
    // 85 bytes at 0.001 DFI per kilobyte.
    const [rate, above] = [fee(8_500n), fee(8_501n)];
    assert.deepEqual([await test(rate, ', 0.001'), await test(above, ', 0.001')], [allowed(rate), absurd(above)]);
    assert.equal(await send(more), '-26 absurdly-high-fee, 10000001 > 10000000 (code 256)');
  });

  test('a rate applies to the virtual size', async () => {
    const vin = [{ prevout: node.coin(0), scriptSig: new Uint8Array(0), sequence: 0, witness: [new Uint8Array(400)] }];
    const tell = async (fee: bigint) => {
      const tx = node.pay([], [node.subsidy(1) - fee], { vin });
      // 83 bytes, and 406 of witness that count a quarter: 185.
      assert.deepEqual([tx.strippedSize, tx.raw.length], [83, 489]);
      return JSON.parse(await ask('testmempoolaccept', `[["${hexOf(tx)}"], 0.001]`))[0]['reject-reason'];
    };
    assert.equal(await tell(18_500n), '64: bad-txns-nonstandard-inputs');
    assert.equal(await tell(18_501n), '256: absurdly-high-fee');
  });
});

test('testmempoolaccept: reasons with their codes', async () => {
  const [parent] = family();
  const tell = async (tx: Transaction) => JSON.parse(await ask('testmempoolaccept', `[["${hexOf(tx)}"]]`))[0];
  assert.deepEqual(await tell(parent), { txid: id(parent), allowed: false, 'reject-reason': '18: txn-already-in-mempool' });
  const missing = node.pay([{ txid: new Uint8Array(32).fill(1), vout: 0 }], [DFI]);
  assert.equal((await tell(missing))['reject-reason'], 'missing-inputs');
  const dust = node.pay([node.coin(1)], [], { vout: [{ value: 1n, scriptPubKey: ANYONE, tokenId: 0 }] });
  assert.equal((await tell(dust))['reject-reason'], '64: dust');
  assert.equal(node.pool.size, 2);
});

test('clearmempool: empties the mempool and returns its txids', async () => {
  const [parent, child] = family();
  assert.equal(await ask('clearmempool', '[]'), `["${id(parent)}","${id(child)}"]`);
  assert.equal(await ask('clearmempool', '[]'), '[]');
  assert.equal(node.pool.size, 0);
});

describe('savemempool', () => {
  const keeper = (more: Partial<MempoolPersistence>) => ({ mempoolPersistence: { loaded: true, save: async () => {}, ...more } });

  test('null on success', async () => assert.equal(await ask('savemempool', '[]'), 'null'));

  test('not before the old file is loaded', async () => {
    assert.equal(await ask('savemempool', '[]', keeper({ loaded: false })), '-1 The mempool was not loaded yet');
  });

  test('a write error', async () => {
    const failing = keeper({ save: () => Promise.reject(new Error('EISDIR')) });
    assert.equal(await ask('savemempool', '[]', failing), '-1 Unable to dump mempool to disk');
  });
});

describe('prioritisetransaction', () => {
  test('by position and by the names of defid', async () => {
    const [parent] = family();
    assert.equal(await ask('prioritisetransaction', `["${id(parent)}", 0, 1000]`), 'true');
    assert.equal(await ask('prioritisetransaction', `{"txid":"${id(parent)}","fee_delta":-300}`), 'true');
    assert.equal(await ask('prioritisetransaction', `["${id(parent)}", null]`), 'true');
    assert.equal(node.pool.get(parent.txid)?.feeDelta, 700n);
  });

  test('two invalid arguments get the help text', async () => {
    const parts = ['["", 0]', `["${'00'.repeat(32)}", 5]`, `["${'00'.repeat(32)}", "x"]`];
    for (const params of parts) assert.match(await ask('prioritisetransaction', params), /^-1 prioritisetransaction "txid"/);
  });

  test('refuses priorities, which are no longer supported', async () => {
    const text = '-8 Priority is no longer supported, dummy argument to prioritisetransaction must be 0.';
    assert.equal(await ask('prioritisetransaction', `["${'00'.repeat(32)}", 1, 1000]`), text);
    assert.equal(await ask('prioritisetransaction', `{"txid":"${'00'.repeat(32)}","fee_delta":7,"dummy":1}`), text);
  });
});

describe('estimatesmartfee', () => {
  const nothing = '{"errors":["Insufficient data or no feerate found"],"blocks":0}';

  test('reports insufficient data', async () => {
    assert.equal(await ask('estimatesmartfee', '[6]'), nothing);
    assert.equal(await ask('estimatesmartfee', '[1008, "ECONOMICAL"]'), nothing);
  });

  test('is the least rate where fees do not order the transactions of blocks', async () => {
    const mempool = { feeEstimator: { estimate: () => ({ rate: 7_000n, blocks: 3 }) } };
    assert.equal(await ask('estimatesmartfee', '[6]', { mempool }), '{"feerate":0.00007000,"blocks":3}');
    assert.equal(await ask('estimatesmartfee', '[6]', { mempool, ordersByFee: false }), '{"feerate":0.00001000,"blocks":0}');
  });

  test('refuses unknown targets and modes', async () => {
    const range = '-8 Invalid conf_target, must be between 1 - 1008';
    assert.equal(await ask('estimatesmartfee', '[0]'), range);
    assert.equal(await ask('estimatesmartfee', '[1009]'), range);
    assert.equal(await ask('estimatesmartfee', '[6, "economical"]'), '-8 Invalid estimate_mode parameter');
  });
});
