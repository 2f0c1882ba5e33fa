import { type Coin, coins } from '../../../chain/coins.js';
import { Sha256d } from '../../../crypto/hash-stream.js';
import { ByteWriter, varBytes, varInt } from '../../../primitives/codec.js';
import type { Hash256 } from '../../../primitives/hash.js';
import type { OutPoint } from '../../../primitives/outpoint.js';
import type { StateView } from '../../../storage/view.js';
import { equalBytes } from '../../../util/bytes.js';
import { Slicer } from '../../../util/slicer.js';

/** Totals of the UTXO set. */
export interface UtxoTotals {
  /** Transactions with unspent outputs. */
  readonly transactions: number;
  readonly outputs: number;
  /** 50 bytes plus the script, for each output. */
  readonly bogoSize: number;
  /** Satoshis, summed over all tokens. */
  readonly amount: bigint;
  /** Estimated bytes of keys and values. */
  readonly diskSize: number;
  readonly hash: Hash256;
}

const BOGO_OVERHEAD = 50;
/** Estimated bytes of key (36), height, amount and token. */
const DISK_OVERHEAD = 49;
/** Bytes to collect before they are hashed. */
const HASHED_AT_ONCE = 1 << 16;

/**
 * Sums up all unspent outputs, in slices.
 * @param bestBlock hash of the block of the view
 * @throws the signal's reason if the caller disconnects
 * @see docs/protocol/chain.md 8, hash_serialized_2
 */
export async function scanUtxos(view: StateView, bestBlock: Hash256, signal?: AbortSignal): Promise<UtxoTotals> {
  const slicer = new Slicer(signal);
  const hash = new UtxoHash(bestBlock);
  let outputs = 0;
  let scriptBytes = 0;
  let amount = 0n;
  for (const [point, coin] of view.entries(coins)) {
    const paused = slicer.pause();
    if (paused) await paused;
    hash.add(point, coin);
    outputs += 1;
    scriptBytes += coin.out.scriptPubKey.length;
    amount += coin.out.value;
  }
  return {
    transactions: hash.transactions,
    outputs,
    bogoSize: outputs * BOGO_OVERHEAD + scriptBytes,
    amount,
    diskSize: outputs * DISK_OVERHEAD + scriptBytes,
    hash: hash.finish(),
  };
}

/** Hash of the UTXO set; outputs must be added in the order of txid bytes, then index. */
class UtxoHash {
  transactions = 0;
  readonly #hash = new Sha256d();
  #pending = new ByteWriter(HASHED_AT_ONCE);
  #pendingSize = 0;
  #txid: Hash256 | undefined;

  constructor(bestBlock: Hash256) {
    this.#pending.bytes(bestBlock);
  }

  add(point: OutPoint, coin: Coin): void {
    if (!this.#txid || !equalBytes(this.#txid, point.txid)) this.#begin(point.txid, coin);
    varInt.write(this.#pending, point.vout + 1);
    varBytes.write(this.#pending, coin.out.scriptPubKey);
    writeAmount(this.#pending, coin.out.value);
    this.#pendingSize += coin.out.scriptPubKey.length + 16;
    if (this.#pendingSize >= HASHED_AT_ONCE) this.#flush();
  }

  #begin(txid: Hash256, { height, coinbase }: Coin): void {
    if (this.#txid) varInt.write(this.#pending, 0);
    this.#txid = txid;
    this.transactions += 1;
    this.#pending.bytes(txid);
    // `defid` intended to hash height and coinbase flag; it hashes only whether both are zero.
    varInt.write(this.#pending, height === 0 && !coinbase ? 0 : 1);
    this.#pendingSize += txid.length;
  }

  #flush(): void {
    this.#hash.update(this.#pending.finish());
    this.#pending = new ByteWriter(HASHED_AT_ONCE);
    this.#pendingSize = 0;
  }

  finish(): Hash256 {
    if (this.#txid) varInt.write(this.#pending, 0);
    this.#flush();
    return this.#hash.digest();
  }
}

const LAST_SAFE = BigInt(Number.MAX_SAFE_INTEGER);

/** Writes an amount as VARINT; amounts can exceed the numbers of the codec. */
function writeAmount(w: ByteWriter, amount: bigint): void {
  if (amount <= LAST_SAFE) {
    varInt.write(w, Number(amount));
    return;
  }
  const groups = [Number(amount & 0x7fn)];
  for (let rest = amount >> 7n; rest > 0n; rest >>= 7n) {
    rest -= 1n;
    groups.push(Number(rest & 0x7fn) | 0x80);
  }
  for (const group of groups.reverse()) w.u8(group);
}
