import assert from 'node:assert/strict';
import { BlockIndexEntry } from '../../../src/chain/block-index.js';
import type { DefinedTx } from '../../../src/dfi/context/custom-tx.js';
import { setLoanToken } from '../../../src/dfi/loan-tokens/transactions.js';
import type { PricePair } from '../../../src/dfi/oracles/columns.js';
import { pricePair } from '../../../src/dfi/oracles/columns.js';
import {
  appointOracle,
  type PriceReport,
  removeOracle,
  setOracleData,
  termFields,
  updateOracle,
} from '../../../src/dfi/oracles/transactions.js';
import type { AppliedCustomTx, IndexedBlock } from '../../../src/ocean/index/indexed-block.js';
import { addPriceRows, priceColumns } from '../../../src/ocean/index/price-rows.js';
import type { OceanModules } from '../../../src/ocean/modules.js';
import { networkParams } from '../../../src/params/index.js';
import { COIN } from '../../../src/primitives/amount.js';
import { encode, list, struct } from '../../../src/primitives/codec.js';
import type { Hash256 } from '../../../src/primitives/hash.js';
import { hash256 } from '../../../src/primitives/hash.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { Overlay } from '../../../src/storage/overlay.js';
import type { StateView, UndoLog } from '../../../src/storage/view.js';
import { toHex } from '../../../src/util/bytes.js';

export const TIME = 1_700_000_000;
/** Script of the address that owns the oracles. */
export const OWNER = Uint8Array.of(0, 20, ...new Uint8Array(20).fill(17));

/** Hash that is `byte` 32 times, so that it is the same in both orders. */
function hashOfByte(byte: number): Hash256 {
  return new Uint8Array(32).fill(byte);
}

/** `token-currency`. */
export function pair(name: string): PricePair {
  const [token = '', currency = ''] = name.split('-');
  return { token, currency };
}

/** Custom transaction whose id is `txid` 32 times. */
type SceneTx = Pick<AppliedCustomTx, 'type' | 'body'> & { readonly txid: number };

function txOf<Body>(txid: number, { type, codec }: Pick<DefinedTx<Body>, 'type' | 'codec'>, body: Body): SceneTx {
  assert.ok(codec);
  return { txid, type, body: encode(codec, body) };
}

const sent = termFields(list(pricePair));

/** Appointment of the oracle whose id is `txid` 32 times. The pairs are sent in the given order. */
export function appoint(txid: number, weight: number, ...pairs: readonly string[]): SceneTx {
  return txOf(txid, { type: appointOracle.type, codec: struct(sent) }, { address: OWNER, weight, pairs: pairs.map(pair) });
}

export function update(txid: number, oracle: number, weight: number, ...pairs: readonly string[]): SceneTx {
  const terms = { oracleId: hashOfByte(oracle), address: OWNER, weight, pairs: pairs.map(pair) };
  return txOf(txid, { type: updateOracle.type, codec: struct({ oracleId: hash256, ...sent }) }, terms);
}

export function remove(txid: number, oracle: number): SceneTx {
  return txOf(txid, removeOracle, { oracleId: hashOfByte(oracle) });
}

/** Report of prices in hundredths by pair. */
export function report(txid: number, oracle: number, timestamp: number, prices: Readonly<Record<string, number>>): SceneTx {
  const reported = Object.entries(prices).map(([name, price]): PriceReport => ({ ...pair(name), price: (BigInt(price) * COIN) / 100n }));
  return txOf(txid, setOracleData, { oracleId: hashOfByte(oracle), timestamp: BigInt(timestamp), prices: reported });
}

export function loanToken(txid: number, name: string): SceneTx {
  return txOf(txid, setLoanToken, { symbol: 'X', name: 'X', pair: pair(name), mintable: true, interest: 0n });
}

/** A chain of regtest whose oracles and prices are indexed. */
export class PriceScene {
  readonly #params = networkParams({ network: 'regtest' });
  readonly #entries: BlockIndexEntry[] = [];
  /** Rows as they are stored: what is read was encoded before. */
  readonly #store = new MemoryStore();
  readonly #undos: { readonly log: UndoLog; readonly before: readonly string[] }[] = [];

  get view(): StateView {
    return this.#store;
  }

  /** Adds a block with that time. @returns its height */
  add(time: number, ...txs: readonly SceneTx[]): number {
    const height = this.#entries.length;
    const entry = new BlockIndexEntry(hashOfByte(height % 256), { version: 1, time, bits: 0x207fffff }, this.#entries.at(-1), this.#params);
    this.#entries.push(entry);
    const customTxs = txs.map(({ txid, type, body }, txno) => ({ tx: { txid: hashOfByte(txid) }, txno, type, body }));
    const changes = new Overlay(this.#store);
    addPriceRows(changes, { entry, customTxs, params: this.#params } as unknown as IndexedBlock);
    this.#undos.push({ log: changes.undo(), before: this.rows() });
    this.#store.writeRows(changes.rowChanges());
    return height;
  }

  /** Adds empty blocks up to a height, excluded, each a second later. */
  fill(height: number, time: number): void {
    for (let at = time; this.#entries.length < height; at += 1) this.add(at);
  }

  /** Takes the last block back and checks that the rows are those before it. */
  undoLast(): void {
    const undo = this.#undos.pop();
    assert.ok(undo);
    this.#entries.pop();
    const restored = new Overlay(this.#store);
    restored.restore(undo.log);
    this.#store.writeRows(restored.rowChanges());
    assert.deepEqual(this.rows(), undo.before);
  }

  /** Takes all blocks back, each with that check. */
  takeAllBack(): void {
    while (this.#undos.length > 0) this.undoLast();
    assert.deepEqual(this.rows(), []);
  }

  /** All rows of the index. */
  rows(): readonly string[] {
    return priceColumns.flatMap((column) =>
      [...this.#store.rows(column)].map(([key, value]) => `${column.name} ${toHex(Buffer.from(key, 'latin1'))} ${toHex(value)}`),
    );
  }

  /** Modules for requests about the chain. */
  get modules(): Pick<OceanModules, 'rows' | 'chain'> {
    const chain = { params: this.#params, entryAt: (height: number) => this.#entries[height] };
    return { rows: { view: this.#store, position: this.#entries.at(-1) }, chain: chain as unknown as OceanModules['chain'] };
  }
}
