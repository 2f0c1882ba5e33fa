import { TxInvalid } from '../consensus/errors.js';
import { evmNonceOf, type SenderNonce } from '../dfi/evm/sender-nonce.js';
import type { Transaction } from '../primitives/transaction.js';
import { customTxPayload } from '../script/custom-tx.js';
import { toHex } from '../util/bytes.js';
import type { MempoolEntry } from './entry.js';
import type { Pool } from './pool.js';

/** Maximum pooled transactions per EVM sender. */
const MAX_PER_SENDER = 64;
/** Type byte of an auto-auth transaction. */
const AUTO_AUTH = 'A';

/** Pooled transactions that carry an EVM transaction, by its sender and nonce. @see docs/protocol/evm.md 4 */
export class EvmQueue {
  /** By sender (hex), then by nonce. */
  readonly #senders = new Map<string, Map<bigint, MempoolEntry>>();

  constructor(pool: Pick<Pool, 'on'>) {
    pool.on('added', (entry) => this.#add(entry));
    pool.on('removed', ({ entry }) => this.#remove(entry));
  }

  /** @throws {TxInvalid} if one with the same sender and nonce is pooled, or too many of the sender are */
  check(tx: Transaction): void {
    const found = evmNonceOf(tx);
    const waiting = found && this.#waitingOf(found);
    if (!waiting) return;
    // All transfers have the same EVM fee, so none can replace another.
    if (waiting.has(found.nonce)) throw new TxInvalid('evm-low-fee');
    if (waiting.size >= MAX_PER_SENDER) throw new TxInvalid('too-many-evm-txs-by-sender');
  }

  /** Entries accepted before `time` (seconds since 1970), with the auto-auth transactions that were made for them. */
  olderThan(time: number): MempoolEntry[] {
    const old = [...this.#senders.values()].flatMap((waiting) => [...waiting.values()]).filter((entry) => entry.time < time);
    return old.flatMap((entry) => [entry, ...[...entry.parents].filter(({ tx }) => customTxPayload(tx)?.type === AUTO_AUTH)]);
  }

  #waitingOf({ sender }: SenderNonce): Map<bigint, MempoolEntry> | undefined {
    return this.#senders.get(toHex(sender));
  }

  #add(entry: MempoolEntry): void {
    const found = evmNonceOf(entry.tx);
    if (!found) return;
    const waiting = this.#waitingOf(found) ?? new Map<bigint, MempoolEntry>();
    this.#senders.set(toHex(found.sender), waiting.set(found.nonce, entry));
  }

  #remove(entry: MempoolEntry): void {
    const found = evmNonceOf(entry.tx);
    const waiting = found && this.#waitingOf(found);
    if (!found || !waiting) return;
    waiting.delete(found.nonce);
    if (waiting.size === 0) this.#senders.delete(toHex(found.sender));
  }
}
