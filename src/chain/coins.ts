import { type Codec, i64, u32be, varBytes } from '../primitives/codec.js';
import { hash256 } from '../primitives/hash.js';
import type { OutPoint } from '../primitives/outpoint.js';
import type { TxOut } from '../primitives/transaction.js';
import { varInt } from '../primitives/var-int.js';
import type { Column } from '../storage/view.js';

/** An unspent output. */
export interface Coin {
  readonly out: TxOut;
  /** Height of the block that created it. */
  readonly height: number;
  /** True if a coinbase-like transaction created it: spendable after 100 blocks. */
  readonly coinbase: boolean;
}

/** 2 × height + coinbase as VARINT, value, script, token id as VARINT. */
const coin: Codec<Coin> = {
  write(w, value) {
    varInt.write(w, value.height * 2 + (value.coinbase ? 1 : 0));
    i64.write(w, value.out.value);
    varBytes.write(w, value.out.scriptPubKey);
    varInt.write(w, value.out.tokenId);
  },
  read(r) {
    const code = varInt.read(r);
    const out = { value: i64.read(r), scriptPubKey: varBytes.read(r), tokenId: varInt.read(r) };
    return { out, height: Math.floor(code / 2), coinbase: code % 2 === 1 };
  },
};

/** Txid, then output index in big-endian order. Hand-written because no other codec runs as often. */
const coinKey: Codec<OutPoint> = {
  write(w, { txid, vout }) {
    hash256.write(w, txid);
    u32be.write(w, vout);
  },
  read: (r) => ({ txid: hash256.read(r), vout: u32be.read(r) }),
};

/** The UTXO set. Iteration is by txid bytes, then output index: the order in which `gettxoutsetinfo` hashes it. */
export const coins: Column<OutPoint, Coin> = { name: 'coins', key: coinKey, value: coin };
