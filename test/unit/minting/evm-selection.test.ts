import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CarriedTransaction } from '../../../src/dfi/evm/carried.js';
import type { MempoolEntry } from '../../../src/mempool/entry.js';
import type { PooledEvm } from '../../../src/mempool/evm-tip.js';
import { type PackageTrial, type SelectionOptions, selectTransactions } from '../../../src/minting/selection.js';
import type { Transaction } from '../../../src/primitives/transaction.js';
import { randomNumbers } from '../../e2e/fixtures/reorg-chain.js';
import { legacy } from '../mempool/evm-transactions.js';
import { AT, MadeUpPool, OPTIONS, type Wish } from './pool-of.js';

function carried(sender: number, nonce: number, kind: CarriedTransaction['kind'] = 'transaction'): PooledEvm {
  return { kind, signed: { tx: legacy(nonce), sender: BigInt(sender), hash: new Uint8Array(32) }, tip: 0n, replacementTip: 0n };
}

/** A pool with EVM transactions, and a trial that accepts them by their nonces, except for those in `refused`. */
class EvmPool {
  readonly #made = new MadeUpPool();
  readonly #next = new Map<bigint, bigint>();
  readonly #evm = new Map<Transaction, PooledEvm>();
  readonly refused = new Set<Transaction>();

  readonly trial: PackageTrial = {
    accepts: (transactions) => {
      const before = new Map(this.#next);
      const pass = transactions.every((tx) => this.#accept(tx));
      if (!pass) for (const sender of this.#next.keys()) this.#next.set(sender, before.get(sender) ?? 0n);
      return pass;
    },
    nextNonce: (sender) => this.#next.get(sender) ?? 0n,
  };

  add(sender: number, nonce: number, wish: Wish = {}): MempoolEntry {
    const evm = wish.evm ?? carried(sender, nonce);
    const entry = this.#made.add({ fee: 0n, ...wish, evm });
    this.#evm.set(entry.tx, evm);
    return entry;
  }

  pay(wish: Wish): MempoolEntry {
    return this.#made.add(wish);
  }

  select(options: Partial<SelectionOptions> = {}): readonly MempoolEntry[] {
    return selectTransactions(this.#made.pool, { ...OPTIONS, ...options }, { ...AT, trial: this.trial }).entries;
  }

  #accept(tx: Transaction): boolean {
    const evm = this.#evm.get(tx);
    if (!evm) return true;
    const { sender } = evm.signed;
    const next = this.#next.get(sender) ?? 0n;
    if (this.refused.has(tx) || evm.signed.tx.nonce !== next) return false;
    this.#next.set(sender, next + 1n);
    return true;
  }
}

test('transactions of too high nonces are parked, and retried by nonce when the pool is exhausted', () => {
  const pool = new EvmPool();
  const [third, first, second, never] = [2, 0, 1, 4].map((nonce, i) => pool.add(1, nonce, { time: i })) as MempoolEntry[];
  const plain = pool.pay({ time: 9 });
  assert.deepEqual(pool.select({ order: 'time' }), [first, second, plain, third]);
  assert.ok(never);
});

test('by fee, EVM transactions come after those that pay in the DVM, by their ids', () => {
  const pool = new EvmPool();
  const own = [1, 2, 3].map((sender) => pool.add(sender, 0));
  const plain = pool.pay({ fee: 2_000n });
  const byId = own.toSorted((a, b) => (a.key < b.key ? -1 : 1));
  assert.deepEqual(pool.select({ minFeeRate: 1_000n }), [plain, ...byId]);
});

test('EVM transactions need no fee in the DVM, even behind one that pays too little', () => {
  const pool = new EvmPool();
  const cheap = pool.pay({ fee: 10n });
  const [later, own] = [pool.add(1, 1), pool.add(1, 0)];
  const chosen = new Set(pool.select({ minFeeRate: 1_000n }));
  assert.deepEqual([chosen, chosen.has(cheap)], [new Set([own, later]), false]);
});

test('a used nonce is left out, and so is what follows a refused one', () => {
  const pool = new EvmPool();
  const first = pool.add(1, 0, { time: 1 });
  const second = pool.add(1, 1, { time: 2 });
  pool.add(1, 0, { time: 3 });
  const third = pool.add(1, 2, { time: 4 });
  const other = pool.add(2, 0, { time: 5 });
  pool.refused.add(second.tx);
  assert.deepEqual(pool.select({ order: 'time' }), [first, other]);
  assert.ok(third);
});

test('a child of a parked transfer is selected after it', () => {
  const pool = new EvmPool();
  const transfer = pool.add(1, 1, { fee: 9_000n, evm: carried(1, 1, 'transfer') });
  const child = pool.pay({ fee: 8_000n, parents: [transfer] });
  const before = pool.add(1, 0);
  assert.deepEqual(pool.select(), [before, transfer, child]);
});

test('all transactions without a gap below them are selected, in the order of their nonces', () => {
  const random = randomNumbers(7);
  for (let run = 0; run < 60; run++) {
    const pool = new EvmPool();
    const nonces = new Map<number, Set<number>>();
    for (let i = 0; i < 40; i++) {
      const [sender, nonce] = [random(4), random(12)];
      const used = nonces.get(sender) ?? new Set();
      nonces.set(sender, used);
      if (used.has(nonce)) continue;
      used.add(nonce);
      const evm = carried(sender, nonce, random(3) === 0 ? 'transfer' : 'transaction');
      pool.add(sender, nonce, { time: random(5), fee: evm.kind === 'transfer' ? BigInt(1_000 + random(9_000)) : 0n, evm });
    }
    const chosen = pool.select({ order: run % 2 === 0 ? 'fee' : 'time' });
    for (const [sender, used] of nonces) {
      const own = chosen.filter(({ evm }) => evm?.signed.sender === BigInt(sender)).map(({ evm }) => Number(evm?.signed.tx.nonce));
      const expected: number[] = [];
      while (used.has(expected.length)) expected.push(expected.length);
      assert.deepEqual(own, expected, `run ${run}, sender ${sender}`);
    }
  }
});
