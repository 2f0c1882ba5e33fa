import type { Permissions } from '../addresses/permissions.js';
import type { WireMessage } from '../wire/messages.js';
import type { Endpoint } from '../wire/net-address.js';
import type { Reject } from '../wire/reject.js';
import type { Version } from '../wire/version.js';
import { Latency } from './latency.js';
import { Traffic } from './traffic.js';

/**
 * Origin of a connection: `outbound` was chosen by the node, `manual` by the operator (-connect, -addnode, addnode), `feeler` tests an
 * address, `seed` only requests addresses (-seednode).
 */
export type PeerKind = 'inbound' | 'outbound' | 'manual' | 'feeler' | 'seed';

/** Facts of a connection that are known when it is opened. */
export interface PeerOptions {
  readonly id: number;
  readonly kind: PeerKind;
  readonly endpoint: Endpoint;
  /** Name in answers and logs: as the operator wrote it, otherwise `ip:port`. */
  readonly name: string;
  /** Name in the log; undefined unless -logips is set. */
  readonly logName?: string | undefined;
  /** `ip:port` of our end of the connection. */
  readonly boundTo: string | undefined;
  readonly permissions: Permissions;
  /** Nonce of our `version` to the peer. */
  readonly nonce: bigint;
  /** Milliseconds of the monotonic clock. */
  readonly connectedMs: number;
}

/** The connection of a peer, as `Peer` needs it. */
export interface PeerHost {
  /** Encodes and sends a message, and counts its bytes. */
  send(message: WireMessage): void;
  disconnect(reason: string): void;
  misbehaved(score: number, reason: string): void;
  /** -enablebip61: send `reject` messages. */
  readonly sendsRejects: boolean;
  /** Resumes the processing of the peer's messages, if it is possible. */
  wake(): void;
  readonly queuedBytes: number;
  readonly maxSendBytes: number;
  readonly unprocessedBytes: number;
}

/** One connection to another node. */
export class Peer {
  readonly id: number;
  readonly kind: PeerKind;
  readonly endpoint: Endpoint;
  readonly name: string;
  readonly logName: string | undefined;
  readonly boundTo: string | undefined;
  readonly permissions: Permissions;
  readonly nonce: bigint;
  /** Monotonic clock, ms, as all times here, so that a change of the system clock ends no connection. */
  readonly connectedMs: number;
  readonly traffic = new Traffic();
  /** `version` of the peer; undefined before it arrives. */
  version: Version | undefined;
  /** True after the `verack` of the peer: the handshake is complete. */
  ready = false;
  /** Difference of the peer's clock from ours, seconds. */
  timeOffset = 0;
  /** Our endpoint as the peer sees it. */
  localEndpoint: Endpoint | undefined;
  /** Ban score. */
  misbehaviour = 0;
  /** The peer wants transactions announced: its `version` said so, or it loaded a filter. */
  relaysTransactions = false;
  /** Times of the last new valid block and transaction from the peer, 0 for never; they protect it from eviction. */
  lastBlockMs = 0;
  lastTransactionMs = 0;
  /** The address was banned for misbehaviour when the peer connected; such peers are evicted first. */
  isBanned = false;
  readonly latency = new Latency();
  /** Numbers of the addresses in its `addr` messages that were processed and that exceeded the rate limit. */
  addressesProcessed = 0;
  addressesRateLimited = 0;
  disconnected = false;
  readonly #host: PeerHost;
  #holds = 0;
  #blockHolds = 0;

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

  /** Services of its `version`; none before it arrives. */
  get services(): bigint {
    return this.version?.services ?? 0n;
  }

  /** Protocol version of its `version`; 0 before it arrives. */
  get protocolVersion(): number {
    return this.version?.version ?? 0;
  }

  /** Height of its tip when it connected; -1 if unknown. */
  get startHeight(): number {
    return this.version?.startHeight ?? -1;
  }

  /** Sends a message; does nothing after the connection has ended. Senders of large or many messages check `congested` in between. */
  send(message: WireMessage): void {
    if (!this.disconnected) this.#host.send(message);
  }

  /** Bytes in the send buffer. */
  get queuedBytes(): number {
    return this.#host.queuedBytes;
  }

  /** Bytes in memory of its messages that are incomplete or not processed. */
  get unprocessedBytes(): number {
    return this.#host.unprocessedBytes;
  }

  /** True while the send buffer exceeds -maxsendbuffer. Meanwhile the peer's messages are not processed, so it cannot request more. */
  get congested(): boolean {
    return this.queuedBytes > this.#host.maxSendBytes;
  }

  /**
   * Defers further messages of this peer while work on its last message takes several turns.
   * @returns a function that resumes delivery; further calls have no effect
   */
  hold(): () => void {
    this.#holds += 1;
    return this.#once(() => (this.#holds -= 1));
  }

  /**
   * The same while a block of this peer waits to be connected, but one further block may be delivered meanwhile.
   * @returns a function that resumes delivery; further calls have no effect
   */
  holdForBlock(): () => void {
    this.#blockHolds += 1;
    return this.#once(() => (this.#blockHolds -= 1));
  }

  #once(release: () => void): () => void {
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      release();
      this.#host.wake();
    };
  }

  /** True if a message must wait. @param command of a message; undefined if it is not known */
  holds(command: string | undefined): boolean {
    return this.#holds > 0 || this.#blockHolds > (command === 'block' ? 1 : 0);
  }

  /**
   * Adds to the ban score. At -banscore the peer is disconnected and its address banned, unless it has the permission `noban`.
   * @param score points from `misbehaviour/scores.ts`
   */
  misbehave(score: number, reason: string): void {
    this.#host.misbehaved(score, reason);
  }

  /** Sends `reject` if -enablebip61 is set (BIP61). */
  reject(rejection: Reject | undefined): void {
    if (rejection && this.#host.sendsRejects) this.send({ command: 'reject', payload: rejection });
  }

  /** Closes the connection immediately; `disconnected` is emitted after the current handler has returned. */
  disconnect(reason: string): void {
    this.#host.disconnect(reason);
  }
}
