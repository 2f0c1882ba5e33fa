import { BlockIndexEntry } from '../src/chain/block-index.js';
import { coins } from '../src/chain/coins.js';
import { accountBalances, materialisedHeights } from '../src/dfi/accounts/columns.js';
import { burnHistory, historyByOwner } from '../src/dfi/accounts/history-columns.js';
import { auctions, auctionWins } from '../src/dfi/auctions/columns.js';
import { dusdSwaps, futureSwaps } from '../src/dfi/futures/columns.js';
import { openEntry } from '../src/dfi/icx/book-columns.js';
import { OrderType, orders } from '../src/dfi/icx/columns.js';
import { masternodes } from '../src/dfi/masternodes/columns.js';
import { oracles } from '../src/dfi/oracles/columns.js';
import { fixedPrices } from '../src/dfi/oracles/fixed-prices.js';
import { poolAverages } from '../src/dfi/pools/average-columns.js';
import { putHoldings, putNewPool, setShare } from '../src/dfi/pools/columns.js';
import { ProposalStatus, ProposalType, proposals, proposalVotes, Vote } from '../src/dfi/proposals/columns.js';
import { FIRST_COMMON_ID, putToken, TokenFlag } from '../src/dfi/tokens/columns.js';
import { lockedTokens } from '../src/dfi/tokens/lock-columns.js';
import { vaults } from '../src/dfi/vaults/columns.js';
import { vaultHistory } from '../src/dfi/vaults/history-columns.js';
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
import { LongMap } from '../src/rpc/long-map.js';
import { Op } from '../src/script/opcodes.js';
import { buildScript } from '../src/script/script.js';
import { accountsHandlers } from '../src/services/accounts/index.js';
import { blockchainHandlers } from '../src/services/blockchain/index.js';
import { icxHandlers } from '../src/services/icx/index.js';
import { logAccountBalances } from '../src/services/node/chain/account-dump.js';
import { listMasternodes } from '../src/services/node/masternodes/masternodes.js';
import { listLockedTokens } from '../src/services/node/tokens/locked-tokens.js';
import { listTokens } from '../src/services/node/tokens/tokens.js';
import { oraclesHandlers } from '../src/services/oracles/index.js';
import { poolsHandlers } from '../src/services/pools/index.js';
import { proposalsHandlers } from '../src/services/proposals/index.js';
import { vaultsHandlers } from '../src/services/vaults/index.js';
import { Overlay } from '../src/storage/overlay.js';
import type { StateView, WritableView } from '../src/storage/view.js';
import { FixedClock } from '../src/util/clock.js';
import { type JsonValue, parseJson } from '../src/util/json.js';
import type { MaybePromise } from '../src/util/slicer.js';
import { masternodeOf } from './masternode.js';
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
    view.put(poolAverages, { source: 0, destination: POOL }, 1_000n);
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
    putListed(view, n, txid);
  }
}

/** Rows of lists that the others do not depend on. */
function putListed(view: WritableView, n: number, txid: Uint8Array): void {
  const amount = { tokenId: 0, amount: 3n };
  const common = { creationTx: txid, creationHeight: 1 };
  putToken(view, FIRST_COMMON_ID + n, { ...token, ...common, symbol: `T${n}`, name: `Token ${n}` });
  view.put(oracles, txid, { address: owner(n), weight: 1, pairs: [{ token: `T${n % 100}`, currency: 'USD' }], prices: [report(n % 100)] });
  view.put(fixedPrices, { token: `T${n}`, currency: 'USD' }, { timestamp: 1n, active: 2n, next: 3n });
  if (n > 0) view.put(proposals, txid, proposal);
  view.put(vaults, txid, { owner: owner(n), scheme: 'C150', isUnderLiquidation: false });
  view.put(vaultHistory, { vaultId: PROPOSAL, height: n, txn: 1, owner: owner(n) }, { txid, category: 0x46, differences: [amount] });
  view.put(auctions, { height: 2_000_000, vaultId: txid }, { batchCount: 0, penalty: 0n });
  view.put(auctionWins, { height: 1, owner: owner(n), vaultId: txid, index: 0 }, { bid: amount, collaterals: [amount] });
  view.put(historyByOwner, { owner: owner(0), height: n, txn: 1 }, { txid, category: 0x46, differences: [amount] });
  view.put(futureSwaps, { height: 1, owner: owner(n), txn: n }, { source: amount, destination: POOL });
  view.put(dusdSwaps, { height: 1, owner: owner(n), txn: n }, 3n);
  view.put(lockedTokens, owner(n), [amount]);
  openEntry(view, orders, { ...order, ...common, owner: owner(n) });
}

const token = {
  ...{ decimal: 8, limit: 0n, flags: TokenFlag.tradeable, minted: 0n, destructionTx: NULL_HASH, destructionHeight: -1 },
};
const report = (n: number) => ({ token: `T${n}`, currency: 'USD', price: 100n, timestamp: 1_600_000_000n });
const order = {
  ...{ type: OrderType.internal, tokenId: 0, receivePubkey: new Uint8Array(), amountFrom: 1n, amountToFill: 1n, orderPrice: 1n },
  ...{ expiry: 2_000_000, closeTx: NULL_HASH, closeHeight: -1 },
};

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
  const asset = { ...token, flags: token.flags | TokenFlag.dat, name: '', creationTx: NULL_HASH, creationHeight: 1 };
  ['DFI', 'DUSD', 'DFI-DUSD'].forEach((symbol, id) => {
    putToken(view, id, { ...asset, symbol });
  });
  putNewPool(view, POOL, terms);
  putHoldings(view, POOL, 1, { ...terms, reserveA: 1n, reserveB: 1n, totalLiquidity: 1_000_000n, commissionA: 0n, commissionB: 0n });
}

function masternode(n: number) {
  const key = hashOf(n, 20);
  return masternodeOf({ mintedBlocks: 1, ownerKey: key, operatorKey: key });
}

const BLOCK = '00'.repeat(32);
const PROPOSAL = hashOf(0, 32);

interface Read {
  readonly method: string;
  readonly args: readonly unknown[];
}

/** Arguments with which calls iterate a whole table for a short answer without any number of its rows. */
export const shortAnswers: readonly Read[] = [
  { method: 'listloantokenliquidity', args: [] },
  { method: 'listprices', args: [] },
  { method: 'listlatestrawprices', args: [{ token: 'T1', currency: 'USD' }, { limit: 1_000_000_000 }] },
  { method: 'listgovproposals', args: ['all', 'all', -1] },
  { method: 'getgovproposal', args: [formatHash(PROPOSAL)] },
];

/** The same for answers that contain all of a table, block or mempool, or its number of rows. */
export const longReads: readonly Read[] = [
  { method: 'gettxoutsetinfo', args: [] },
  { method: 'scantxoutset', args: ['start', [`raw(${Buffer.from(owner(1)).toString('hex')})`]] },
  { method: 'listaccounts', args: [{ limit: 0 }] },
  { method: 'listpoolshares', args: [{ limit: 0 }] },
  { method: 'listburnhistory', args: [{ limit: 0 }] },
  { method: 'listmasternodes', args: [{ limit: 1_000_000_000 }] },
  { method: 'listtokens', args: [{ limit: 1_000_000_000 }] },
  { method: 'listoracles', args: [{ limit: 1_000_000_000 }] },
  { method: 'listfixedintervalprices', args: [{ limit: 1_000_000_000 }] },
  { method: 'listvaults', args: [{}, { limit: 1_000_000_000 }] },
  { method: 'listvaulthistory', args: [formatHash(PROPOSAL), { limit: 1_000_000_000 }] },
  { method: 'listauctions', args: [{ limit: 1_000_000_000 }] },
  { method: 'listauctionhistory', args: ['all', { limit: 1_000_000_000 }] },
  { method: 'listaccounthistory', args: [Buffer.from(owner(0)).toString('hex'), { limit: 1_000_000_000, no_rewards: true }] },
  { method: 'listpendingfutureswaps', args: [] },
  { method: 'listpendingdusdswaps', args: [] },
  { method: 'listlockedtokens', args: [] },
  { method: 'logaccountbalances', args: [false, true] },
  { method: 'icx_listorders', args: [{ limit: 1_000_000_000 }] },
  { method: 'listgovproposals', args: ['all', 'all', 0, { limit: 1_000_000_000 }] },
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
  ...vaultsHandlers,
  ...oraclesHandlers,
  ...icxHandlers,
  listMasternodes,
  listTokens,
  listLockedTokens,
  logAccountBalances,
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
    *loadBlock() {
      yield;
      return { ...block };
    },
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
    keepsVaultHistory: true,
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
  const encodeLong = async (method: string, response: unknown): Promise<Buffer> => {
    const operation = operationOf(method);
    return encoderOf(operation, definitionOf(operation))(response, jsonRpcCall);
  };
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
      const atOnce = definitionOf(operationOf(method)).responseSerialize(withObjects(response));
      return { atOnce, inSlices: await encodeLong(method, response) };
    },
    encodeLong,
    writeLong: (method: string, response: unknown): MaybePromise<JsonAnswer> => operationOf(method).codec.write(response, jsonRpcCall),
  };
}

function definitionOf({ path, name }: Operation) {
  const definition = serviceDefinitions.flatMap((service) => Object.values(service)).find((method) => method.path === path);
  if (!definition) throw new Error(`${name} is not in gRPC`);
  return definition;
}

/** A response with objects in place of its long maps, as gen/ts has them. */
function withObjects(response: unknown): unknown {
  if (response instanceof LongMap) return Object.fromEntries(response.entries);
  if (typeof response !== 'object' || response === null || Array.isArray(response) || response instanceof Uint8Array) return response;
  return Object.fromEntries(Object.entries(response).map(([name, value]) => [name, withObjects(value)]));
}
