import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Metadata, type MethodDefinition } from '@grpc/grpc-js';
import { BlockchainServiceService, GetBlockHashResponse } from '../../../gen/ts/dfi/blockchain/v1/blockchain.js';
import { GrpcCall } from '../../../src/grpc/call.js';
import { encoderOf } from '../../../src/grpc/encode.js';
import { EncodedRequest } from '../../../src/grpc/request.js';
import { UnaryCalls } from '../../../src/grpc/unary.js';
import { AnswerCache } from '../../../src/rpc/answer-cache.js';
import type { Operation } from '../../../src/rpc/catalogue.js';
import { type CallObserver, Invoker, transportOf } from '../../../src/rpc/invoke.js';
import { Role } from '../../../src/rpc/options.js';
import { silentLogger } from '../../../src/util/logger.js';
import { committedCatalogue } from '../../rpc/catalogue.js';

const catalogue = committedCatalogue();
const operation = catalogue.byName('getblockhash') as Operation;
const definition = BlockchainServiceService.getBlockHash as MethodDefinition<unknown, unknown>;
const method = { operation, decode: definition.requestDeserialize, encode: encoderOf(operation, definition) };

/** Calls of one operation, which answers with the tip of the test, its argument and its dialect; it may answer late. */
function callsWith() {
  const state = { tip: 0, ran: 0, late: false };
  const finished: string[] = [];
  const observer: CallObserver = {
    finished: (call, name, code) => {
      finished.push(`${transportOf(call)} ${name} ${code}`);
    },
  };
  const invoker = new Invoker({ catalogue, log: silentLogger, observer });
  const getBlockHash = (_: object, { height }: { height: number }, { dialect }: GrpcCall) => {
    state.ran += 1;
    const response = { blockhash: `${state.tip} ${height} ${dialect}` };
    return state.late ? Promise.resolve(response) : response;
  };
  invoker.bind('dfi.blockchain.v1.BlockchainService', { getBlockHash } as never, {});
  const cache = new AnswerCache(100_000, observer);
  const tip = () => state.tip;
  cache.start({ tip, blocks: tip, mempool: tip, wallets: tip, indexes: tip, clock: tip, warnings: tip, minting: tip, network: tip });
  const calls = new UnaryCalls(invoker, cache);
  const ask = async (height: number, headers: Record<string, string> = {}) => {
    const metadata = Metadata.fromHttp2Headers(headers);
    const request = new EncodedRequest(definition.requestSerialize({ height }));
    const call = { metadata, cancelled: false, getDeadline: () => Number.POSITIVE_INFINITY, on: () => call } as never;
    const bytes = await calls.answer(method, request, new GrpcCall(call, { user: 'user', role: Role.ADMIN }, 1_000));
    return GetBlockHashResponse.decode(bytes).blockhash;
  };
  return { ask, state, cache, finished };
}

test('gRPC: a repeated call is answered from the cache and counted as a call, until the tip changes', async () => {
  const { ask, state, cache, finished } = callsWith();
  for (let i = 0; i < 3; i++) assert.equal(await ask(7), '0 7 document');
  assert.equal(await ask(8), '0 8 document');
  assert.deepEqual([state.ran, cache.hits, cache.misses], [2, 2, 2]);
  assert.deepEqual(finished, new Array(4).fill('grpc getblockhash OK'));
  state.tip += 1;
  assert.equal(await ask(7), '1 7 document');
});

test('gRPC: the dialects have answers of their own, and a call that names a wallet is not cached', async () => {
  const { ask, state } = callsWith();
  assert.equal(await ask(7), '0 7 document');
  assert.equal(await ask(7, { 'x-dfi-dialect': 'json-rpc' }), '0 7 json-rpc');
  for (let i = 0; i < 2; i++) await ask(7, { 'x-wallet': 'name' });
  assert.equal(state.ran, 4);
});

test('gRPC: an answer that is late is kept, unless the tip changed meanwhile', async () => {
  const { ask, state } = callsWith();
  state.late = true;
  const outdated = ask(7);
  state.tip += 1;
  assert.equal(await outdated, '0 7 document');
  for (let i = 0; i < 2; i++) assert.equal(await ask(7), '1 7 document');
  assert.equal(state.ran, 2);
});
