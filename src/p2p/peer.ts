import type { Permissions } from './permissions.js';
import { Traffic } from './traffic.js';
import type { WireMessage } from './wire/messages.js';
import type { Endpoint } from './wire/net-address.js';
import type { Version } from './wire/version.js';

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
  /** `ip:port` of our end. */
  readonly boundTo: string | undefined;
  readonly permissions: Permissions;
  /** Of our version message to it. */
  readonly nonce: bigint;
  /** Milliseconds since 1970. */
  readonly connectedMs: number;
}

/** What a peer asks of those who keep it. */
export interface PeerHost {
  /** Encodes, counts and sends. */
  send(peer: Peer, message: WireMessage): void;
  disconnect(peer: Peer, reason: string): void;
  misbehaved(peer: Peer, score: number, reason: string): void;
  queuedBytes(peer: Peer): number;
  /** Looks again whether messages of the peer can be delivered. */
  wake(peer: Peer): void;
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
  readonly boundTo: string | undefined;
  readonly permissions: Permissions;
  readonly nonce: bigint;
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
  /** Milliseconds since 1970 of the last block or transaction from it that was new and valid; keeps it from being evicted. */
  lastBlockMs = 0;
  lastTransactionMs = 0;
  /** Whether it loaded a bloom filter; such peers are evicted first. */
  hasFilter = false;
  /** Lowest round trip, milliseconds. */
  minPingMs = Number.POSITIVE_INFINITY;
  lastPingMs: number | undefined;
  disconnected = false;
  readonly #host: PeerHost;
  #holds = 0;

  constructor(options: PeerOptions, host: PeerHost) {
    this.id = options.id;
    this.kind = options.kind;
    this.endpoint = options.endpoint;
    this.name = options.name;
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
    if (!this.disconnected) this.#host.send(this, message);
  }

  /** Bytes that wait to be sent. */
  get queuedBytes(): number {
    return this.#host.queuedBytes(this);
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
      if (this.#holds === 0) this.#host.wake(this);
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
    this.#host.misbehaved(this, score, reason);
  }

  /** Ends the connection at once; `gone` is emitted in the same turn. */
  disconnect(reason: string): void {
    this.#host.disconnect(this, reason);
  }
}
