import type { LogFilter } from '../dfi/evm/log-index.js';
import { Lru } from '../util/lru.js';
import { engineError } from './errors.js';

/** Maximum number of filters; beyond it the least recently used one is dropped, as in `defid`. */
const MAX_FILTERS = 5000;
/** Maximum number of addresses and topics of all filters together, unless there is only one. */
const MAX_VALUES = 200_000;

/** Place of a filter in the chain. */
interface FilterPlace {
  /** First block of the next poll, unless blocks before it were replaced. */
  next: number;
  /** Hash of the block before it. */
  reported?: Uint8Array | undefined;
  /** Lowest block that was disconnected since the last poll. */
  disconnected?: number | undefined;
}

/** Logs since the last poll. */
export interface LogsFilter extends FilterPlace {
  readonly kind: 'logs';
  readonly filter: LogFilter;
  readonly from: number;
  /** Undefined to follow the chain. */
  readonly to: number | undefined;
}

/** Blocks since the last poll. */
export interface BlocksFilter extends FilterPlace {
  readonly kind: 'blocks';
}

/** Transactions that entered the mempool since the last poll. */
export interface PendingFilter {
  readonly kind: 'pending';
  /** Sequence of the last entry that was reported; with -rpcstrict its time, seconds since 1970. */
  last: number;
}

/** Filter that a client polls. */
export type InstalledFilter = LogsFilter | BlocksFilter | PendingFilter;

/** Filters of all clients, by id. @see docs/protocol/evm-engine.md 10.7 */
export class Filters {
  readonly #filters = new Lru<bigint, InstalledFilter>(Number.POSITIVE_INFINITY);
  #lastId = 0n;
  #values = 0;

  get size(): number {
    return this.#filters.size;
  }

  /** @returns the id, counted from 1 for filters of all kinds */
  install(filter: InstalledFilter): bigint {
    this.#lastId += 1n;
    this.#filters.set(this.#lastId, filter);
    this.#values += weightOf(filter);
    while (this.#filters.size > MAX_FILTERS || (this.#values > MAX_VALUES && this.#filters.size > 1)) this.#dropOldest();
    return this.#lastId;
  }

  /** @throws {EthereumError} `filter not found` */
  require(id: bigint): InstalledFilter {
    const filter = this.#filters.get(id);
    if (!filter) throw engineError('filter not found');
    return filter;
  }

  /** @returns false if there is no such filter */
  uninstall(id: bigint): boolean {
    const filter = this.#filters.get(id);
    if (!filter) return false;
    this.#filters.delete(id);
    this.#values -= weightOf(filter);
    return true;
  }

  /** Notes that a block was disconnected, so that filters report the one that replaces it. */
  noteDisconnected(number: number): void {
    for (const filter of this.#filters.values()) {
      if (filter.kind !== 'pending') filter.disconnected = Math.min(filter.disconnected ?? number, number);
    }
  }

  #dropOldest(): void {
    const dropped = this.#filters.deleteOldest();
    if (dropped) this.#values -= weightOf(dropped);
  }
}

function weightOf(installed: InstalledFilter): number {
  return installed.kind === 'logs' ? weightOfLogs(installed.filter) : 0;
}

/** Number of values that a filter of logs holds. */
export function weightOfLogs({ addresses, topics }: LogFilter): number {
  return topics.reduce((sum, values) => sum + values.size, addresses.size);
}
