import { errorText } from '../../util/errors.js';
import type { Logger } from '../../util/logger.js';
import type { AddressBook } from '../addresses/address-book.js';
import type { Bans } from '../addresses/bans.js';
import { MAX_PAYLOAD_SIZE } from '../wire/limits.js';
import type { AddressExchange } from './address-exchange.js';
import { pingIfDue, timeoutOf } from './keepalive.js';
import type { Peer } from './peer.js';
import type { PeerTable } from './peer-table.js';
import type { StateFiles } from './state-files.js';

const TICK_MS = 1000;
const SAVE_TICKS = 15 * 60;
/** Interval of saving bans for misbehaviour, of which an attacker can cause many every second. */
const BAN_SAVE_TICKS = 60;
const SEED_TIMEOUT_MS = 60_000;
/** Most bytes of unprocessed messages of all peers together: four messages of the largest size. One peer alone may send a whole one. */
const MAX_UNPROCESSED_BYTES = 4 * MAX_PAYLOAD_SIZE;

/** Parts of the node that `Maintenance` uses. */
export interface MaintenanceDeps {
  readonly table: PeerTable;
  readonly exchange: AddressExchange;
  readonly book: AddressBook;
  readonly bans: Bans;
  readonly files: StateFiles | undefined;
  readonly log: Logger;
  readonly monotonic: () => number;
}

/** Periodic work, every second: pings, timeouts, address relay, and saving addresses and bans. */
export class Maintenance {
  readonly #peerTimeoutSec: number;
  readonly #deps: MaintenanceDeps;
  #ticks = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly #stopping = new AbortController();
  /** Text of the last failure to save, so that bans that are tried again every second are reported once; undefined after a success. */
  #failure: string | undefined;

  constructor(peerTimeoutSec: number, deps: MaintenanceDeps) {
    this.#peerTimeoutSec = peerTimeoutSec;
    this.#deps = deps;
  }

  start(): void {
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
  }

  /** Saves addresses and bans. */
  stop(): void {
    clearInterval(this.#timer);
    this.#stopping.abort();
    this.#trySave(() => this.#deps.files?.writeAddresses(this.#deps.book));
    this.#saveAllBans();
  }

  /** Saves the bans if they have changed. After a failure each tick tries again. */
  saveBans(): void {
    const { bans, files } = this.#deps;
    if (bans.changed) this.#trySave(() => files?.writeBans(bans));
  }

  #tick(): void {
    this.#checkPeers();
    this.#freeMemory();
    this.#ticks += 1;
    if (this.#ticks % SAVE_TICKS === 0) {
      void this.#saveAddresses();
      this.#saveAllBans();
    } else if (this.#failure !== undefined || this.#ticks % BAN_SAVE_TICKS === 0) this.saveBans();
  }

  #checkPeers(): void {
    const { table, exchange, monotonic } = this.#deps;
    const nowMs = monotonic();
    for (const peer of table.all()) {
      const timeout = timeoutOf(peer, this.#peerTimeoutSec, nowMs);
      if (timeout !== undefined) peer.disconnect(timeout);
      else if (peer.kind === 'seed' && nowMs - peer.connectedMs > SEED_TIMEOUT_MS) peer.disconnect('addr-fetch timeout');
      else if (peer.ready) {
        pingIfDue(peer, nowMs);
        exchange.tick(peer);
      }
    }
  }

  /** Disconnects the inbound peers with the most unprocessed bytes, as long as those of all peers are too many. */
  #freeMemory(): void {
    const peers = this.#deps.table.all().filter((peer) => !peer.disconnected);
    let bytes = peers.reduce((sum, peer) => sum + peer.unprocessedBytes, 0);
    if (bytes <= MAX_UNPROCESSED_BYTES) return;
    const candidates = peers.filter(({ inbound, permissions }) => inbound && !permissions.has('noban')).sort(byUnprocessedBytes);
    for (const peer of candidates) {
      if (bytes <= MAX_UNPROCESSED_BYTES) return;
      bytes -= peer.unprocessedBytes;
      peer.disconnect('most bytes of unprocessed messages while those of all peers are too many');
    }
  }

  /** Never rejects. */
  async #saveAddresses(): Promise<void> {
    const { book, files } = this.#deps;
    try {
      await files?.writeAddressesInSlices(book, this.#stopping.signal);
    } catch (error) {
      if (!this.#stopping.signal.aborted) this.#noteFailure(error);
    }
  }

  #saveAllBans(): void {
    const { bans, files } = this.#deps;
    bans.sweep();
    this.#trySave(() => files?.writeBans(bans));
  }

  /** Saves a file. If that fails, for example because the disk is full, the node keeps running without it. */
  #trySave(write: () => void): void {
    try {
      write();
      this.#failure = undefined;
    } catch (error) {
      this.#noteFailure(error);
    }
  }

  #noteFailure(error: unknown): void {
    const text = errorText(error);
    if (text !== this.#failure) this.#deps.log.warn('failed to save addresses and bans', { error: text });
    this.#failure = text;
  }
}

/** Orders by unprocessed bytes, the most first. */
function byUnprocessedBytes(a: Peer, b: Peer): number {
  return b.unprocessedBytes - a.unprocessedBytes;
}
