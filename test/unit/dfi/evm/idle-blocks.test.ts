import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { putEvmBlock } from '../../../../src/dfi/evm/blocks.js';
import { startEvmBlock } from '../../../../src/dfi/evm/evm-block.js';
import { restoreUndo } from '../../../../src/dfi/evm/format-upgrade.js';
import { dfiColumns } from '../../../../src/dfi/execution/all-columns.js';
import { INTRINSICS } from '../../../../src/evm/contracts/addresses.js';
import { addressBytes, wordBytes } from '../../../../src/evm/words.js';
import { encode } from '../../../../src/primitives/codec.js';
import { MemoryStore } from '../../../../src/storage/memory.js';
import { Overlay } from '../../../../src/storage/overlay.js';
import { toHex } from '../../../../src/util/bytes.js';
import { evmNodeParams } from '../../minting/evm-node.js';

/** A block of a random chain. */
interface Step {
  /** Changes before the block ends; `idle` has none. */
  readonly kind: 'idle' | 'credit' | 'empty' | 'rolled back' | 'counters';
  readonly beneficiary: bigint;
  /** Account that the changes concern. */
  readonly address: bigint;
  /** DVM blocks since the one before. */
  readonly gap: number;
  readonly isDisconnected: boolean;
}

/** EVM blocks on a store. */
class EvmChain {
  readonly store = new MemoryStore();
  #height = 0;

  /** @param isIdlePathUsed false to use the state of every block @returns hash of the block */
  connect({ kind, beneficiary, address, gap, isDisconnected }: Step, isIdlePathUsed: boolean): string {
    const overlay = new Overlay(this.store);
    const height = this.#height + gap;
    const site = { height, params: evmNodeParams, time: height, bits: 0x207fffff, beneficiary: addressBytes(beneficiary) };
    const block = startEvmBlock(overlay, { ...site, findPrecompile: () => undefined });
    if (!isIdlePathUsed) assert.ok(block.state);
    const before = block.checkpoint();
    if (kind === 'credit' || kind === 'rolled back') block.state.write(address, { basic: { nonce: 0n, balance: 5n } });
    if (kind === 'empty') block.state.write(address, { basic: { nonce: 0n, balance: 0n } });
    if (kind === 'counters') block.state.write(INTRINSICS, { storage: [[7n, 1n]] });
    if (kind === 'rolled back') block.rollback(before);
    const built = block.finish();
    putEvmBlock(overlay, built, { dvmHeight: height, dvmHash: wordBytes(BigInt(height)), txids: new Map() });
    const undo = overlay.undo();
    this.store.write(overlay.changes());
    if (!isDisconnected) this.#height = height;
    else {
      const restored = new Overlay(this.store);
      restoreUndo(restored, undo);
      this.store.write(restored.changes());
    }
    return toHex(built.hash);
  }

  rows(): string[] {
    return dfiColumns.flatMap((column) =>
      [...this.store.entries(column)].map(
        ([key, value]) => `${column.name} ${toHex(encode(column.key, key))} ${toHex(encode(column.value, value))}`,
      ),
    );
  }
}

const address = fc.constantFrom(0x5000n, 0x5001n, 0x5002n, INTRINSICS);
const kind: fc.Arbitrary<Step['kind']> = fc.oneof(
  { arbitrary: fc.constant('idle' as const), weight: 8 },
  { arbitrary: fc.constantFrom('credit' as const, 'empty' as const, 'rolled back' as const), weight: 4 },
  { arbitrary: fc.constant('counters' as const), weight: 3 },
);
const step: fc.Arbitrary<Step> = fc.record({
  kind,
  beneficiary: address,
  address,
  gap: fc.integer({ min: 1, max: 300 }),
  isDisconnected: fc.constantFrom(false, false, true),
});

test('a block without transactions is the same whether its state was used or not', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const [short, long] = [new EvmChain(), new EvmChain()];
      const first: Step = { kind: 'idle', beneficiary: 0x5000n, address: 0x5000n, gap: 1, isDisconnected: false };
      for (const each of [first, ...steps]) assert.equal(short.connect(each, true), long.connect(each, false));
      assert.deepEqual(short.rows(), long.rows());
    }),
    { numRuns: 20 },
  );
});
