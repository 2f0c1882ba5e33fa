import { TxInvalid } from '../consensus/errors.js';
import { WordMap } from '../evm/word-map.js';
import { customTxPayload } from '../script/custom-tx.js';
import { toHex } from '../util/bytes.js';
import type { MempoolEntry } from './entry.js';
import type { PooledEvm } from './evm-tip.js';
import { inTimeOrder } from './order.js';
import type { Pool } from './pool.js';

/** Maximum pooled transactions per EVM sender. */
const MAX_PER_SENDER = 64;
/** Maximum replacements per EVM sender, counted until one of its transactions leaves the pool otherwise. */
const MAX_REPLACEMENTS = 40;
/** Type byte of an auto-auth transaction. */
const AUTO_AUTH = 'A';

/** Pooled transactions of an EVM sender. */
interface Sender {
  readonly byNonce: Map<bigint, MempoolEntry>;
  replacements: number;
}

/**
 * Pooled transactions that carry an EVM transaction, by its sender and nonce. At most one entry has a given sender and nonce.
 * @see docs/protocol/evm-engine.md 8.1
 */
export class EvmIndex {
  readonly #senders = new WordMap<Sender>();
  /** By the hash of the EVM transaction, as hex. */
  readonly #byHash = new Map<string, MempoolEntry>();
  /** In the order of entry. Their times have mostly the same order, so sorting by time is cheap. */
  readonly #entries = new Set<MempoolEntry>();
  /** Lower bound of the times of all entries, seconds since 1970. */
  #oldestTime = Number.POSITIVE_INFINITY;

  constructor(pool: Pick<Pool, 'on'>) {
    pool.on('added', (entry) => this.#add(entry));
    pool.on('removed', ({ entry, reason }) => this.#remove(entry, reason === 'replaced'));
  }

  /** Number of entries. */
  get size(): number {
    return this.#entries.size;
  }

  /**
   * Checks the limits of a sender.
   * @returns the entry with the same sender and nonce, which the transaction replaces; undefined if there is none
   * @throws {TxInvalid} if it pays too little to replace that entry, or a limit is exceeded
   */
  check({ signed, tip }: PooledEvm): MempoolEntry | undefined {
    const sender = this.#senders.get(signed.sender);
    if (!sender) return undefined;
    const present = sender.byNonce.get(signed.tx.nonce);
    if (present) {
      if (sender.replacements >= MAX_REPLACEMENTS) throw new TxInvalid('too-many-evm-rbf-txs-by-sender');
      if (!isReplaceable(present, tip)) throw new TxInvalid('evm-low-fee');
      return present;
    }
    if (sender.byNonce.size >= MAX_PER_SENDER) throw new TxInvalid('too-many-evm-txs-by-sender');
    return undefined;
  }

  /** Entry whose EVM transaction has a hash. */
  withHash(hash: Uint8Array): MempoolEntry | undefined {
    return this.#byHash.get(toHex(hash));
  }

  /** Entries of a sender, in the order of their nonces; at most 64. */
  ofSender(sender: bigint): MempoolEntry[] {
    const found = [...(this.#senders.get(sender)?.byNonce ?? [])];
    return found.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry);
  }

  /** First nonce from `next` on that no entry of the sender uses. @param next nonce of the account */
  freeNonce(sender: bigint, next: bigint): bigint {
    const used = this.#senders.get(sender)?.byNonce;
    let nonce = next;
    while (used?.has(nonce)) nonce += 1n;
    return nonce;
  }

  /** Entries in the order of entry. */
  entries(): MempoolEntry[] {
    return inTimeOrder(this.#entries);
  }

  /** Entries accepted before `time` (seconds since 1970), with the auto-auth transactions that were made for them. */
  olderThan(time: number): MempoolEntry[] {
    if (this.#oldestTime >= time) return [];
    const all = this.entries();
    this.#oldestTime = all.find((entry) => entry.time >= time)?.time ?? Number.POSITIVE_INFINITY;
    const old = all.filter((entry) => entry.time < time);
    return old.flatMap((entry) => [entry, ...[...entry.parents].filter(({ tx }) => customTxPayload(tx)?.type === AUTO_AUTH)]);
  }

  #add(entry: MempoolEntry): void {
    if (!entry.evm) return;
    const { sender, tx } = entry.evm.signed;
    const known = this.#senders.get(sender) ?? { byNonce: new Map<bigint, MempoolEntry>(), replacements: 0 };
    this.#senders.set(sender, known);
    known.byNonce.set(tx.nonce, entry);
    this.#byHash.set(toHex(entry.evm.signed.hash), entry);
    this.#entries.add(entry);
    this.#oldestTime = Math.min(this.#oldestTime, entry.time);
  }

  #remove(entry: MempoolEntry, isReplaced: boolean): void {
    const { evm } = entry;
    const known = evm && this.#senders.get(evm.signed.sender);
    if (!evm || !known) return;
    known.byNonce.delete(evm.signed.tx.nonce);
    this.#byHash.delete(toHex(evm.signed.hash));
    this.#entries.delete(entry);
    if (!isReplaced) known.replacements = 0;
    // A transfer is replaced by one that spends the same coins (BIP125), which does not count.
    else if (evm.kind === 'transaction') known.replacements += 1;
    if (known.byNonce.size === 0 && (known.replacements === 0 || evm.kind === 'transfer')) this.#senders.delete(evm.signed.sender);
  }
}

function isReplaceable({ evm }: MempoolEntry, tip: bigint): boolean {
  return evm?.kind === 'transaction' && tip >= evm.replacementTip;
}
