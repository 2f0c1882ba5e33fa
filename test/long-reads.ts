import { coins } from '../src/chain/coins.js';
import { accountBalances, settledHeights } from '../src/dfi/state/accounts.js';
import { burnHistory } from '../src/dfi/state/history.js';
import { masternodes, P2PKH } from '../src/dfi/state/masternodes.js';
import { putHoldings, putNewPool, setShare } from '../src/dfi/state/pools.js';
import { networkParams } from '../src/params/index.js';
import { NULL_HASH } from '../src/primitives/hash.js';
import { bindPositional } from '../src/rpc/bind.js';
import type { Operation } from '../src/rpc/catalogue.js';
import type { Handler } from '../src/rpc/handler.js';
import { resultWriter } from '../src/rpc/write.js';
import { Op } from '../src/script/opcodes.js';
import { buildScript } from '../src/script/script.js';
import { accountsHandlers } from '../src/services/accounts/index.js';
import { blockchainHandlers } from '../src/services/blockchain/index.js';
import { listMasternodes } from '../src/services/node/masternodes.js';
import { poolsHandlers } from '../src/services/pools/index.js';
import { Overlay } from '../src/storage/overlay.js';
import type { StateView, WritableView } from '../src/storage/view.js';
import { FixedClock } from '../src/util/clock.js';
import { type JsonValue, parseJson } from '../src/util/json.js';
import { committedCatalogue } from './rpc/catalogue.js';
import { jsonRpcCall } from './rpc/json-rpc-call.js';

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

/** Puts rows from `from` to `to` into everything that {@link longReads} go through. */
export function fillState(view: WritableView, from: number, to: number): void {
  if (from === 0) putPool(view);
  for (let n = from; n < to; n++) {
    const txid = hashOf(n, 32);
    view.put(coins, { txid, vout: 0 }, { out: { value: 1_000n, scriptPubKey: owner(n), tokenId: 0 }, height: 1, coinbase: false });
    view.put(settledHeights, owner(n), 1);
    view.put(accountBalances, { owner: owner(n), tokenId: 0 }, 5n);
    view.put(accountBalances, { owner: owner(n), tokenId: POOL }, 7n);
    setShare(view, POOL, owner(n), 1);
    const differences = [{ tokenId: 0, amount: 3n }];
    view.put(burnHistory, { owner: owner(n), height: n % 100, txn: n }, { txid, category: 0x46, differences });
    view.put(masternodes, txid, masternode(n));
  }
}

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
    mintedBlocks: 0,
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

/** Calls that go through all of a table where they are told to. Each answers with all of it, or with a sum. */
export const longReads: readonly { readonly method: string; readonly args: readonly unknown[] }[] = [
  { method: 'gettxoutsetinfo', args: [] },
  { method: 'scantxoutset', args: ['start', [`raw(${Buffer.from(owner(1)).toString('hex')})`]] },
  { method: 'listaccounts', args: [{ limit: 0 }] },
  { method: 'listpoolshares', args: [{ limit: 0 }] },
  { method: 'listburnhistory', args: [{ limit: 0 }] },
  { method: 'listmasternodes', args: [{ limit: 1_000_000_000 }] },
];

const handlers: Readonly<Record<string, unknown>> = { ...blockchainHandlers, ...accountsHandlers, ...poolsHandlers, listMasternodes };
const catalogue = committedCatalogue();

/** The calls over a state: what a handler answers, and its text over JSON-RPC. */
export function readsOf(state: StateView) {
  const tip = { hash: NULL_HASH, height: 1_000_000, time: 1_600_000_000, parent: undefined };
  const snapshot = () => Object.assign(new Overlay(state), { close() {} });
  const chain = { params, tip, state, snapshot, entryAt: () => undefined, isInitialDownload: () => false };
  const modules = { chain, keepsHistory: true, wallets: undefined, clock: new FixedClock(tip.time) };
  const operationOf = (method: string): Operation => {
    const operation = catalogue.byName(method);
    if (!operation) throw new Error(`no operation ${method}`);
    return operation;
  };
  return {
    async handle(method: string, args: readonly unknown[]): Promise<unknown> {
      const operation = operationOf(method);
      const request = bindPositional(operation, parseJson(JSON.stringify(args)) as readonly JsonValue[]);
      return (handlers[operation.method] as Handler<object, object, unknown>)(modules, request, jsonRpcCall);
    },
    write: (method: string, response: unknown): string => resultWriter(operationOf(method))(response),
  };
}
