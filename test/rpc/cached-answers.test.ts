import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Metadata } from '@grpc/grpc-js';
import { generations } from '../../src/app/generations.js';
import { Documents } from '../../src/gateway/documents/documents.js';
import { HttpCall } from '../../src/gateway/http-call.js';
import { OperationTable } from '../../src/gateway/operations.js';
import { textOf } from '../../src/gateway/reply.js';
import { GrpcCall } from '../../src/grpc/call.js';
import { serviceDefinitions } from '../../src/grpc/definitions.js';
import { encoderOf } from '../../src/grpc/encode.js';
import { EncodedRequest } from '../../src/grpc/request.js';
import { UnaryCalls } from '../../src/grpc/unary.js';
import { AnswerCache } from '../../src/rpc/answer-cache.js';
import type { Operation } from '../../src/rpc/catalogue.js';
import { bindJson } from '../../src/rpc/document.js';
import { Role } from '../../src/rpc/options.js';
import { blockchainHandlers } from '../../src/services/blockchain/index.js';
import { NodeError } from '../../src/util/errors.js';
import { type JsonObject, type JsonValue, parseJson } from '../../src/util/json.js';
import { fc } from '../property.js';
import { type FounderNode, startFounderNode } from './founder-node.js';

const CALLER = { user: 'user', role: Role.ADMIN };

/** The operations of a node over each transport. */
interface Transports {
  readonly table: OperationTable;
  readonly unary: UnaryCalls;
}

/** The operations of a node, with and without a cache of answers. */
function transportsOf(node: FounderNode) {
  const { modules, invoker, chain, clock, wallets } = node;
  const mempoolPersistence = { loaded: true, save: async () => {} };
  const started = { ...modules, chain, clock, wallets, mempoolPersistence, filterIndex: undefined } as never;
  invoker.bind('dfi.blockchain.v1.BlockchainService', blockchainHandlers as never, { ...(started as object), deprecated: [] });
  const { catalogue } = modules;
  const documents = new Documents(catalogue, '0');
  const cache = new AnswerCache(400_000, { finished() {} });
  cache.start(generations(started, clock));
  const withCache = (kept: AnswerCache | undefined): Transports => ({
    table: new OperationTable(catalogue, invoker, documents, () => {}, kept),
    unary: new UnaryCalls(invoker, kept),
  });
  return { cache, cached: withCache(cache), computed: withCache(undefined) };
}

async function textOfAnswer(answer: () => unknown): Promise<string> {
  try {
    const body = (await answer()) as string | Uint8Array | readonly Uint8Array[];
    return body instanceof Uint8Array ? Buffer.from(body).toString('latin1') : textOf(body);
  } catch (error) {
    assert.ok(error instanceof NodeError, String(error));
    return `${error.kind} ${error.message}`;
  }
}

function jsonRpcAnswer({ table }: Transports, method: string, params: readonly unknown[]): Promise<string> {
  const call = new HttpCall('jsonrpc', CALLER, undefined, undefined, undefined);
  return textOfAnswer(() => table.answer(method, parseJson(JSON.stringify(params)) as readonly JsonValue[], call));
}

function restAnswer({ table }: Transports, op: Operation, json: JsonObject): Promise<string> {
  const call = new HttpCall('rest', CALLER, undefined, undefined, undefined);
  return textOfAnswer(() => table.answerRest(op, json, false, call));
}

function grpcAnswer({ unary }: Transports, op: Operation, json: JsonObject): Promise<string> {
  const definition = serviceDefinitions.flatMap((service) => Object.values(service)).find(({ path }) => path === op.path);
  assert.ok(definition);
  const method = { operation: op, decode: definition.requestDeserialize, encode: encoderOf(op, definition) };
  const metadata = new Metadata();
  const call = { metadata, cancelled: false, getDeadline: () => Number.POSITIVE_INFINITY, on: () => call } as never;
  return textOfAnswer(() => {
    const request = new EncodedRequest(definition.requestSerialize(bindJson(op, json, { textual: false })));
    return unary.answer(method, request, new GrpcCall(call, CALLER, 1_000));
  });
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

/** Hash of the highest invalid block; of the tip if there is none. */
function lastInvalid({ chain }: FounderNode): Uint8Array {
  let found = chain.tip;
  for (const entry of chain.entries()) if (entry.invalid && (!found.invalid || entry.height > found.height)) found = entry;
  return found.hash;
}

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
