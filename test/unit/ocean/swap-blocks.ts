import assert from 'node:assert/strict';
import type { DefinedTx } from '../../../src/dfi/context/custom-tx.js';
import { putNewPool } from '../../../src/dfi/pools/columns.js';
import type { Swap } from '../../../src/dfi/pools/swap.js';
import { compositeSwap, poolSwap } from '../../../src/dfi/pools/swap-transactions.js';
import type { AppliedCustomTx, IndexedBlock } from '../../../src/ocean/index/indexed-block.js';
import { encode } from '../../../src/primitives/codec.js';
import { NULL_HASH } from '../../../src/primitives/hash.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { Overlay } from '../../../src/storage/overlay.js';
import type { StateView } from '../../../src/storage/view.js';
import { fromHex } from '../../../src/util/bytes.js';

/** Median time in the second hour of the second day. */
export const TIME = 86_400 + 3_600 + 5;

const MAX_PRICE = { integer: 0n, fraction: 0n };
/** P2WPKH scripts and their addresses on regtest. */
const ALICE = fromHex(`0014${'11'.repeat(20)}`);
export const BOB = fromHex(`0014${'22'.repeat(20)}`);
export const ALICE_ADDRESS = 'bcrt1qzyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3lgth6c';
/** Script that has no address. */
export const ODD = fromHex('51');

/** State with A-DFI as pool 2, USDT-DFI as pool 4, and DFI-DUSD as pool 6. */
function stateOfPools(): StateView {
  const state = new Overlay(new MemoryStore());
  const terms = { commission: 0n, owner: ALICE, status: true, creationTx: NULL_HASH, creationHeight: 50, rewards: [] };
  putNewPool(state, 2, { tokenA: 1, tokenB: 0, ...terms });
  putNewPool(state, 4, { tokenA: 3, tokenB: 0, ...terms });
  putNewPool(state, 6, { tokenA: 0, tokenB: 5, ...terms });
  return state;
}
const state = stateOfPools();

function txid(txno: number): Uint8Array {
  return new Uint8Array(32).fill(txno);
}

/** Swap of 25 A to DFI by one owner, unless said otherwise; with a path a composite one. */
export function swapTx(txno: number, swap: Partial<Swap>, path?: readonly number[]): AppliedCustomTx {
  const whole = { from: ALICE, tokenFrom: 1, amountFrom: 25_00000000n, to: ALICE, tokenTo: 0, maxPrice: MAX_PRICE, ...swap };
  const body = path ? bodyOf(compositeSwap, { ...whole, path }) : bodyOf(poolSwap, whole);
  return { tx: { txid: txid(txno) }, txno, type: path ? 'i' : 's', body } as unknown as AppliedCustomTx;
}

function bodyOf<Body>({ codec }: DefinedTx<Body>, body: Body): Uint8Array {
  assert.ok(codec);
  return encode(codec, body);
}

/** Block at a height; its median time and that of the block before it are seconds. */
export function blockAt(height: number, time: number, before: number | undefined, ...customTxs: AppliedCustomTx[]): IndexedBlock {
  const parent = before === undefined ? undefined : { medianTimePast: () => before };
  return { entry: { height, medianTimePast: () => time, parent }, state, customTxs } as unknown as IndexedBlock;
}
