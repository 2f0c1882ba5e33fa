import type { OwnHash } from '../../../src/bitcoin/own-hashes.js';
import { BITCOIN_FORMAT, RegtestBitcoin } from '../../../src/bitcoin/regtest-bitcoin.js';
import { BitcoinWallet } from '../../../src/bitcoin/wallet.js';
import type { OutPoint } from '../../../src/primitives/outpoint.js';
import { makeTransaction, SEQUENCE_FINAL, type Transaction } from '../../../src/primitives/transaction.js';
import { scriptOf } from '../../../src/script/address.js';
import { FixedClock } from '../../../src/util/clock.js';

/** A hash of 20 equal bytes. */
export const hashOf = (byte: number): Uint8Array => new Uint8Array(20).fill(byte);
/** P2WPKH script of a hash of equal bytes. */
export const keyScript = (byte: number): Uint8Array => scriptOf({ type: 'wpkh', hash: hashOf(byte) });
/** P2SH script of a hash of equal bytes. */
export const p2sh = (byte: number): Uint8Array => scriptOf({ type: 'sh', hash: hashOf(byte) });
/** Output of a transaction that is not in the chain. */
export const foreign = (byte: number): OutPoint => ({ txid: new Uint8Array(32).fill(byte), vout: 0 });

interface Payment {
  readonly from: readonly OutPoint[];
  readonly to: readonly (readonly [script: Uint8Array, value: bigint])[];
  readonly sequence?: number;
  readonly lockTime?: number;
  readonly scriptSig?: Uint8Array;
}

/** An unsigned transaction. */
export function payment({ from, to, sequence = SEQUENCE_FINAL, lockTime = 0, scriptSig = new Uint8Array(0) }: Payment): Transaction {
  const vin = from.map((prevout) => ({ prevout, scriptSig, sequence, witness: [] }));
  const vout = to.map(([scriptPubKey, value]) => ({ value, scriptPubKey, tokenId: 0 }));
  return makeTransaction({ version: 1, vin, vout, lockTime }, BITCOIN_FORMAT);
}

export const outputOf = ({ txid }: Transaction, vout = 0): OutPoint => ({ txid, vout });

/** A Bitcoin chain with a wallet that has hashes of equal bytes. */
export class WalletFixture {
  readonly clock = new FixedClock(1_700_000_000);
  readonly chain = new RegtestBitcoin(this.clock);
  readonly wallet: BitcoinWallet;
  readonly #own: OwnHash[];
  #changes = 0;

  constructor({ keys = [], scripts = [] }: { readonly keys?: readonly number[]; readonly scripts?: readonly number[] }) {
    this.#own = [...keys.map((byte) => ({ kind: 'key' as const, hash: hashOf(byte) }))];
    this.#own.push(...scripts.map((byte) => ({ kind: 'script' as const, hash: hashOf(byte) })));
    const fixture = this;
    const own = {
      get changes() {
        return fixture.#changes;
      },
      hashes: () => this.#own,
    };
    this.wallet = new BitcoinWallet({ chain: this.chain, own, clock: this.clock });
  }

  /** Adds a hash to the source of the wallet. */
  learn(own: OwnHash): void {
    this.#own.push(own);
    this.#changes += 1;
  }

  send(parts: Payment): Transaction {
    const tx = payment(parts);
    this.chain.send(tx);
    return tx;
  }
}
