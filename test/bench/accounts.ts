import { publicKeyOf, signLowR, verify } from '../../src/crypto/ecdsa.js';
import { sha256d } from '../../src/crypto/hash.js';
import { Accounts } from '../../src/dfi/accounts/columns.js';
import { accountToAccount } from '../../src/dfi/accounts/transactions.js';
import { DefiExecution } from '../../src/dfi/execution/block.js';
import { networkParams } from '../../src/params/index.js';
import type { Block } from '../../src/primitives/block.js';
import { encode } from '../../src/primitives/codec.js';
import { makeTransaction, type Transaction } from '../../src/primitives/transaction.js';
import type { CallContext } from '../../src/rpc/handler.js';
import { Op } from '../../src/script/opcodes.js';
import { buildScript } from '../../src/script/script.js';
import { listAccounts } from '../../src/services/accounts/balances/balances.js';
import { getBurnInfo, listCommunityBalances } from '../../src/services/accounts/burns.js';
import { accountHistoryCount } from '../../src/services/accounts/history/history.js';
import { MemoryStore } from '../../src/storage/memory.js';
import { Overlay } from '../../src/storage/overlay.js';
import { concatBytes, EMPTY_BYTES } from '../../src/util/bytes.js';

const TRANSFERS = 500;
const ACCOUNTS = 1_000;
const params = networkParams({ network: 'regtest', upgradeHeights: { amk: 1, bayfront: 1, dakota: 1, eunos: 1 } });
const call: CallContext = {
  dialect: 'json-rpc',
  requestId: 'bench',
  user: undefined,
  wallet: undefined,
  signal: new AbortController().signal,
};

function owner(n: number): Uint8Array {
  const hash = Buffer.alloc(20);
  hash.writeUInt32BE(Math.imul(n + 1, 0x9e3779b1) >>> 0);
  return buildScript(Op.ZERO, hash);
}

async function timedMs(work: () => unknown, runs = 1): Promise<number> {
  const start = performance.now();
  for (let i = 0; i < runs; i++) await work();
  return (performance.now() - start) / runs;
}

function transfer(n: number): Transaction {
  const to = [{ owner: owner((n + 1) % ACCOUNTS), balances: [{ tokenId: 0, amount: 1n }] }];
  const codec = accountToAccount.codec as NonNullable<typeof accountToAccount.codec>;
  const data = concatBytes(Buffer.from('DfTxB'), encode(codec, { from: owner(n % ACCOUNTS), to }));
  const vin = [{ prevout: { txid: Buffer.alloc(32, 1), vout: n }, scriptSig: EMPTY_BYTES, sequence: 0, witness: [] }];
  const vout = [{ value: 0n, scriptPubKey: buildScript(Op.RETURN, data), tokenId: 0 }];
  return makeTransaction({ version: 4, vin, vout, lockTime: n }, params.txFormat);
}

/** Executes one block of transfers including its undo log, as when a block is connected. */
function connect(view: Overlay, block: Block, height: number): void {
  const overlay = new Overlay(view);
  const context = { height, time: block.header.time, params, view: overlay, coin: () => undefined, blockTime: () => 0 };
  const execution = new DefiExecution(block, context, { keepsHistory: true });
  block.transactions.forEach((tx, txIndex) => {
    const spent = [{ out: { value: 1n, scriptPubKey: owner(txIndex % ACCOUNTS), tokenId: 0 }, height: 1, coinbase: false }];
    const failure = execution.transaction({ tx, txIndex, spent });
    if (failure !== undefined) throw new Error(failure);
  });
  execution.finish();
  overlay.undo();
  overlay.commit();
}

/** Transfers against bare signature checks; reads with short and with long histories. */
export async function run(): Promise<void> {
  const view = new Overlay(new MemoryStore());
  const accounts = new Accounts(view);
  for (let n = 0; n < ACCOUNTS; n++) accounts.add(owner(n), { tokenId: 0, amount: 1_000_000n });
  const transactions = Array.from({ length: TRANSFERS }, (_, n) => transfer(n));
  const block = { header: { ...params.genesis.header, time: 1 }, hash: params.genesis.hash, transactions };
  let height = 10;
  for (let i = 0; i < 3; i++) connect(view, block, height++);
  const chain = {
    params,
    tip: { height: 1_000_000 },
    entryAt: () => undefined,
    state: view,
    snapshot: () => Object.assign(new Overlay(view), { close() {} }),
  };
  const modules = { chain, keepsHistory: true } as unknown as Parameters<typeof getBurnInfo>[0];
  const reads = async () => ({
    accounts: await timedMs(() => listAccounts(modules, { limit: 0n } as never, call), 3),
    burns: await timedMs(() => getBurnInfo(modules, {}, call), 50),
    community: await timedMs(() => listCommunityBalances(modules, {}, call), 50),
    count: await timedMs(() => accountHistoryCount(modules, countAll, call), 50),
  });
  const few = await reads();
  const blockMs = await timedMs(() => connect(view, block, height++), 50);
  const checksMs = await signatureChecks();
  for (let i = 0; i < 47; i++) connect(view, block, height++);
  const many = await reads();
  const ratio = blockMs / checksMs;
  console.log(
    `${TRANSFERS} transfers: ${blockMs.toFixed(1)} ms, their signatures alone ${checksMs.toFixed(1)} ms, together ${(ratio + 1).toFixed(2)} times`,
  );
  console.log(`listaccounts of ${ACCOUNTS}: ${few.accounts.toFixed(1)} ms, ${(1000 / few.accounts).toFixed(0)} a second`);
  const show = (name: string, a: number, b: number) =>
    console.log(`${name}: ${a.toFixed(3)} ms at 3,000 entries, ${b.toFixed(3)} ms at 100,000`);
  show('getburninfo', few.burns, many.burns);
  show('listcommunitybalances', few.community, many.community);
  show('accounthistorycount', few.count, many.count);
}

const countAll = { owner: { form: { $case: 'owner', value: 'all' } } } as never;

async function signatureChecks(): Promise<number> {
  const secret = Buffer.alloc(32, 7);
  const hash = sha256d(secret);
  const [key, signature] = [publicKeyOf(secret, true), signLowR(hash, secret)];
  return timedMs(() => {
    for (let n = 0; n < TRANSFERS; n++) if (!verify(key, signature, hash)) throw new Error('a signature is wrong');
  }, 5);
}
