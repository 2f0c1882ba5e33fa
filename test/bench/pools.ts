import { createHash } from 'node:crypto';
import { publicKeyOf, signLowR, verify } from '../../src/crypto/ecdsa.js';
import { Accounts } from '../../src/dfi/accounts/columns.js';
import { DefiExecution } from '../../src/dfi/execution/block.js';
import { poolOf, putHoldings, putNewPool, setShare } from '../../src/dfi/pools/columns.js';
import { rewardHistory } from '../../src/dfi/pools/history-columns.js';
import { noMaxPrice } from '../../src/dfi/pools/swap.js';
import { poolSwap } from '../../src/dfi/pools/swap-transactions.js';
import { putToken, TokenFlag } from '../../src/dfi/tokens/columns.js';
import { networkParams } from '../../src/params/index.js';
import { encode } from '../../src/primitives/codec.js';
import { NULL_HASH } from '../../src/primitives/hash.js';
import { makeTransaction, type Transaction } from '../../src/primitives/transaction.js';
import { customTxScript } from '../../src/script/custom-tx.js';
import { MemoryStore } from '../../src/storage/memory.js';
import { Overlay } from '../../src/storage/overlay.js';
import { EMPTY_BYTES } from '../../src/util/bytes.js';

const COIN = 100_000_000n;
const POOLS = 60;
const SWAPS = 200;
const ROUNDS = 7;
const HEIGHT = 1_000;
const LAST_SETTLED = 500;
const UPGRADES = ['amk', 'bayfront', 'bayfrontGardens', 'clarkeQuay', 'dakota', 'eunos', 'fortCanning', 'fortCanningHill', 'grandCentral'];
const params = networkParams({ network: 'regtest', upgradeHeights: Object.fromEntries(UPGRADES.map((name) => [name, 0])) });

/** Every swap has an owner of its own, with shares of two pools whose rewards are not materialised yet. */
function owner(n: number): Uint8Array {
  const script = new Uint8Array(22).fill(7);
  new DataView(script.buffer).setUint32(8, n);
  return script;
}

function addToken(view: Overlay, id: number, flags: number): void {
  const names = { symbol: `T${id}`, name: `T${id}`, decimal: 8, limit: 0n, flags };
  putToken(view, id, {
    ...names,
    minted: 0n,
    creationTx: Buffer.alloc(32, id),
    destructionTx: NULL_HASH,
    creationHeight: 1,
    destructionHeight: -1,
  });
}

/** Pools of DFI and tokens 1 to 60 under the ids 200 to 259. */
function market(): MemoryStore {
  const store = new MemoryStore();
  const view = new Overlay(store);
  const accounts = new Accounts(view);
  addToken(view, 0, TokenFlag.dat);
  for (let i = 1; i <= POOLS; i++) {
    const id = 199 + i;
    addToken(view, i, TokenFlag.dat);
    addToken(view, id, TokenFlag.poolShare);
    const terms = { tokenA: i, tokenB: 0, commission: COIN / 500n, owner: owner(0), status: true, rewards: [] };
    putNewPool(view, id, { ...terms, creationTx: NULL_HASH, creationHeight: 1 });
    const reserves = { reserveA: 1_000_000n * COIN, reserveB: 1_000_000n * COIN, totalLiquidity: 1_000_000n * COIN };
    putHoldings(view, id, 1, { ...terms, ...reserves, creationTx: NULL_HASH, creationHeight: 1, commissionA: 0n, commissionB: 0n });
    view.put(rewardHistory, { pool: id, height: 1 }, COIN);
  }
  for (let n = 0; n < SWAPS; n++) {
    for (const pool of [200 + (n % POOLS), 200 + ((n + 7) % POOLS)]) {
      accounts.add(owner(n), { tokenId: pool, amount: 10n * COIN });
      setShare(view, pool, owner(n), LAST_SETTLED);
    }
    accounts.add(owner(n), { tokenId: 0, amount: 100n * COIN });
  }
  store.write(view.changes());
  return store;
}

function swapOf(n: number): Transaction {
  const from = owner(n);
  const swap = {
    from,
    tokenFrom: 0,
    amountFrom: COIN,
    to: from,
    tokenTo: 1 + (n % POOLS),
    maxPrice: noMaxPrice({ height: HEIGHT, params }),
  };
  const data = customTxScript({ type: poolSwap.type, body: poolSwap.codec ? encode(poolSwap.codec, swap) : EMPTY_BYTES });
  const vin = [{ prevout: { txid: Buffer.alloc(32, n), vout: n }, scriptSig: EMPTY_BYTES, sequence: 0xffffffff, witness: [] }];
  return makeTransaction({ version: 4, vin, vout: [{ value: 0n, scriptPubKey: data, tokenId: 0 }], lockTime: n }, params.txFormat);
}

/** Milliseconds that the DeFi state takes for a block of swaps, undo data included. */
function execute(store: MemoryStore, transactions: readonly Transaction[]): number {
  const view = new Overlay(store);
  const block = { ...params.genesis, transactions };
  const start = performance.now();
  const context = { height: HEIGHT, time: block.header.time, params, view, coin: () => undefined, blockTime: () => 0 };
  const execution = new DefiExecution(block, context, { keepsHistory: true });
  for (const [n, tx] of transactions.entries()) {
    const spent = [{ out: { value: COIN, scriptPubKey: owner(n), tokenId: 0 }, height: 1, coinbase: false }];
    const failure = execution.transaction({ tx, txIndex: n + 1, spent });
    if (failure) throw new Error(failure);
  }
  execution.finish();
  view.undo();
  view.changes();
  const took = performance.now() - start;
  const pool = poolOf(view, 200);
  if (!pool || pool.reserveB === 1_000_000n * COIN) throw new Error('there was no swap');
  return took;
}

/** Milliseconds for as many signature checks on one core. */
function signatures(): number {
  const secret = new Uint8Array(32).fill(5);
  const key = publicKeyOf(secret);
  const signed = Array.from({ length: SWAPS }, (_, n) => {
    const hash = createHash('sha256').update(String(n)).digest();
    return { hash, signature: signLowR(hash, secret) };
  });
  const start = performance.now();
  for (const { hash, signature } of signed) if (!verify(key, signature, hash)) throw new Error('a good signature is refused');
  return performance.now() - start;
}

export function run(): void {
  const store = market();
  const transactions = Array.from({ length: SWAPS }, (_, n) => swapOf(n));
  const fastest = (work: () => number) => Math.min(...Array.from({ length: ROUNDS }, work));
  const floor = fastest(signatures);
  const ours = fastest(() => execute(store, transactions));
  const ratio = ((ours + floor) / floor).toFixed(2);
  console.log(
    `pools: ${SWAPS} swaps in a block: ${ours.toFixed(1)} ms beside ${floor.toFixed(1)} ms of signature checks, together ${ratio} times those (at most 5)`,
  );
}
