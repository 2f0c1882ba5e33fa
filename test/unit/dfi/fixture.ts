import { Accounts, balanceOf } from '../../../src/dfi/accounts/columns.js';
import { attributes } from '../../../src/dfi/attributes/attributes.js';
import { attributeAt } from '../../../src/dfi/attributes/path.js';
import type { AttributeValue } from '../../../src/dfi/attributes/value.js';
import type { BlockEvent } from '../../../src/dfi/context/block-event.js';
import type { DefinedTx } from '../../../src/dfi/context/custom-tx.js';
import { BlockHistory } from '../../../src/dfi/context/history.js';
import { applyCustomTx, type CustomTxOutcome, type ExecutionBlock } from '../../../src/dfi/execution/apply.js';
import type { BlockContext } from '../../../src/dfi/kernel/block-context.js';
import { createNativeToken } from '../../../src/dfi/tokens/genesis.js';
import { networkParams } from '../../../src/params/index.js';
import type { NetworkParams } from '../../../src/params/network.js';
import type { HeightOverrides } from '../../../src/params/upgrade-heights.js';
import { encode } from '../../../src/primitives/codec.js';
import type { OutPoint } from '../../../src/primitives/outpoint.js';
import { makeTransaction, type Transaction, type TxOut } from '../../../src/primitives/transaction.js';
import { Op } from '../../../src/script/opcodes.js';
import { buildScript } from '../../../src/script/script.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { Overlay } from '../../../src/storage/overlay.js';
import { concatBytes, EMPTY_BYTES, toHex } from '../../../src/util/bytes.js';

/** P2WPKH script of a made-up key. */
export function script(n: number): Uint8Array {
  return buildScript(Op.ZERO, new Uint8Array(20).fill(n));
}

/** P2PKH script of a made-up key. */
export function legacyScript(n: number): Uint8Array {
  return buildScript(Op.DUP, Op.HASH160, new Uint8Array(20).fill(n), Op.EQUALVERIFY, Op.CHECKSIG);
}

/** `OP_RETURN` output script with a custom transaction of this type byte. */
export function dataScript(type: string, body: Uint8Array): Uint8Array {
  return buildScript(Op.RETURN, concatBytes(Buffer.from(`DfTx${type}`, 'latin1'), body));
}

/** Output in DFI. */
export function dfi(value: bigint, scriptPubKey: Uint8Array): TxOut {
  return { value, scriptPubKey, tokenId: 0 };
}

/** Overrides for a transaction. */
export interface Sent {
  /** Output scripts that the transaction spends. */
  readonly from?: readonly Uint8Array[];
  /** Value of the data output. */
  readonly value?: bigint;
  readonly outputs?: readonly TxOut[];
  /** Further outputs that the transaction spends. */
  readonly spends?: readonly OutPoint[];
  readonly height?: number;
}

/** Regtest with every upgrade active from the start, except those given. */
export function heights(given: HeightOverrides = {}): NetworkParams {
  return networkParams({ network: 'regtest', upgradeHeights: given });
}

/** Heights with all upgrades up to and including Grand Central at 0. */
export const GRAND_CENTRAL: HeightOverrides = {
  amk: 0,
  bayfront: 0,
  bayfrontMarina: 0,
  bayfrontGardens: 0,
  clarkeQuay: 0,
  dakota: 0,
  dakotaCrescent: 0,
  eunos: 0,
  eunosPaya: 0,
  fortCanning: 0,
  fortCanningMuseum: 0,
  fortCanningPark: 0,
  fortCanningHill: 0,
  fortCanningRoad: 0,
  fortCanningCrunch: 0,
  fortCanningSpring: 0,
  fortCanningGreatWorld: 0,
  fortCanningEpilogue: 0,
  grandCentral: 0,
};

/** State to which custom transactions are applied one by one, without blocks. */
export class DfiFixture {
  view = new Overlay(new MemoryStore());
  /** Stage of transactions and EVM block under construction. */
  evm: Partial<Pick<ExecutionBlock, 'evmStage' | 'evmBlock'>> = {};
  readonly history: BlockHistory;
  readonly #coins = new Map<string, TxOut>();
  #next = 1;
  #txn = 1;

  constructor(
    readonly params: NetworkParams,
    readonly height = 100,
  ) {
    createNativeToken(this.view);
    this.history = new BlockHistory(height, params, true, true);
  }

  /** Adds an unspent output. */
  coin(point: OutPoint, out: TxOut): void {
    this.#coins.set(`${toHex(point.txid)}${point.vout}`, out);
  }

  give(owner: Uint8Array, tokenId: number, amount: bigint): void {
    new Accounts(this.view).add(owner, { tokenId, amount });
  }

  balance(owner: Uint8Array, tokenId = 0): bigint {
    return balanceOf(this.view, owner, tokenId);
  }

  transaction(data: Uint8Array, { from = [script(1)], value = 0n, outputs = [], spends = [] }: Sent = {}): Transaction {
    const made = from.map((scriptPubKey) => {
      const prevout = { txid: Buffer.alloc(32, this.#next++), vout: 0 };
      this.coin(prevout, dfi(1n, scriptPubKey));
      return prevout;
    });
    const vin = [...made, ...spends].map((prevout) => ({ prevout, scriptSig: EMPTY_BYTES, sequence: 0xffffffff, witness: [] }));
    return makeTransaction({ version: 4, vin, vout: [dfi(value, data), ...outputs], lockTime: this.#next++ }, this.params.txFormat);
  }

  /** Applies a transaction and commits its effects; its outputs become coins. */
  apply(tx: Transaction, height = this.height): CustomTxOutcome {
    const spent = tx.vin.map(({ prevout }) => ({ out: this.#find(prevout) ?? dfi(0n, EMPTY_BYTES), height: 1, coinbase: false }));
    const outcome = applyCustomTx({ tx, txIndex: this.#txn++, spent }, { ...this.#block(height), ...this.evm }, this.view);
    if (outcome.status === 'applied') {
      outcome.effects.overlay.commit();
      outcome.effects.record(this.history);
      tx.vout.forEach((out, vout) => {
        this.coin({ txid: tx.txid, vout }, out);
      });
    }
    return outcome;
  }

  /** Custom transaction that is not applied yet. */
  made<Body>(definition: DefinedTx<Body>, body: Body, sent: Sent = {}): Transaction {
    const bytes = definition.codec ? encode(definition.codec, body) : EMPTY_BYTES;
    return this.transaction(dataScript(definition.type, bytes), sent);
  }

  send<Body>(definition: DefinedTx<Body>, body: Body, sent: Sent = {}): CustomTxOutcome {
    return this.apply(this.made(definition, body, sent), sent.height);
  }

  /** Applies a custom transaction. @returns its error text, or undefined */
  failure<Body>(definition: DefinedTx<Body>, body: Body, sent: Sent = {}): string | undefined {
    const outcome = this.send(definition, body, sent);
    return outcome.status === 'failed' ? outcome.message : undefined;
  }

  /** Continues in a new overlay, as a block does. @returns function that commits it, then restores the state by its undo record */
  branch(): () => void {
    const below = this.view;
    this.view = new Overlay(below);
    return () => {
      const log = this.view.undo();
      this.view.commit();
      this.view = below;
      below.restore(log);
    };
  }

  attribute(path: string, value: AttributeValue): void {
    this.view.put(attributes, attributeAt(path), value);
  }

  /** Enables updates of masternodes. */
  allowMasternodeUpdates(): void {
    for (const what of ['owner', 'operator', 'reward']) {
      this.attribute(`v0/params/feature/mn-set${what}address`, { kind: 'bool', value: true });
    }
  }

  /** Runs an event as at the end of an empty block. */
  runEvent(event: BlockEvent, height: number, transactions: readonly Transaction[] = []): void {
    const block = { blockHash: Buffer.alloc(32, height), transactions, history: this.history, splits: [] };
    const context = { ...this.#block(height), ...this.evm, ...block };
    if (event.isDue(context)) event.run(context);
  }

  #block(height: number): BlockContext {
    return {
      view: this.view,
      height,
      time: 1_600_000_000 + height,
      params: this.params,
      coin: (point) => this.#find(point),
      blockTime: (at) => (at < height ? 1_600_000_000 + at : undefined),
    };
  }

  #find({ txid, vout }: OutPoint): TxOut | undefined {
    return this.#coins.get(`${toHex(txid)}${vout}`);
  }
}
