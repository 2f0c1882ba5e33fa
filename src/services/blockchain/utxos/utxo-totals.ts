import { coins } from '../../../chain/coins.js';
import { Sha256d } from '../../../crypto/hash-stream.js';
import type { Hash256 } from '../../../primitives/hash.js';
import type { StateView } from '../../../storage/view.js';
import { type Abortable, Slicer } from '../../../util/slicer.js';
import { amountAt, byteAt, type CoinRow, scriptAt, u32At } from './coin-row.js';

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
/** Coins between two looks at the clock. */
const COINS_PER_LOOK = 16;

/**
 * Sums up all unspent outputs, in slices. Coins are read as they are stored: most of the bytes that are hashed are bytes of the rows.
 * @param bestBlock hash of the block of the view
 * @throws the signal's reason if the caller disconnects
 * @see docs/protocol/chain.md 8, hash_serialized_2
 */
export async function scanUtxos(view: Pick<StateView, 'rows'>, bestBlock: Hash256, call?: Abortable): Promise<UtxoTotals> {
  const slicer = new Slicer(call);
  const scan = new UtxoScan(bestBlock);
  for (const [key, row] of view.rows(coins)) {
    if (scan.outputs % COINS_PER_LOOK === 0) {
      const paused = slicer.pause();
      if (paused) await paused;
    }
    scan.add(key, row);
  }
  return scan.finish();
}

/** Length of a txid in a key, in chars. */
const TXID_CHARS = 32;
/** Bytes to collect before they are hashed. */
const HASHED_AT_ONCE = 1 << 16;
/** Most bytes that an output adds besides its script: the end of a transaction, a txid, and four numbers. */
const MOST_BYTES = 1 + TXID_CHARS + 1 + 5 + 9 + 10;
/** Longer scripts, their lengths included, are hashed where they are. */
const SHORT_SCRIPT = 64;
const UPPER_HALF = 2 ** 32;
/** Amounts whose halves are summed up as numbers: the sums stay below 2^53. */
const SUMMED_AT_ONCE = 1 << 20;

/** Totals and hash of the UTXO set; outputs must be added in the order of txid bytes, then index. */
class UtxoScan {
  outputs = 0;
  #transactions = 0;
  #scriptBytes = 0;
  #amount = 0n;
  /** Sums of the halves of amounts that are not in `#amount` yet. */
  #upper = 0;
  #lower = 0;
  readonly #hash = new Sha256d();
  readonly #pending = Buffer.allocUnsafeSlow(HASHED_AT_ONCE);
  #size: number;
  #txid = '';

  constructor(bestBlock: Hash256) {
    this.#pending.set(bestBlock);
    this.#size = bestBlock.length;
  }

  add(key: string, row: CoinRow): void {
    const at = amountAt(row);
    const lower = u32At(row, at);
    const upper = u32At(row, at + 4);
    const { from, start, end } = scriptAt(row, at);
    if (this.#size + MOST_BYTES + SHORT_SCRIPT > HASHED_AT_ONCE) this.#flush();
    // `defid` intended to hash height and coinbase flag; it hashes only whether both are zero.
    if (this.#txid === '' || !key.startsWith(this.#txid)) this.#begin(key, byteAt(row, 0) !== 0);
    this.#varInt(voutOf(key) + 1);
    this.#bytes(row, from, end);
    const amount = upper * UPPER_HALF + lower;
    this.#varInt(Number.isSafeInteger(amount) ? amount : (BigInt(upper) << 32n) + BigInt(lower));
    this.outputs += 1;
    this.#scriptBytes += end - start;
    this.#upper += upper;
    this.#lower += lower;
    if (this.outputs % SUMMED_AT_ONCE === 0) this.#sumUp();
  }

  #begin(key: string, isSet: boolean): void {
    if (this.#txid !== '') this.#byte(0);
    this.#txid = key.slice(0, TXID_CHARS);
    this.#transactions += 1;
    this.#size += this.#pending.write(this.#txid, this.#size, 'latin1');
    this.#byte(isSet ? 1 : 0);
  }

  #byte(value: number): void {
    this.#pending[this.#size] = value;
    this.#size += 1;
  }

  #bytes(row: Uint8Array, from: number, end: number): void {
    if (end - from > SHORT_SCRIPT) {
      this.#flush();
      this.#hash.update(row.subarray(from, end));
      return;
    }
    for (let i = from; i < end; i++) this.#byte(row[i] as number);
  }

  /** Writes a VARINT; amounts can exceed the numbers of the codec. */
  #varInt(value: number | bigint): void {
    if (typeof value === 'bigint') {
      if (value >= 128n) this.#continued((value >> 7n) - 1n);
      this.#byte(Number(value & 0x7fn));
      return;
    }
    if (value >= 128) this.#continued(Math.floor(value / 128) - 1);
    this.#byte(value % 128);
  }

  /** Writes the groups of a VARINT before the last. */
  #continued(rest: number | bigint): void {
    if (typeof rest === 'bigint') {
      if (rest >= 128n) this.#continued((rest >> 7n) - 1n);
      this.#byte(Number(rest & 0x7fn) | 0x80);
      return;
    }
    if (rest >= 128) this.#continued(Math.floor(rest / 128) - 1);
    this.#byte((rest % 128) | 0x80);
  }

  #flush(): void {
    this.#hash.update(this.#pending.subarray(0, this.#size));
    this.#size = 0;
  }

  #sumUp(): void {
    this.#amount += (BigInt(this.#upper) << 32n) + BigInt(this.#lower);
    this.#upper = 0;
    this.#lower = 0;
  }

  finish(): UtxoTotals {
    if (this.#txid !== '') this.#byte(0);
    this.#flush();
    this.#sumUp();
    return {
      transactions: this.#transactions,
      outputs: this.outputs,
      bogoSize: this.outputs * BOGO_OVERHEAD + this.#scriptBytes,
      amount: this.#amount,
      diskSize: this.outputs * DISK_OVERHEAD + this.#scriptBytes,
      hash: this.#hash.digest(),
    };
  }
}

/** Output index at the end of a key, big-endian. */
function voutOf(key: string): number {
  let vout = 0;
  for (let i = TXID_CHARS; i < key.length; i++) vout = vout * 256 + key.charCodeAt(i);
  return vout;
}
