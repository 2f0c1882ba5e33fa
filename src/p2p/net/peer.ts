import type { Permissions } from '../addresses/permissions.js';
import type { WireMessage } from '../wire/messages.js';
import type { Endpoint } from '../wire/net-address.js';
import type { Reject } from '../wire/reject.js';
import type { Version } from '../wire/version.js';
import { Latency } from './latency.js';
import { Traffic } from './traffic.js';

/**
 * How a connection came about: `outbound` by our own choice, `manual` because the operator wants it (-connect, -addnode, addnode),
 * `feeler` to see whether an address is alive, `seed` to ask for addresses and leave (-seednode).
 */
export type PeerKind = 'inbound' | 'outbound' | 'manual' | 'feeler' | 'seed';

export interface PeerOptions {
  readonly id: number;
  readonly kind: PeerKind;
  readonly endpoint: Endpoint;
  /** What it is called in answers and logs: as the operator named it, else `ip:port`. */
  readonly name: string;
  /** The name as the log shows it; undefined where addresses stay out of the log. */
  readonly logName?: string | undefined;
  /** `ip:port` of our end. */
  readonly boundTo: string | undefined;
  readonly permissions: Permissions;
  /** Of our version message to it. */
  readonly nonce: bigint;
  /** Milliseconds of the monotonic clock. */
  readonly connectedMs: number;
}

/** What a peer asks of whoever keeps its connection. */
export interface PeerHost {
  /** Encodes, counts and sends. */
  send(message: WireMessage): void;
  disconnect(reason: string): void;
  misbehaved(score: number, reason: string): void;
  /** -enablebip61: peers are told why something was refused. */
  readonly sendsRejects: boolean;
  /** Looks again whether messages of the peer can be delivered. */
  wake(): void;
  readonly queuedBytes: number;
  readonly maxSendBytes: number;
}

/**
 * One connection to another node. Whoever follows `Peers` may keep own facts about a peer in a map by `id`, from `ready` to `gone`.
 */
export class Peer {
  readonly id: number;
  readonly kind: PeerKind;
  readonly endpoint: Endpoint;
  readonly name: string;
  readonly logName: string | undefined;
  readonly boundTo: string | undefined;
  readonly permissions: Permissions;
  readonly nonce: bigint;
  /** Milliseconds of the monotonic clock, like all times here: what the operator does to the real one ends no connection. */
  readonly connectedMs: number;
  readonly traffic = new Traffic();
  /** What it said of itself; undefined until its version message came. */
  version: Version | undefined;
  /** True once its verack came: only then do messages reach anyone but the handshake. */
  ready = false;
  /** Its clock less ours, seconds. */
  timeOffset = 0;
  /** Our endpoint as it sees it. */
  localEndpoint: Endpoint | undefined;
  misbehaviour = 0;
  /** Whether it wants transactions announced: its version said so, or it loaded a filter. */
  relaysTransactions = false;
  /** When a block or transaction from it last was new and valid, 0 for never; keeps it from being evicted. */
  lastBlockMs = 0;
  lastTransactionMs = 0;
  /** Whether it loaded a bloom filter; such peers are evicted first. */
  hasFilter = false;
  readonly latency = new Latency();
  /** Addresses of its `addr` messages that were taken, and that were too many. */
  addressesProcessed = 0;
  addressesRateLimited = 0;
  disconnected = false;
  readonly #host: PeerHost;
  #holds = 0;

  constructor(options: PeerOptions, host: PeerHost) {
    this.id = options.id;
    this.kind = options.kind;
    this.endpoint = options.endpoint;
    this.name = options.name;
    this.logName = options.logName;
    this.boundTo = options.boundTo;
    this.permissions = options.permissions;
    this.nonce = options.nonce;
    this.connectedMs = options.connectedMs;
    this.#host = host;
  }

  get inbound(): boolean {
    return this.kind === 'inbound';
  }

  /** Services of its version message; none before. */
  get services(): bigint {
    return this.version?.services ?? 0n;
  }

  /** Protocol version it speaks; 0 before its version message. */
  get protocolVersion(): number {
    return this.version?.version ?? 0;
  }

  /** Height of its tip when it connected. */
  get startHeight(): number {
    return this.version?.startHeight ?? -1;
  }

  /** Sends, or does nothing once the connection has ended. Large or many messages: look at `congested` between them. */
  send(message: WireMessage): void {
    if (!this.disconnected) this.#host.send(message);
  }

  /** Bytes that wait to be sent. */
  get queuedBytes(): number {
    return this.#host.queuedBytes;
  }

  /** True while more waits than -maxsendbuffer. Its messages are not delivered then, so it cannot ask for more. */
  get congested(): boolean {
    return this.queuedBytes > this.#host.maxSendBytes;
  }

  /**
   * Delivers no further message of this peer until the function that comes back is called, for work on its last message that
   * takes more than a turn. Calling it again does nothing.
   */
  hold(): () => void {
    this.#holds += 1;
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#holds -= 1;
      if (this.#holds === 0) this.#host.wake();
    };
  }

  get held(): boolean {
    return this.#holds > 0;
  }

  /**
   * Adds to its score; from -banscore on the connection ends and its address is banned, unless the operator vouches for it.
   * @param score points of `misbehaviour.ts`
   */
  misbehave(score: number, reason: string): void {
    this.#host.misbehaved(score, reason);
  }

  /** Tells it why something was refused, where the operator wants that. */
  reject(rejection: Reject | undefined): void {
    if (rejection && this.#host.sendsRejects) this.send({ command: 'reject', payload: rejection });
  }

  /** Ends the connection at once; `gone` is emitted when the work at hand is done. */
  disconnect(reason: string): void {
    this.#host.disconnect(reason);
  }
}
