import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generations } from '../../src/app/generations.js';
import { Documents } from '../../src/gateway/documents/documents.js';
import { HttpCall } from '../../src/gateway/http-call.js';
import { OperationTable } from '../../src/gateway/operations.js';
import { textOf } from '../../src/gateway/reply.js';
import { AnswerCache } from '../../src/rpc/answer-cache.js';
import { Role } from '../../src/rpc/options.js';
import { blockchainHandlers } from '../../src/services/blockchain/index.js';
import { NodeError } from '../../src/util/errors.js';
import { type JsonValue, parseJson } from '../../src/util/json.js';
import { fc } from '../property.js';
import { type FounderNode, startFounderNode } from './founder-node.js';

const CALLER = { user: 'user', role: Role.ADMIN };

/** The operations of a node, with and without a cache of answers. */
function tablesOf(node: FounderNode) {
  const { modules, invoker, chain, clock, wallets } = node;
  const mempoolPersistence = { loaded: true, save: async () => {} };
  const started = { ...modules, chain, clock, wallets, mempoolPersistence, filterIndex: undefined } as never;
  invoker.bind('dfi.blockchain.v1.BlockchainService', blockchainHandlers as never, { ...(started as object), deprecated: [] });
  const { catalogue } = modules;
  const documents = new Documents(catalogue, '0');
  const cache = new AnswerCache(200_000, { finished() {} });
  cache.start(generations(started, clock));
  const tableWith = (kept: AnswerCache | undefined) => new OperationTable(catalogue, invoker, documents, () => {}, kept);
  return { cache, cached: tableWith(cache), computed: tableWith(undefined) };
}

async function answerOf(table: OperationTable, method: string, params: readonly unknown[]): Promise<string> {
  const call = new HttpCall('jsonrpc', CALLER, undefined, undefined, undefined);
  try {
    return textOf(await table.answer(method, parseJson(JSON.stringify(params)) as readonly JsonValue[], call));
  } catch (error) {
    assert.ok(error instanceof NodeError, String(error));
    return `${error.kind} ${error.message}`;
  }
}

/** Calls whose answers are compared: every cached operation that takes no arguments, and some with arguments. */
function callsOn({ chain, founder, modules }: FounderNode): (readonly [string, readonly unknown[]])[] {
  const withoutArguments = modules.catalogue.operations
    .filter(({ reads, params }) => reads.length > 0 && params.every(({ jsonRpcRequired }) => !jsonRpcRequired))
    .map(({ name }) => [name, []] as const);
  const hash = Buffer.from(chain.tip.hash).reverse().toString('hex');
  return [
    ...withoutArguments,
    ['getblockhash', [100]],
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
    ['getgov', ['ATTRIBUTES']],
    ['validateaddress', [founder]],
  ];
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

/** Hash of the highest invalid block; of the tip if there is none. */
function lastInvalid({ chain }: FounderNode): Uint8Array {
  let found = chain.tip;
  for (const entry of chain.entries()) if (entry.invalid && (!found.invalid || entry.height > found.height)) found = entry;
  return found.hash;
}

test('a cached answer is always the computed one, across blocks, disconnects, mempool and wallet changes', async () => {
  const node = await startFounderNode();
  const { cache, cached, computed } = tablesOf(node);
  const compare = async (): Promise<void> => {
    for (const [method, params] of callsOn(node)) {
      const expected = await answerOf(computed, method, params);
      assert.equal(await answerOf(cached, method, params), expected, `${method} ${JSON.stringify(params)}`);
      assert.equal(await answerOf(cached, method, params), expected, `${method} ${JSON.stringify(params)}, repeated`);
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
  assert.ok(cache.hits > 1_000, `${cache.hits} hits`);
  assert.ok(cache.bytes <= cache.maxBytes);
  await node.end();
});
