import { BlockchainServiceService } from '../../../gen/ts/dfi/blockchain/v1/blockchain.js';
import { MemoryBlocks } from '../../../src/chain/block-store.js';
import { Chain } from '../../../src/chain/chain.js';
import { Warnings, warnOfUnknownRules } from '../../../src/chain/warnings.js';
import { BlockFilterIndex } from '../../../src/indexes/block-filters.js';
import { TransactionIndex } from '../../../src/indexes/transactions.js';
import type { Operation } from '../../../src/rpc/catalogue.js';
import { statusOf } from '../../../src/rpc/errors.js';
import type { CallContext, Handler } from '../../../src/rpc/handler.js';
import { type BlockchainModules, blockchainHandlers } from '../../../src/services/blockchain/index.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { FixedClock } from '../../../src/util/clock.js';
import { NodeError } from '../../../src/util/errors.js';
import { parseJson } from '../../../src/util/json.js';
import { silentLogger } from '../../../src/util/logger.js';
import { openPool } from '../../chains/memory-pool.js';
import { paramsOfFlags } from '../../chains/recorded-chain.js';
import { committedCatalogue } from '../catalogue.js';
import { jsonRpcCall } from '../json-rpc-call.js';
import { resultText } from '../result-text.js';

export interface TestNode extends BlockchainModules {
  readonly chain: Chain;
  readonly clock: FixedClock;
}

/** In-memory chain with both indexes, behind the Blockchain handlers. */
export function startNode(flags: readonly string[]): TestNode {
  const clock = new FixedClock(1_579_045_065);
  const deps = { store: new MemoryStore(), blocks: new MemoryBlocks(), clock, log: silentLogger };
  const chain = new Chain({ params: paramsOfFlags(flags) }, deps);
  const follow = { store: new MemoryStore(), chain, log: silentLogger };
  const txIndex = new TransactionIndex(follow);
  const filterIndex = new BlockFilterIndex(follow);
  txIndex.start();
  filterIndex.start();
  const pool = openPool(chain, clock);
  const warnings = new Warnings(silentLogger, () => {});
  warnOfUnknownRules(chain, warnings, new AbortController().signal);
  return {
    chain,
    warnings,
    clock,
    txIndex,
    filterIndex,
    verification: { level: 3, blocks: 6 },
    showsWitness: true,
    deprecated: [],
    ...pool,
  };
}

const catalogue = committedCatalogue();
const strictCatalogue = committedCatalogue(true);

function operation(method: string): Operation {
  const op = catalogue.byName(method);
  if (!op) throw new Error(`no operation ${method}`);
  return op;
}

/** Response message to positional arguments in JSON text. */
async function respond(node: BlockchainModules, method: string, params: string, call: CallContext = jsonRpcCall): Promise<unknown> {
  const op = operation(method);
  const handler = (blockchainHandlers as Readonly<Record<string, unknown>>)[op.method] as Handler<BlockchainModules, object, unknown>;
  const args = parseJson(params);
  if (!Array.isArray(args)) throw new Error('positional arguments are an array');
  return handler(node, op.codec.bindPositional(args), call);
}

/** JSON-RPC answer: the text of the result, or of the error's code and message. */
export async function answer(node: BlockchainModules, method: string, params: string, call: CallContext = jsonRpcCall): Promise<string> {
  return answerWith(operation(method), node, method, params, call);
}

/** Like {@link answer}, with `-rpcstrict`. */
export async function strictAnswer(node: BlockchainModules, method: string, params: string): Promise<string> {
  const op = strictCatalogue.byName(method);
  if (!op) throw new Error(`no operation ${method}`);
  return answerWith(op, node, method, params, jsonRpcCall);
}

async function answerWith(op: Operation, node: BlockchainModules, method: string, params: string, call: CallContext): Promise<string> {
  try {
    return resultText(op, await respond(node, method, params, call));
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    if (error.kind === 'usage') return '{"code":-1,"usage":true}';
    return JSON.stringify({ code: statusOf[error.kind].jsonRpc, message: error.message });
  }
}

/** Like {@link answer}, after a round trip of the message through gRPC bytes. */
export async function answerThroughBytes(node: BlockchainModules, method: string, params: string): Promise<string> {
  const op = operation(method);
  const { responseSerialize, responseDeserialize } = BlockchainServiceService[op.method as keyof typeof BlockchainServiceService];
  const bytes = responseSerialize((await respond(node, method, params)) as never);
  return resultText(op, responseDeserialize(bytes));
}

/** True if the handlers implement this operation. */
export function isAnswered(method: string): boolean {
  const op = catalogue.byName(method);
  return op !== undefined && op.method in blockchainHandlers;
}
