import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { attributes } from '../../../../src/dfi/attributes/attributes.js';
import { attributeAt } from '../../../../src/dfi/attributes/path.js';
import { TokenSplits } from '../../../../src/dfi/evm/token-split.js';
import { transferStats } from '../../../../src/dfi/evm/transfer-stats.js';
import { type SplitRecord, splitRecords } from '../../../../src/dfi/splits/columns.js';
import { getToken, putToken, type Token } from '../../../../src/dfi/tokens/columns.js';
import { createNativeToken } from '../../../../src/dfi/tokens/genesis.js';
import { RESTARTED_TOKENS, setLockRatio } from '../../../../src/dfi/tokens/lock-columns.js';
import { NO_CODE } from '../../../../src/evm/code.js';
import { tokenAddress } from '../../../../src/evm/contracts/addresses.js';
import { mappingSlot } from '../../../../src/evm/contracts/slots.js';
import { Failure } from '../../../../src/evm/failure.js';
import type { Precompile } from '../../../../src/evm/machine.js';
import { type StateBelow, TransactionState } from '../../../../src/evm/state/transaction-state.js';
import { readWord, wordBytes } from '../../../../src/evm/words.js';
import { MemoryStore } from '../../../../src/storage/memory.js';
import { Overlay } from '../../../../src/storage/overlay.js';
import { concatBytes } from '../../../../src/util/bytes.js';

const SATOSHI = 10n ** 10n;
const COIN = 100_000_000n;
const [OLD, NEW, NEWEST] = [1, 2, 3];
const SPLIT = 10n;
const empty: StateBelow = { account: () => undefined, code: () => NO_CODE, storage: () => 0n };

/** State before a block, in which OLD was split into NEW, and the state with its transactions. */
function splitState(record: Partial<SplitRecord> = {}) {
  const before = new Overlay(new MemoryStore());
  createNativeToken(before);
  for (const id of [OLD, NEW, NEWEST]) addToken(before, id);
  before.put(splitRecords, OLD, { newId: NEW, multiplier: 3n, isFraction: false, ...record });
  const view = new Overlay(before);
  const splits = new TokenSplits(before, view);
  const state = new TransactionState(empty);
  return { before, view, splits, state };
}

function addToken(view: Overlay, id: number): void {
  const native = getToken(view, 0) as Token;
  putToken(view, id, { ...native, symbol: `T${id}`, creationTx: Buffer.alloc(32, id) });
}

type SplitState = ReturnType<typeof splitState>;

function precompileOf({ splits }: SplitState, caller = tokenAddress(OLD)): Precompile | undefined {
  return splits.findPrecompile(SPLIT, { caller, address: SPLIT });
}

interface Given {
  readonly contract?: bigint;
  readonly wei?: bigint;
  readonly input?: Uint8Array;
}

/** Splits an amount. @returns contract and amount after it, or the text of the failure */
function run(at: SplitState, { contract = tokenAddress(OLD), wei = 5n * SATOSHI, input }: Given = {}) {
  const data = input ?? concatBytes(wordBytes(7n), wordBytes(contract), wordBytes(wei));
  try {
    const output = (precompileOf(at) as Precompile).run(data, { state: at.state, caller: tokenAddress(OLD), address: SPLIT });
    return [readWord(output, 0), readWord(output, 32)];
  } catch (error) {
    if (error instanceof Failure) return error.kind;
    throw error;
  }
}

const FAILED = 'Other("Failed to split tokens")';
const mintedOf = (view: Overlay, id = NEW) => getToken(view, id)?.minted;
const stored = ({ state }: SplitState, slot: bigint, id = NEW) => state.storage(tokenAddress(id), slot);

describe('precompile 0x0a', () => {
  test('exists for contracts of tokens with ids of two bytes', () => {
    const at = splitState();
    for (const id of [0, OLD, 0xffff]) assert.equal(precompileOf(at, tokenAddress(id))?.cost(new Uint8Array(0)), 1000);
    for (const caller of [0n, tokenAddress(0) - 1n, tokenAddress(0x10000), 0xdfn << 152n])
      assert.equal(precompileOf(at, caller), undefined);
  });

  test('converts the amount, mints it and credits the old contract in the new one', () => {
    const at = splitState();
    assert.deepEqual(run(at), [tokenAddress(NEW), 15n * SATOSHI]);
    assert.equal(mintedOf(at.view), 15n);
    const contract = tokenAddress(OLD);
    for (const slot of [mappingSlot(0n, contract), mappingSlot(1n, contract), 2n]) assert.equal(stored(at, slot), 15n * SATOSHI);
    const { evmOut, evmCurrent, evmDvmTotal, dvmIn, dvmCurrent, dvmEvmTotal, dvmOut, evmIn } = transferStats(at.view);
    const [old, after] = [
      { tokenId: OLD, amount: 5n },
      { tokenId: NEW, amount: 15n },
    ];
    for (const total of [evmOut, evmDvmTotal, dvmIn]) assert.deepEqual(total, [old]);
    for (const total of [evmIn, dvmEvmTotal, dvmOut]) assert.deepEqual(total, [after]);
    assert.deepEqual(dvmCurrent, [old, { ...after, amount: -15n }]);
    assert.deepEqual(evmCurrent, [{ ...old, amount: -5n }, after]);
    assert.equal(mintedOf(at.before), 0n);
  });

  test('does not touch the new contract', () => {
    const at = splitState();
    run(at);
    assert.deepEqual(
      at.state.changes().accounts.map(({ address, storage, code }) => [address, storage.length, code]),
      [[tokenAddress(NEW), 3, undefined]],
    );
  });

  const multipliers: readonly (readonly [SplitRecord['multiplier'], boolean, bigint, bigint])[] = [
    [3n, false, 7n, 21n],
    [-3n, false, 7n, 2n],
    [COIN / 2n, true, 7n, 3n],
    [-3n * COIN, true, 7n, 2n],
    [-8n, false, 7n, 0n],
  ];
  for (const [multiplier, isFraction, amount, expected] of multipliers)
    test(`by ${multiplier}${isFraction ? ' of 10^8' : ''}: ${amount} becomes ${expected}`, () => {
      const at = splitState({ multiplier, isFraction });
      assert.deepEqual(run(at, { wei: amount * SATOSHI + 9n }), [tokenAddress(NEW), expected * SATOSHI]);
      assert.equal(mintedOf(at.view), expected);
    });

  test('returns a token that was not split as it is, in whole satoshis', () => {
    const at = splitState();
    assert.deepEqual(run(at, { contract: tokenAddress(NEW), wei: 5n * SATOSHI + 1n }), [tokenAddress(NEW), 5n * SATOSHI]);
    assert.equal(mintedOf(at.view), 0n);
    assert.deepEqual(at.state.changes().accounts, []);
    assert.deepEqual(transferStats(at.view).dvmCurrent, []);
  });

  test('takes the id from the low 32 bits of the contract', () => {
    assert.deepEqual(run(splitState(), { contract: tokenAddress(OLD) + (5n << 32n) }), [tokenAddress(NEW), 15n * SATOSHI]);
    assert.deepEqual(run(splitState(), { contract: (0xdfn << 152n) + BigInt(OLD) }), [tokenAddress(NEW), 15n * SATOSHI]);
  });

  test('follows one split; a successor that was split again is not minted', () => {
    const at = splitState();
    at.before.put(splitRecords, NEW, { newId: NEWEST, multiplier: 2n, isFraction: false });
    assert.deepEqual(run(at), [tokenAddress(NEW), 15n * SATOSHI]);
    assert.deepEqual([mintedOf(at.view), mintedOf(at.view, NEWEST)], [0n, 0n]);
    assert.equal(transferStats(at.view).evmIn.length, 1);
  });

  test('refuses no amount, unknown tokens, and input that is too short', () => {
    const at = splitState();
    assert.equal(run(at, { wei: SATOSHI - 1n }), FAILED);
    assert.equal(run(at, { contract: tokenAddress(99) }), FAILED);
    assert.equal(run(at, { input: new Uint8Array(95) }), 'Other("Invalid data")');
    assert.deepEqual(run(at, { input: concatBytes(wordBytes(7n), wordBytes(tokenAddress(OLD)), wordBytes(SATOSHI), wordBytes(1n)) }), [
      tokenAddress(NEW),
      3n * SATOSHI,
    ]);
  });

  test('refuses more than all DFI, and contracts below those of the network', () => {
    const supply = 1_200_000_000n * COIN * SATOSHI;
    const at = splitState({ multiplier: -1n });
    assert.deepEqual(run(at, { wei: supply }), [tokenAddress(NEW), supply]);
    assert.equal(run(at, { wei: supply + 1n }), 'Other("Failed to convert amount into Sats")');
    assert.equal(run(at, { contract: (0xdfn << 152n) - 1n }), 'Other("Failed to convert base amount into U256")');
  });

  test('refuses restarted tokens while a part is locked', () => {
    const at = splitState();
    at.before.put(attributes, RESTARTED_TOKENS, { kind: 'balances', value: [{ tokenId: OLD, amount: COIN }] });
    setLockRatio(at.before, 1n);
    assert.equal(run(at), FAILED);
    setLockRatio(at.before, 0n);
    assert.deepEqual(run(at), [tokenAddress(NEW), 15n * SATOSHI]);
  });

  test('refuses sums that exceed a word or the minted amount', () => {
    const at = splitState();
    at.state.setStorage(tokenAddress(NEW), 2n, (1n << 256n) - 15n * SATOSHI);
    assert.equal(run(at), 'Other("Error getting storage update")');
    const full = splitState();
    putToken(full.before, NEW, { ...(getToken(full.before, NEW) as Token), minted: 2n ** 63n - 15n });
    assert.equal(run(full), FAILED);
    assert.deepEqual(transferStats(full.view).evmIn, []);
  });
});

describe('precompile 0x0a in a block with other transactions', () => {
  const path = attributeAt('v0/token/1/dex_in_fee_pct');

  test('reads the state before the block', () => {
    const at = splitState();
    at.view.delete(splitRecords, OLD);
    setLockRatio(at.view, 1n);
    assert.deepEqual(run(at), [tokenAddress(NEW), 15n * SATOSHI]);
    addToken(at.view, 9);
    assert.equal(run(at, { contract: tokenAddress(9) }), FAILED);
  });

  test('loses its statistics if an attribute was written before', () => {
    const at = splitState();
    run(at);
    const changes = new Overlay(at.view);
    changes.put(attributes, path, { kind: 'amount', value: 1n });
    at.splits.noteWrites(changes);
    run(at);
    assert.equal(mintedOf(at.view), 30n);
    assert.deepEqual(transferStats(at.view).evmIn, [{ tokenId: NEW, amount: 15n }]);
  });

  test('loses its minted amount if the token was written before', () => {
    const at = splitState();
    const changes = new Overlay(at.view);
    putToken(changes, NEW, { ...(getToken(at.view, NEW) as Token), name: 'renamed' });
    at.splits.noteWrites(changes);
    changes.commit();
    run(at);
    assert.equal(mintedOf(at.view), 0n);
    assert.deepEqual(transferStats(at.view).evmIn, [{ tokenId: NEW, amount: 15n }]);
  });
});
