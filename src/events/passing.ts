import { randomBytes } from 'node:crypto';
import type { Hash256 } from '../primitives/hash.js';
import { Emitter } from '../util/events.js';
import type { WorkReport } from '../util/work-report.js';
import { RUN_SIZE } from './cursor.js';

/** A transaction entered or left the mempool. */
export interface MempoolChange {
  readonly kind: 'mempool';
  readonly txid: Hash256;
  /** Reason for which the transaction left; undefined if it entered. */
  readonly removed: string | undefined;
  /** Virtual bytes. */
  readonly vsize: number;
  /** Satoshis. */
  readonly fee: bigint;
}

/** A transaction of a wallet is new, or its status changed. */
export interface WalletChange {
  readonly kind: 'wallet';
  /** Name of the wallet. */
  readonly wallet: string;
  readonly txid: Hash256;
  readonly status: 'unconfirmed' | 'confirmed' | 'conflicted' | 'abandoned';
  /** Block that confirms it or that it conflicts with. */
  readonly block: { readonly hash: Hash256; readonly height: number | undefined } | undefined;
}

/** The state of the node changed. */
export interface NodeChange {
  readonly kind: 'node';
  readonly state:
    | 'ready'
    | 'warning'
    | 'warning_cleared'
    | 'stopping'
    | 'peer_connected'
    | 'peer_disconnected'
    | 'snapshot_validated'
    | 'snapshot_refuted'
    | 'progress';
  /** Text of a warning, or what is wrong with a snapshot. */
  readonly text?: string;
  /** Progress of long work. */
  readonly work?: WorkReport;
  readonly peer?: { readonly id: number; readonly address: string; readonly inbound: boolean };
}

/** Change that is noted in memory only. */
export type PassingChange = MempoolChange | WalletChange | NodeChange;

/** An event that is not stored, with its place between the blocks of the log. */
export interface PassingEvent {
  /** Ascending from 1 on, in a run of the node. */
  readonly number: number;
  /** Number of the next block in the log. */
  readonly block: number;
  readonly change: PassingChange;
}

/** Events in memory. Each takes some 300 bytes. */
const MAX_EVENTS = 50_000;

/** The last events that are not stored. */
export class PassingEvents {
  /** Random number that distinguishes the numbers of this run from those of earlier runs. */
  readonly run = randomBytes(RUN_SIZE).toString('hex');
  readonly #changed = new Emitter<{ changed: undefined }>();
  #events: PassingEvent[] = [];
  #last = 0;

  constructor(readonly maxEvents = MAX_EVENTS) {}

  /** Number of the last event; 0 if there was none. */
  get last(): number {
    return this.#last;
  }

  /** Number of the oldest event in memory; of the next one if there is none. */
  get oldest(): number {
    return this.#events[0]?.number ?? this.#last + 1;
  }

  add(block: number, change: PassingChange): void {
    this.#last += 1;
    this.#events.push({ number: this.#last, block, change });
    // In large steps, because each moves all.
    if (this.#events.length > this.maxEvents) this.#events = this.#events.slice(Math.ceil(this.maxEvents / 10));
    this.#changed.emit('changed', undefined);
  }

  /** Events after a number. */
  after(number: number, limit: number): readonly PassingEvent[] {
    const from = Math.max(0, number + 1 - this.oldest);
    return this.#events.slice(from, from + limit);
  }

  get hasListeners(): boolean {
    return this.#changed.has('changed');
  }

  /** @returns a function that ends the subscription */
  onChanged(listener: () => void): () => void {
    return this.#changed.on('changed', listener);
  }
}
