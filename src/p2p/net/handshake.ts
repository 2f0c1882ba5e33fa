import { RejectCode } from '../../mempool/reject.js';
import { MIN_PEER_PROTOCOL_VERSION, PROTOCOL_VERSION } from '../../params/protocol.js';
import type { Logger } from '../../util/logger.js';
import { isRoutable } from '../addresses/reachability.js';
import { desiredServices, hasDesiredServices, hasServices, Service } from '../addresses/services.js';
import { EMPTY } from '../wire/empty.js';
import type { WireMessage } from '../wire/messages.js';
import { type Endpoint, NO_ENDPOINT } from '../wire/net-address.js';
import type { Version } from '../wire/version.js';
import { SCORES } from './misbehaviour/scores.js';
import type { Peer } from './peer.js';
import { rejectMessage } from './rejection.js';

/** Protocol versions from which a peer understands `sendheaders` and `sendcmpct`. */
const SENDHEADERS_VERSION = 70012;
const SHORT_IDS_VERSION = 70014;

/** Contents of our `version`, checks of the peer's, and callbacks of the handshake. */
export interface HandshakeContext {
  readonly userAgent: string;
  readonly services: bigint;
  /** False requests that peers announce no transactions. */
  readonly relay: boolean;
  /** Height of our tip. */
  height(): number;
  /** Returns true during initial download, when outbound peers must serve all blocks. */
  syncing(): boolean;
  /** Our clock, seconds since 1970. */
  now(): number;
  /** Network time, seconds since 1970. */
  adjustedNow(): number;
  /** Returns true if this node sent the nonce on an outbound connection whose handshake is incomplete. */
  isOwnNonce(nonce: bigint): boolean;
  isProxy(ip: Uint8Array): boolean;
  /** Called with the services of a peer that this node connected to, even if it is disconnected for lack of them. */
  offered(peer: Peer, services: bigint): void;
  /** Called after the peer's `version` was accepted. */
  introduced(peer: Peer, version: Version): void;
  /** Called after the peer's `verack`, which ends the handshake. */
  ready(peer: Peer): void;
}

/** Reason to reject a peer's `version`. */
interface Refusal {
  readonly reason: string;
  /** Code and reason of the `reject` message to the peer. */
  readonly rejection?: readonly [code: RejectCode, reason: string];
}

/** Handshake: the exchange of `version` and `verack` (docs/protocol/chain.md 7.1). */
export class Handshake {
  readonly #context: HandshakeContext;
  readonly #log: Logger;

  constructor(context: HandshakeContext, log: Logger) {
    this.#context = context;
    this.#log = log;
  }

  /** Sends our `version`. The side that opens the connection sends first. */
  greet(peer: Peer): void {
    const { userAgent, relay, height, now, adjustedNow } = this.#context;
    const services = this.#servicesFor(peer);
    // The address of a proxy is not that of the peer, and must not be disclosed to it.
    const shown = isRoutable(peer.endpoint.ip) && !this.#context.isProxy(peer.endpoint.ip);
    const receiver: Endpoint = shown ? peer.endpoint : NO_ENDPOINT;
    peer.send({
      command: 'version',
      payload: {
        version: PROTOCOL_VERSION,
        services,
        // Answers contain network time, as those of defid.
        time: BigInt(peer.inbound ? adjustedNow() : now()),
        receiver: { services: 0n, ip: receiver.ip, port: receiver.port },
        sender: { services, ...NO_ENDPOINT },
        nonce: peer.nonce,
        userAgent,
        startHeight: height(),
        relay,
      },
    });
  }

  /** Services of this node for a peer: the permission `bloomfilter` adds one. */
  #servicesFor({ permissions }: Peer): bigint {
    return this.#context.services | (permissions.has('bloomfilter') ? Service.bloom : 0n);
  }

  /** Processes `version` and, before the end of the handshake, `verack`. */
  process(peer: Peer, message: WireMessage<'version' | 'verack'>): void {
    if (message.command === 'version') this.#processVersion(peer, message.payload);
    else if (peer.version) this.#processVerack(peer);
    else this.processEarly(peer, message.command);
  }

  /** Charges a peer for a message before its `version` or `verack`. */
  processEarly(peer: Peer, command: string): void {
    const [score, missing] = peer.version ? [SCORES.messageBeforeVerack, 'verack'] : [SCORES.messageBeforeVersion, 'version'];
    peer.misbehave(score, `${command} before ${missing}`);
  }

  #processVersion(peer: Peer, version: Version): void {
    if (peer.version) {
      peer.reject(rejectMessage('version', RejectCode.DUPLICATE, 'Duplicate version message'));
      peer.misbehave(SCORES.duplicateVersion, 'duplicate version');
      return;
    }
    if (!peer.inbound) this.#context.offered(peer, version.services);
    const refusal = this.#refusal(peer, version);
    if (refusal) {
      if (refusal.rejection) peer.reject(rejectMessage('version', ...refusal.rejection));
      peer.disconnect(refusal.reason);
      return;
    }
    peer.version = version;
    peer.relaysTransactions = version.relay;
    peer.timeOffset = offsetOf(version.time, this.#context.now());
    peer.localEndpoint = version.receiver;
    if (peer.inbound) this.greet(peer);
    peer.send({ command: 'verack', payload: EMPTY });
    this.#log.debug('receive version message', {
      peer: peer.id,
      name: peer.logName,
      version: version.version,
      agent: version.userAgent,
      height: version.startHeight,
    });
    this.#context.introduced(peer, version);
  }

  #refusal(peer: Peer, { version, services, nonce }: Version): Refusal | undefined {
    if (peer.inbound && this.#context.isOwnNonce(nonce)) return { reason: 'connected to self' };
    const syncing = this.#context.syncing();
    if ((peer.kind === 'outbound' || peer.kind === 'seed') && !hasDesiredServices(services, syncing)) {
      const desired = desiredServices(services, syncing).toString(16).padStart(8, '0');
      const rejection = [RejectCode.NON_STANDARD, `Expected to offer services ${desired}`] as const;
      return { reason: 'does not offer the expected services', rejection };
    }
    if (version >= MIN_PEER_PROTOCOL_VERSION) return undefined;
    const rejection = [RejectCode.OBSOLETE, `Version must be ${MIN_PEER_PROTOCOL_VERSION} or greater`] as const;
    return { reason: 'using obsolete version', rejection };
  }

  #processVerack(peer: Peer): void {
    peer.ready = true;
    if (peer.protocolVersion >= SENDHEADERS_VERSION) peer.send({ command: 'sendheaders', payload: EMPTY });
    if (peer.protocolVersion >= SHORT_IDS_VERSION) {
      // The preferred version comes first. High-bandwidth mode is requested later, by `CompactRelay`.
      const versions = hasServices(this.#context.services, Service.witness) ? [2n, 1n] : [1n];
      for (const version of versions) peer.send({ command: 'sendcmpct', payload: { announce: false, version } });
    }
    this.#context.ready(peer);
  }
}

/** Difference of the clocks, seconds. The peer's time is reduced to 53 bits, which the number can represent. */
function offsetOf(theirs: bigint, ours: number): number {
  return Number(BigInt.asIntN(53, theirs)) - ours;
}
