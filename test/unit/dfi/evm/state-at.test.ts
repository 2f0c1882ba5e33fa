import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evmTips } from '../../../../src/dfi/evm/block-columns.js';
import { evmHistoryColumns } from '../../../../src/dfi/evm/history-columns.js';
import { StateAt } from '../../../../src/dfi/evm/state-at.js';
import { ViewState } from '../../../../src/dfi/evm/view-state.js';
import { Code } from '../../../../src/evm/code.js';
import { BlockState } from '../../../../src/evm/state/block-state.js';
import { commitBlock } from '../../../../src/evm/state/commit.js';
import type { StateBelow } from '../../../../src/evm/state/transaction-state.js';
import { MemoryStore } from '../../../../src/storage/memory.js';
import { Overlay } from '../../../../src/storage/overlay.js';
import type { UndoLog } from '../../../../src/storage/view.js';
import { toHex } from '../../../../src/util/bytes.js';

const ADDRESSES = [0x1n, 0x2n, 0xff00n, 0xff01n, (1n << 160n) - 1n];
const SLOTS = [0n, 1n, (1n << 256n) - 1n];

/** Repeatable numbers from 0 to below `limit`. */
function random(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

/** Everything that a state answers about the addresses and slots. The storage root of an earlier account may be a later one. */
function answersOf(state: StateBelow): unknown {
  return ADDRESSES.map((address) => {
    const account = state.account(address);
    const parts = account && [account.nonce, account.balance, toHex(account.codeHash)];
    return [parts, toHex(state.code(address).bytes), SLOTS.map((slot) => state.storage(address, slot))];
  });
}

/** Changes a few accounts at random: writes, creations with a reset of the storage, and removals at the end of the block. */
function changeAtRandom(block: BlockState, pick: (limit: number) => number): void {
  for (let i = pick(5); i > 0; i--) {
    const address = ADDRESSES[pick(ADDRESSES.length)] as bigint;
    const storage = SLOTS.slice(0, pick(SLOTS.length + 1)).map((slot) => [slot, BigInt(pick(3))] as const);
    const basic = { nonce: BigInt(pick(3)), balance: BigInt(pick(3)) };
    const code = pick(3) === 0 ? new Code(Uint8Array.of(pick(3))) : undefined;
    block.write(address, { basic, code, storage, reset: pick(4) === 0 });
    if (pick(6) === 0) block.apply({ accounts: [], deleted: [address] });
  }
}

for (let seed = 1; seed <= 20; seed++)
  test(`earlier states after random blocks and disconnects, seed ${seed}`, () => {
    const pick = random(seed);
    const store = new MemoryStore();
    const undo: UndoLog[] = [];
    const expected: unknown[] = [];
    const connect = () => {
      const number = undo.length;
      const overlay = new Overlay(store);
      const state = new ViewState(overlay, number);
      const block = new BlockState(state);
      changeAtRandom(block, pick);
      commitBlock(block, state);
      overlay.put(evmTips, 0, { number, hash: new Uint8Array(32) });
      undo.push(overlay.undo());
      store.write(overlay.changes());
      expected.push(answersOf(state));
    };
    const checkAll = () =>
      expected.forEach((answers, number) => void assert.deepEqual(answersOf(new StateAt({ state: store }, number)), answers));
    for (let round = 0; round < 6; round++) {
      for (let i = 1 + pick(12); i > 0; i--) connect();
      checkAll();
      for (let i = pick(undo.length); i > 0; i--) {
        store.write(undo.pop() as UndoLog);
        expected.pop();
      }
      checkAll();
    }
    while (undo.length > 0) store.write(undo.pop() as UndoLog);
    for (const column of evmHistoryColumns) assert.deepEqual([...store.entries(column)], []);
  });
