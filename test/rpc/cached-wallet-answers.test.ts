import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Source } from '../../src/rpc/options.js';
import { fc } from '../property.js';
import { jsonRpcAnswer, lastInvalid, transportsOf } from './cached-node.js';
import { type FounderNode, startFounderNode } from './founder-node.js';

const PASSPHRASE = 'the passphrase';
const WATCHED = 'mmjrUWSKQqnkWzyS98GCuFxA7TXcK3bc3A';

interface Output {
  readonly txid: string;
  readonly vout: number;
}

async function list<T>(node: FounderNode, method: string, args: readonly unknown[] = []): Promise<readonly T[]> {
  const answer = await node.call(method, args);
  return Array.isArray(answer) ? answer : [];
}

/** One element of a list, chosen by a random number. */
function chosen<T>(elements: readonly T[], random: number): T | undefined {
  return elements[random % Math.max(elements.length, 1)];
}

/** Calls whose answers are compared: every cached operation that reads wallets, with and without arguments. */
async function callsOn(node: FounderNode): Promise<(readonly [string, readonly unknown[]])[]> {
  const { founder, modules, chain } = node;
  const withoutArguments = modules.catalogue.operations
    .filter(({ reads, params }) => reads.includes(Source.WALLETS) && params.every(({ jsonRpcRequired }) => !jsonRpcRequired))
    .map(({ name }) => [name, []] as const);
  const transactions = await list<Output>(node, 'listtransactions', ['*', 3]);
  return [
    ...withoutArguments,
    ...transactions.map(({ txid }) => ['gettransaction', [txid]] as const),
    ['getbalance', ['*', 2]],
    ['getbalance', ['*', 0, true]],
    ['listunspent', [0, 9_999_999, [], false]],
    ['listunspent', [0, 20, [founder]]],
    ['listtransactions', ['*', 5, 2]],
    ['listsinceblock', [Buffer.from(chain.tip.hash).reverse().toString('hex')]],
    ['listreceivedbyaddress', [0, true, true]],
    ['listreceivedbylabel', [0, true]],
    ['getreceivedbyaddress', [founder]],
    ['getaddressinfo', [founder]],
    ['getaddressinfo', [WATCHED]],
    ['getaddressesbylabel', ['gifts']],
  ];
}

/** Changes of the wallet or of what its answers depend on; one that is refused changes nothing. */
const CHANGES: readonly ((node: FounderNode, random: number) => Promise<unknown>)[] = [
  (node) => node.mint(1, node.founder),
  (node) => node.mint(1, WATCHED),
  (node) => node.call('sendtoaddress', [node.founder, 0.25]),
  (node) => node.call('sendtoaddress', [WATCHED, 0.5, '', '', false, true]),
  (node) => node.call('utxostoaccount', [{ [node.founder]: '0.5@DFI' }]),
  (node) => node.call('createmasternode', [node.founder]),
  (node) => node.call('invalidateblock', [Buffer.from(node.chain.tip.hash).reverse().toString('hex')]),
  (node) => node.call('reconsiderblock', [Buffer.from(lastInvalid(node)).reverse().toString('hex')]),
  (node) => node.call('clearmempool'),
  async (node, random) => {
    const output = chosen(await list<Output>(node, 'listunspent', [0]), random);
    return node.call('lockunspent', [false, [{ txid: output?.txid, vout: output?.vout }]]);
  },
  async (node, random) => node.call('lockunspent', [true, [chosen(await list<Output>(node, 'listlockunspent'), random)]]),
  (node) => node.call('lockunspent', [true]),
  (node, random) => node.call('settxfee', [(random % 9) / 10_000]),
  (node, random) => node.call('setlabel', [random % 2 === 0 ? node.founder : WATCHED, random % 3 === 0 ? '' : 'gifts']),
  (node, random) => node.call('setwalletflag', ['avoid_reuse', random % 2 === 0]),
  (node) => node.call('getnewaddress', ['gifts']),
  (node) => node.call('getrawchangeaddress'),
  (node, random) => node.call('keypoolrefill', [1 + (random % 5)]),
  (node) => node.call('sethdseed', [true]),
  (node) => node.call('importaddress', [WATCHED, 'watched', false]),
  (node) => node.call('importaddress', [WATCHED, 'watched', true]),
  (node) => node.call('rescanblockchain', [1]),
  async (node, random) => node.call('abandontransaction', [chosen(await list<Output>(node, 'listtransactions'), random)?.txid]),
  async (node, random) => node.call('bumpfee', [chosen(await list<Output>(node, 'listtransactions'), random)?.txid]),
  async (node, random) => node.call('removeprunedfunds', [chosen(await list<Output>(node, 'listtransactions'), random)?.txid]),
  (node) => node.call('encryptwallet', [PASSPHRASE]),
  (node, random) => node.call('walletpassphrase', [PASSPHRASE, 1_000 + random]),
  (node) => node.call('walletlock'),
  (node) => node.call('createwallet', ['second']),
  (node) => node.call('unloadwallet', [], 'second'),
  (node) => node.call('loadwallet', ['second']),
  async (node) => node.clock.setMockTime(node.clock.seconds() + 1),
];

test('a cached answer about a wallet is always the computed one, across changes of the wallet, blocks and disconnects', async () => {
  const node = await startFounderNode();
  const { cache, cached, computed } = transportsOf(node);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.nat(CHANGES.length - 1), fc.nat(1_000)), { minLength: 10, maxLength: 30 }), async (steps) => {
      for (const [step, random] of steps) {
        await CHANGES[step]?.(node, random);
        for (const [method, params] of await callsOn(node)) {
          const expected = await jsonRpcAnswer(computed, method, params);
          assert.equal(await jsonRpcAnswer(cached, method, params), expected, `${method} ${JSON.stringify(params)} after change ${step}`);
          assert.equal(await jsonRpcAnswer(cached, method, params), expected, `${method} ${JSON.stringify(params)}, repeated`);
        }
      }
    }),
    { numRuns: 8, endOnFailure: true },
  );
  console.log(`${cache.hits} answers from the cache, ${cache.misses} computed`);
  assert.ok(cache.hits > 2_000, `${cache.hits} hits`);
  await node.end();
});
