import type { Emitter } from '../../util/events.js';
import type { Logger } from '../../util/logger.js';
import type { AddressBook } from '../addresses/address-book.js';
import { formatIp } from '../addresses/ip.js';
import type { LocalAddresses } from '../addresses/local-addresses.js';
import type { Version } from '../wire/version.js';
import type { AddressExchange } from './address-exchange.js';
import type { PeersEvents, ReceivedMessage } from './events.js';
import { Handshake, type HandshakeContext } from './handshake.js';
import { sendPing } from './keepalive.js';
import type { Peer } from './peer.js';
import type { TimeOffset } from './time-offset.js';

/** Parts of the node that `Router` uses. */
export interface RouterDeps {
  readonly handshake: Omit<HandshakeContext, 'offered' | 'introduced' | 'ready'>;
  readonly exchange: AddressExchange;
  readonly book: AddressBook;
  readonly local: LocalAddresses;
  readonly time: TimeOffset;
  readonly events: Emitter<PeersEvents>;
  readonly log: Logger;
  readonly monotonic: () => number;
}

/** Dispatches messages to the handshake, to keepalive and address exchange, or to listeners of `message`. */
export class Router {
  readonly handshake: Handshake;
  readonly #deps: RouterDeps;
  /** Peers for which `ready` was emitted. */
  readonly #ready = new Set<Peer>();

  constructor(deps: RouterDeps) {
    this.#deps = deps;
    const introduced = (peer: Peer, version: Version) => this.#introduced(peer, version);
    const offered = (peer: Peer, services: bigint) => deps.book.setServices(peer.endpoint, services);
    this.handshake = new Handshake({ ...deps.handshake, offered, introduced, ready: (peer) => this.#becameReady(peer) }, deps.log);
  }

  get ready(): ReadonlySet<Peer> {
    return this.#ready;
  }

  handle(peer: Peer, message: ReceivedMessage): void {
    const { exchange, events, log, monotonic } = this.#deps;
    if (message.command === 'reject') log.debug('peer rejected', { peer: peer.id, ...message.payload });
    else if (message.command === 'version') this.handshake.process(peer, message);
    else if (message.command === 'verack') {
      if (!peer.ready) this.handshake.process(peer, message);
    } else if (message.command === 'ping') peer.send({ command: 'pong', payload: message.payload });
    else if (message.command === 'pong') peer.latency.answered(message.payload.nonce, monotonic());
    else if (message.command === 'getaddr') exchange.answer(peer);
    else if (message.command === 'addr') {
      if (exchange.process(peer, message.payload)) peer.disconnect('addr-fetch completed');
    } else if (this.#ready.has(peer)) events.emit('message', { peer, message });
  }

  handleUndecoded(peer: Peer, command: string): void {
    if (!peer.ready) this.handshake.processEarly(peer, command);
  }

  closed(peer: Peer): void {
    const { book, events, log } = this.#deps;
    if (!peer.inbound && peer.ready && peer.misbehaviour === 0) book.markConnected(peer.endpoint);
    if (!this.#ready.delete(peer)) return;
    // Deferred until the current handler has returned: it may be working on this peer.
    queueMicrotask(() => {
      try {
        events.emit('disconnected', peer);
      } catch (error) {
        log.error('error while closing a connection', { peer: peer.id, error: String(error) });
      }
    });
  }

  #introduced(peer: Peer, { services, receiver }: Version): void {
    const { time, local, exchange, book } = this.#deps;
    time.add(formatIp(peer.endpoint.ip), peer.timeOffset);
    if (peer.inbound) {
      local.seen(receiver.ip);
      return;
    }
    exchange.introduce(peer);
    book.markGood(peer.endpoint, services);
    if (peer.kind === 'feeler') peer.disconnect('feeler connection completed');
  }

  #becameReady(peer: Peer): void {
    const { log, monotonic, events } = this.#deps;
    // Inbound peers can connect as often as they like, which must not fill the log.
    const write = peer.inbound ? log.debug : log.info;
    write.call(log, 'peer ready', { peer: peer.id, kind: peer.kind, version: peer.protocolVersion, agent: peer.version?.userAgent });
    sendPing(peer, monotonic());
    if (peer.kind === 'seed' || peer.disconnected) return;
    this.#ready.add(peer);
    events.emit('ready', peer);
  }
}
