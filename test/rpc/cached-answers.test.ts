import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serializeTransaction } from '../../src/primitives/transaction.js';
import type { Operation } from '../../src/rpc/catalogue.js';
import { toHex } from '../../src/util/bytes.js';
import { type JsonObject, parseJson } from '../../src/util/json.js';
import { fc } from '../property.js';
import { grpcAnswer, jsonRpcAnswer, lastInvalid, restAnswer, type Transports, transportsOf } from './cached-node.js';
import { type FounderNode, startFounderNode } from './founder-node.js';

const UNKNOWN = 'ab'.repeat(32);

/** Transactions that were in the mempool, in hex, the latest last. */
const pooled = new Set<string>();

/**
 * Calls whose answers are compared: every cached operation that takes no arguments, the others with arguments that few accept, and some
 * with good ones.
 */
function callsOn({ chain, founder, modules }: FounderNode): (readonly [string, readonly unknown[]])[] {
  const withoutArguments = modules.catalogue.operations
    .filter(({ reads, params }) => reads.length > 0 && params.every(({ jsonRpcRequired }) => !jsonRpcRequired))
    .map(({ name }) => [name, []] as const);
  const refused = modules.catalogue.operations
    .filter(({ reads }) => reads.length > 0)
    .flatMap(({ name, signatures: [signature] }) =>
      signature && signature.least > 0 ? [[name, new Array(signature.least).fill(UNKNOWN)] as const] : [],
    );
  const hash = Buffer.from(chain.tip.hash).reverse().toString('hex');
  for (const { tx } of modules.mempool.pool.entries()) pooled.add(toHex(serializeTransaction(tx, chain.params.txFormat)));
  return [
    ...withoutArguments,
    ...refused,
    ...[...pooled].slice(-4).map((hex) => ['testmempoolaccept', [[hex]]] as const),
    ['getblockhash', [100]],
    ['getblockhash', [1_000_000]],
    ['getblockhash', [chain.tip.height]],
    ['getblock', [hash, 2]],
    ['getblockheader', [hash]],
    ['getblockstats', [chain.tip.height]],
    ['getrawmempool', [true]],
    ['estimatesmartfee', [6]],
    ['getaccount', [founder]],
    ['getaccount', [founder, {}, true]],
    ['listaccounts', [{}, false, true, true]],
    ['listaccounthistory', ['all', { limit: 20 }]],
    ['accounthistorycount', ['all']],
    ['gettoken', ['DFI']],
    ['gettoken', [`T${chain.tip.height}`]],
    ['getgov', ['ATTRIBUTES']],
    ['validateaddress', [founder]],
  ];
}

/** The same for REST and gRPC, whose arguments have names. */
function documentCallsOn({ chain, founder, modules: { catalogue } }: FounderNode): (readonly [Operation, JsonObject])[] {
  const hash = Buffer.from(chain.tip.hash).reverse().toString('hex');
  const withoutArguments = catalogue.operations
    .filter(({ reads, params }) => reads.length > 0 && params.every(({ required }) => !required))
    .map(({ name }) => [name, {}] as const);
  const calls: readonly (readonly [string, object])[] = [
    ...withoutArguments,
    ['getblockhash', { height: chain.tip.height }],
    ['getblock', { blockhash: hash, verbosity: 2 }],
    ['getblock', { blockhash: hash, verbosity: 0 }],
    ['getblockheader', { blockhash: hash }],
    ['getaccount', { owner: founder }],
    ['listaccounthistory', { owner: 'all', limit: 20 }],
    ['gettoken', { key: 'DFI' }],
    ['validateaddress', { address: founder }],
  ];
  return calls.map(([name, json]) => [catalogue.byName(name) as Operation, parseJson(JSON.stringify(json)) as JsonObject]);
}

const COINS = '0.5@DFI';

/** Changes of the node; one that is refused changes nothing. */
const CHANGES: readonly ((node: FounderNode) => Promise<unknown>)[] = [
  (node) => node.mint(1, node.founder),
  (node) => node.mint(2, node.founder),
  (node) => node.call('sendtoaddress', [node.founder, 0.25]),
  (node) => node.call('utxostoaccount', [{ [node.founder]: COINS }]),
  (node) => node.call('createtoken', [{ symbol: `T${node.chain.tip.height}`, collateralAddress: node.founder }]),
  (node) => node.call('invalidateblock', [Buffer.from(node.chain.tip.hash).reverse().toString('hex')]),
  (node) => node.call('reconsiderblock', [Buffer.from(lastInvalid(node)).reverse().toString('hex')]),
  (node) => node.call('clearmempool'),
  (node) => node.call('prioritisetransaction', [Buffer.from(node.chain.tip.hash).toString('hex'), 0, 1000]),
  (node) => node.call('getnewaddress'),
  (node) => node.call('importaddress', ['mmjrUWSKQqnkWzyS98GCuFxA7TXcK3bc3A', 'watched', false]),
  async (node) => node.clock.setMockTime(node.clock.seconds() + 1),
];

test('a cached answer is always the computed one, across blocks, disconnects, mempool and wallet changes', async () => {
  const node = await startFounderNode();
  const { cache, cached, computed } = transportsOf(node);
  const compareOne = async (name: string, answer: (transports: Transports) => Promise<string>): Promise<void> => {
    const expected = await answer(computed);
    assert.equal(await answer(cached), expected, name);
    assert.equal(await answer(cached), expected, `${name}, repeated`);
  };
  const compare = async (): Promise<void> => {
    for (const [method, params] of callsOn(node))
      await compareOne(`${method} ${JSON.stringify(params)}`, (transports) => jsonRpcAnswer(transports, method, params));
    for (const [op, json] of documentCallsOn(node)) {
      await compareOne(`REST ${op.name}`, (transports) => restAnswer(transports, op, json));
      await compareOne(`gRPC ${op.name}`, (transports) => grpcAnswer(transports, op, json));
    }
  };
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(CHANGES.length - 1), { minLength: 1, maxLength: 8 }), async (steps) => {
      for (const step of steps) {
        await CHANGES[step]?.(node);
        await compare();
      }
    }),
    { numRuns: 4, endOnFailure: true },
  );
  console.log(`${cache.hits} answers from the cache, ${cache.misses} computed`);
  assert.ok(cache.hits > 3_000, `${cache.hits} hits`);
  assert.ok(cache.bytes <= cache.maxBytes);
  await node.end();
});
