import assert from 'node:assert/strict';
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
import type { FounderNode } from './founder-node.js';

const CALLER = { user: 'user', role: Role.ADMIN };

/** The operations of a node over each transport. */
export interface Transports {
  readonly table: OperationTable;
  readonly unary: UnaryCalls;
}

/** The operations of a node, with and without a cache of answers. */
export function transportsOf(node: FounderNode) {
  const { modules, invoker, chain, clock, wallets } = node;
  const mempoolPersistence = { loaded: true, save: async () => {} };
  const peers = {
    count: 0,
    active: true,
    timeOffset: () => 0,
    options: { services: 0n },
    local: { changes: 0 },
    networks: { proxyOf: () => undefined },
  };
  const started = { ...modules, chain, clock, wallets, mempoolPersistence, filterIndex: undefined, network: { peers } } as never;
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

export function jsonRpcAnswer({ table }: Transports, method: string, params: readonly unknown[]): Promise<string> {
  const call = new HttpCall('jsonrpc', CALLER, undefined, undefined, undefined);
  return textOfAnswer(() => table.answer(method, parseJson(JSON.stringify(params)) as readonly JsonValue[], call));
}

export function restAnswer({ table }: Transports, op: Operation, json: JsonObject): Promise<string> {
  const call = new HttpCall('rest', CALLER, undefined, undefined, undefined);
  return textOfAnswer(() => table.answerRest(op, json, false, call));
}

export function grpcAnswer({ unary }: Transports, op: Operation, json: JsonObject): Promise<string> {
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

/** Hash of the highest invalid block; of the tip if there is none. */
export function lastInvalid({ chain }: FounderNode): Uint8Array {
  let found = chain.tip;
  for (const entry of chain.entries()) if (entry.invalid && (!found.invalid || entry.height > found.height)) found = entry;
  return found.hash;
}
