import { join } from 'node:path';
import { sha256 } from '../../../src/crypto/hash.js';
import type { OutPoint } from '../../../src/primitives/outpoint.js';
import { makeTransaction, type Transaction, type TxOut } from '../../../src/primitives/transaction.js';
import { scriptOf } from '../../../src/script/address.js';
import { Op } from '../../../src/script/opcodes.js';
import { buildScript } from '../../../src/script/script.js';
import { EMPTY_BYTES } from '../../../src/util/bytes.js';
import type { WalletSettings } from '../../../src/wallet/options.js';
import { Wallet } from '../../../src/wallet/wallet.js';
import { ModelChain, ModelMempool, modelDeps } from './model-node.js';

/** Script that no wallet has the key of; tests may watch it. */
export const watched = buildScript(Op.ZERO, new Uint8Array(20).fill(3));
/** Script of others. */
export const elsewhere = buildScript(Op.ZERO, new Uint8Array(20).fill(4));
/** An output of a transaction that the wallet does not know. */
export const foreign = (n: number): OutPoint => ({ txid: sha256(Uint8Array.of(n, 77)), vout: 0 });

/** Satoshis of a coin of a used address, and of one of a fresh one. */
type Pair = readonly [used: bigint, fresh: bigint];

const MAX_FEE = 10_000_000_000n;
let made = 0;

/** A wallet over models of the chain and the mempool. */
export class Purse {
  private constructor(
    readonly wallet: Wallet,
    readonly chain: ModelChain,
    readonly mempool: ModelMempool,
  ) {}

  /** @param directory folder for the files of wallets */
  static async open(directory: string, settings: Partial<WalletSettings> = {}, avoidReuse = false): Promise<Purse> {
    const chain = new ModelChain();
    const mempool = new ModelMempool();
    const name = String(++made);
    const kind = { disablePrivateKeys: false, blank: false, avoidReuse, passphrase: undefined };
    const deps = modelDeps(chain, mempool, { keypoolSize: 2, maxFee: MAX_FEE, ...settings });
    const wallet = await Wallet.create(name, join(directory, name), kind, deps);
    await wallet.start();
    return new Purse(wallet, chain, mempool);
  }

  address(type: 'legacy' | 'bech32'): Uint8Array {
    return scriptOf(this.wallet.newAddress('', type));
  }

  /** A transaction that spends one output. */
  transaction(vout: readonly TxOut[], spent?: OutPoint): Transaction {
    const prevout = spent ?? { txid: sha256(Uint8Array.of(made, this.chain.tip.height)), vout: 0 };
    const vin = [{ prevout, scriptSig: EMPTY_BYTES, sequence: 0, witness: [] }];
    return makeTransaction({ version: 4, vin, vout, lockTime: 0 }, this.chain.params.txFormat);
  }

  /** Connects a block with a transaction that pays the outputs, and others up to `confirmations`. */
  receive(vout: readonly TxOut[], confirmations = 6, spent?: OutPoint): Transaction {
    const tx = this.transaction(vout, spent);
    this.chain.connect([tx]);
    for (let n = 1; n < confirmations; n++) this.chain.connect([]);
    return tx;
  }

  /** Spends from an address, which then has a confirmed and a pending coin, as a fresh address has. */
  reuse(used: Uint8Array, confirmed: Pair, pending: Pair): void {
    const fresh = this.address('bech32');
    const coins = ([first, second]: Pair): readonly TxOut[] => [dfi(first, used), dfi(second, fresh)];
    const { txid } = this.receive([dfi(100n, used)], 1);
    this.receive(coins(confirmed), 1, foreign(3));
    this.chain.connect([this.transaction([dfi(90n, elsewhere)], { txid, vout: 0 })]);
    this.mempool.accept(this.transaction(coins(pending), foreign(4)));
  }
}

/** An output of DFI. @param value satoshis */
export const dfi = (value: bigint, scriptPubKey: Uint8Array): TxOut => ({ value, scriptPubKey, tokenId: 0 });
