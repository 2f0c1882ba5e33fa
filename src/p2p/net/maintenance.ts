import { errorText } from '../../util/errors.js';
import type { Logger } from '../../util/logger.js';
import type { AddressBook } from '../addresses/address-book.js';
import type { Bans } from '../addresses/bans.js';
import type { AddressExchange } from './address-exchange.js';
import { pingIfDue, silenceOf } from './keepalive.js';
import type { PeerTable } from './peer-table.js';
import type { StateFiles } from './state-files.js';

const TICK_MS = 1000;
const SAVE_TICKS = 15 * 60;
const SEED_PATIENCE_MS = 60_000;

export interface UpkeepDeps {
  readonly table: PeerTable;
  readonly exchange: AddressExchange;
  readonly book: AddressBook;
  readonly bans: Bans;
  readonly files: StateFiles | undefined;
  readonly log: Logger;
  readonly monotonic: () => number;
}

/** What is looked after every second: pings, silence, addresses to be told, and files. */
export class Upkeep {
  readonly #peerTimeoutSec: number;
  readonly #deps: UpkeepDeps;
  #ticks = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(peerTimeoutSec: number, deps: UpkeepDeps) {
    this.#peerTimeoutSec = peerTimeoutSec;
    this.#deps = deps;
  }

  start(): void {
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
  }

  /** Keeps what was learnt. */
  stop(): void {
    clearInterval(this.#timer);
    this.#save();
  }

  #tick(): void {
    this.#lookAfterPeers();
    this.#ticks += 1;
    const { bans, files } = this.#deps;
    if (this.#ticks % SAVE_TICKS === 0) this.#save();
    else if (bans.changed) this.#saving(() => files?.writeBans(bans));
  }

  #lookAfterPeers(): void {
    const { table, exchange, monotonic } = this.#deps;
    const nowMs = monotonic();
    for (const peer of table.all()) {
      const silence = silenceOf(peer, this.#peerTimeoutSec, nowMs);
      if (silence !== undefined) peer.disconnect(silence);
      else if (peer.kind === 'seed' && nowMs - peer.connectedMs > SEED_PATIENCE_MS) peer.disconnect('told no addresses');
      else if (peer.ready) {
        pingIfDue(peer, nowMs);
        exchange.tick(peer);
      }
    }
  }

  #save(): void {
    const { book, bans, files } = this.#deps;
    this.#saving(() => files?.writeAddresses(book));
    this.#saving(() => files?.writeBans(bans));
  }

  /** A full disk takes what was learnt of peers, not the node. */
  #saving(write: () => void): void {
    try {
      write();
    } catch (error) {
      this.#deps.log.warn('addresses and bans could not be kept', { error: errorText(error) });
    }
  }
}
