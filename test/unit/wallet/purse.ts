import { join } from 'node:path';
import { sha256 } from '../../../src/crypto/hash.js';
import type { OutPoint } from '../../../src/primitives/outpoint.js';
import { makeTransaction, type Transaction, type TxOut } from '../../../src/primitives/transaction.js';
import { scriptOf } from '../../../src/script/address.js';
import { EMPTY_BYTES } from '../../../src/util/bytes.js';
import type { WalletSettings } from '../../../src/wallet/options.js';
import { Wallet } from '../../../src/wallet/wallet.js';
import { ModelChain, ModelMempool, modelDeps } from './model-node.js';

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
}

/** An output of DFI. @param value satoshis */
export const dfi = (value: bigint, scriptPubKey: Uint8Array): TxOut => ({ value, scriptPubKey, tokenId: 0 });
