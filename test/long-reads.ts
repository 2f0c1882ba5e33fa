import { BlockIndexEntry } from '../src/chain/block-index.js';
import { coins } from '../src/chain/coins.js';
import { accountBalances, materialisedHeights } from '../src/dfi/accounts/columns.js';
import { burnHistory } from '../src/dfi/accounts/history-columns.js';
import { masternodes, P2PKH } from '../src/dfi/masternodes/columns.js';
import { putHoldings, putNewPool, setShare } from '../src/dfi/pools/columns.js';
import { ProposalStatus, ProposalType, proposals, proposalVotes, Vote } from '../src/dfi/proposals/columns.js';
import { serviceDefinitions } from '../src/grpc/definitions.js';
import { encoderOf } from '../src/grpc/encode.js';
import { MempoolEntry } from '../src/mempool/entry.js';
import { networkParams } from '../src/params/index.js';
import type { Block } from '../src/primitives/block.js';
import { formatHash, NULL_HASH } from '../src/primitives/hash.js';
import { makeTransaction, type Transaction } from '../src/primitives/transaction.js';
import type { Operation } from '../src/rpc/catalogue.js';
import type { CallContext, Handler } from '../src/rpc/handler.js';
import type { JsonAnswer } from '../src/rpc/json-sink.js';
import { Op } from '../src/script/opcodes.js';
import { buildScript } from '../src/script/script.js';
import { accountsHandlers } from '../src/services/accounts/index.js';
import { blockchainHandlers } from '../src/services/blockchain/index.js';
import { listMasternodes } from '../src/services/node/masternodes/masternodes.js';
import { poolsHandlers } from '../src/services/pools/index.js';
import { proposalsHandlers } from '../src/services/proposals/index.js';
import { Overlay } from '../src/storage/overlay.js';
import type { StateView, WritableView } from '../src/storage/view.js';
import { FixedClock } from '../src/util/clock.js';
import { type JsonValue, parseJson } from '../src/util/json.js';
import type { MaybePromise } from '../src/util/slicer.js';
import { committedCatalogue } from './rpc/catalogue.js';
import { jsonRpcCall } from './rpc/json-rpc-call.js';
import { resultText } from './rpc/result-text.js';

const params = networkParams({ network: 'regtest' });
const POOL = 2;

function hashOf(n: number, size: number): Uint8Array {
  const hash = Buffer.alloc(size);
  // Spread over the whole range, as hashes are.
  hash.writeUInt32BE(Math.imul(n + 1, 0x9e3779b1) >>> 0);
  hash.writeUInt32BE(n, 4);
  return hash;
}

const owner = (n: number): Uint8Array => buildScript(Op.ZERO, hashOf(n, 20));

/** Writes rows from `from` to `to` to every column that {@link longReads} iterate. */
export function fillState(view: WritableView, from: number, to: number): void {
  if (from === 0) {
    putPool(view);
    view.put(proposals, PROPOSAL, proposal);
  }
  for (let n = from; n < to; n++) {
    const txid = hashOf(n, 32);
    view.put(coins, { txid, vout: 0 }, { out: { value: 1_000n, scriptPubKey: owner(n), tokenId: 0 }, height: 1, coinbase: false });
    view.put(materialisedHeights, owner(n), 1);
    view.put(accountBalances, { owner: owner(n), tokenId: 0 }, 5n);
    view.put(accountBalances, { owner: owner(n), tokenId: POOL }, 7n);
    setShare(view, POOL, owner(n), 1);
    const differences = [{ tokenId: 0, amount: 3n }];
    view.put(burnHistory, { owner: owner(n), height: n % 100, txn: n }, { txid, category: 0x46, differences });
    view.put(masternodes, txid, masternode(n));
    view.put(proposalVotes, { proposalId: PROPOSAL, cycle: 1, masternodeId: txid }, Vote.yes);
  }
}

const proposal = {
  type: ProposalType.confidence,
  address: new Uint8Array(),
  amount: 0n,
  cycles: 1,
  title: '',
  context: '',
  contextHash: '',
  options: 0,
  creationHeight: 1,
  endHeight: 2_000_000,
  votingPeriod: 1_000,
  approvalThreshold: 0n,
  quorum: 0n,
  fee: 0n,
  feeBurn: 0n,
  status: ProposalStatus.voting,
  cycle: 1,
};

function putPool(view: WritableView): void {
  const terms = {
    tokenA: 0,
    tokenB: 1,
    commission: 0n,
    owner: owner(0),
    status: true,
    creationTx: NULL_HASH,
    creationHeight: 1,
    rewards: [],
  };
  putNewPool(view, POOL, terms);
  putHoldings(view, POOL, 1, { ...terms, reserveA: 1n, reserveB: 1n, totalLiquidity: 1_000_000n, commissionA: 0n, commissionB: 0n });
}

function masternode(n: number) {
  const key = hashOf(n, 20);
  return {
    mintedBlocks: 1,
    ownerKey: key,
    ownerType: P2PKH,
    operatorKey: key,
    operatorType: P2PKH,
    creationHeight: 1,
    resignHeight: -1,
    version: -1,
    resignTx: NULL_HASH,
    collateralTx: NULL_HASH,
    rewardKey: new Uint8Array(20),
    rewardType: 0,
  };
}

const BLOCK = '00'.repeat(32);
const PROPOSAL = hashOf(0, 32);

/** Arguments with which calls iterate a whole table, block or mempool. Each answer contains all of it, or a sum. */
export const longReads: readonly { readonly method: string; readonly args: readonly unknown[] }[] = [
  { method: 'gettxoutsetinfo', args: [] },
  { method: 'scantxoutset', args: ['start', [`raw(${Buffer.from(owner(1)).toString('hex')})`]] },
  { method: 'listaccounts', args: [{ limit: 0 }] },
  { method: 'listpoolshares', args: [{ limit: 0 }] },
  { method: 'listburnhistory', args: [{ limit: 0 }] },
  { method: 'listmasternodes', args: [{ limit: 1_000_000_000 }] },
  { method: 'listgovproposalvotes', args: [formatHash(PROPOSAL), 'all', -1, { limit: 1_000_000_000 }] },
  { method: 'getblock', args: [BLOCK, 2] },
  { method: 'getblockstats', args: [BLOCK] },
  { method: 'getrawmempool', args: [false] },
  { method: 'getrawmempool', args: [true] },
];

const handlers: Readonly<Record<string, unknown>> = {
  ...blockchainHandlers,
  ...accountsHandlers,
  ...poolsHandlers,
  ...proposalsHandlers,
  listMasternodes,
};
const catalogue = committedCatalogue();

/** One input and two outputs to keys. */
function payment(n: number): Transaction {
  const vout = [1, 2].map((salt) => ({ value: BigInt(n + salt), scriptPubKey: owner(n * 2 + salt), tokenId: 0 }));
  const vin = [{ prevout: { txid: hashOf(n, 32), vout: 0 }, scriptSig: hashOf(n, 100), sequence: 0, witness: [] }];
  return makeTransaction({ version: 4, vin, vout, lockTime: n }, params.txFormat);
}

function waiting(tx: Transaction, n: number): MempoolEntry {
  return new MempoolEntry({ tx, fee: BigInt(n), vsize: 200, sigOpsCost: 8, time: n, height: 1, spendsCoinbase: false });
}

/**
 * Runs the calls over a state, and over a block and a mempool of some payments.
 * @returns functions that ask a handler, and that write and encode its response synchronously or in slices; and an invoker for a gateway
 */
export function readsOf(state: StateView, payments: number) {
  const tip = { hash: NULL_HASH, height: 1_000_000, time: 1_600_000_000, parent: undefined };
  const snapshot = () => Object.assign(new Overlay(state), { close() {} });
  const transactions = Array.from({ length: payments }, (_, n) => payment(n));
  const block: Block = { ...params.genesis, transactions };
  const entry = new BlockIndexEntry(block.hash, block.header, undefined, params);
  const spent = transactions.map(() => [{ out: { value: 10_000_000n, scriptPubKey: owner(0), tokenId: 0 }, height: 1, coinbase: false }]);
  const ofBlock = {
    entry: () => entry,
    header: () => block.header,
    // A copy without cached encodings, as if it had just been read.
    block: () => ({ ...block }),
    next: () => undefined,
    isActive: () => true,
    confirmations: () => 1,
    spentCoins: () => spent,
  };
  const chain = { params, tip, state, snapshot, entryAt: () => undefined, isInitialDownload: () => false, ...ofBlock };
  const pool = { entries: () => transactions.map(waiting) };
  const modules = {
    chain,
    keepsHistory: true,
    wallets: undefined,
    minter: { masternodes: () => [] },
    clock: new FixedClock(tip.time),
    mempool: { pool },
    deprecated: [],
    showsWitness: true,
  };
  const operationOf = (method: string): Operation => {
    const operation = catalogue.byName(method);
    if (!operation) throw new Error(`no operation ${method}`);
    return operation;
  };
  const invoke = (operation: Operation, request: object, call: CallContext): unknown =>
    (handlers[operation.method] as Handler<object, object, unknown>)(modules, request, call);
  return {
    async handle(method: string, args: readonly unknown[]): Promise<unknown> {
      const operation = operationOf(method);
      return invoke(operation, operation.codec.bindPositional(parseJson(JSON.stringify(args)) as readonly JsonValue[]), jsonRpcCall);
    },
    invoker: {
      requireReady() {},
      open: (operation: Operation, call: CallContext) => (request: object) => invoke(operation, request, call),
      invoke,
    },
    write: (method: string, response: unknown): string => resultText(operationOf(method), response),
    /** The gRPC message encoded synchronously, and encoded in slices. */
    async encode(method: string, response: unknown): Promise<{ readonly atOnce: Buffer; readonly inSlices: unknown }> {
      const operation = operationOf(method);
      const definition = serviceDefinitions.flatMap((service) => Object.values(service)).find(({ path }) => path === operation.path);
      if (!definition) throw new Error(`${method} is not in gRPC`);
      return { atOnce: definition.responseSerialize(response), inSlices: await encoderOf(operation, definition)(response, jsonRpcCall) };
    },
    writeLong: (method: string, response: unknown): MaybePromise<JsonAnswer> => operationOf(method).codec.write(response, jsonRpcCall),
  };
}
