import type { Emitter } from '../../util/events.js';
import type { Logger } from '../../util/logger.js';
import type { AddressBook } from '../addresses/address-book.js';
import { formatIp } from '../addresses/ip.js';
import type { LocalAddresses } from '../addresses/local-addresses.js';
import type { WireMessage } from '../wire/messages.js';
import type { Version } from '../wire/version.js';
import type { AddressExchange } from './address-exchange.js';
import type { PeersEvents } from './events.js';
import { Handshake, type HandshakeContext } from './handshake.js';
import { sendPing } from './keepalive.js';
import type { Peer } from './peer.js';
import type { TimeOffset } from './time-offset.js';

export interface RouterDeps {
  readonly handshake: Omit<HandshakeContext, 'introduced' | 'ready'>;
  readonly exchange: AddressExchange;
  readonly book: AddressBook;
  readonly local: LocalAddresses;
  readonly time: TimeOffset;
  readonly events: Emitter<PeersEvents>;
  readonly log: Logger;
  readonly monotonic: () => number;
}

/** Brings each message to whom it concerns: the handshake, the upkeep of the network, or those who listen to the peers. */
export class Router {
  readonly handshake: Handshake;
  readonly #deps: RouterDeps;
  /** Peers that others were told of. */
  readonly #announced = new Set<Peer>();

  constructor(deps: RouterDeps) {
    this.#deps = deps;
    const introduced = (peer: Peer, version: Version) => this.#introduced(peer, version);
    this.handshake = new Handshake({ ...deps.handshake, introduced, ready: (peer) => this.#becameReady(peer) }, deps.log);
  }

  get ready(): ReadonlySet<Peer> {
    return this.#announced;
  }

  handle(peer: Peer, message: WireMessage): void {
    const { exchange, events, log, monotonic } = this.#deps;
    if (message.command === 'reject') log.debug('peer rejected', { peer: peer.id, ...message.payload });
    else if (!peer.ready || message.command === 'version') this.handshake.take(peer, message);
    else if (message.command === 'ping') peer.send({ command: 'pong', payload: message.payload });
    else if (message.command === 'pong') peer.latency.answered(message.payload.nonce, monotonic());
    else if (message.command === 'getaddr') exchange.answer(peer);
    else if (message.command === 'addr') {
      if (exchange.take(peer, message.payload)) peer.disconnect('told its addresses');
    } else if (message.command !== 'verack' && this.#announced.has(peer)) events.emit('message', { peer, message });
  }

  handleUnknown(peer: Peer): void {
    if (!peer.ready) this.handshake.takeUnknown(peer);
  }

  closed(peer: Peer): void {
    const { book, events, log } = this.#deps;
    if (!peer.inbound && peer.ready && peer.misbehaviour === 0) book.markConnected(peer.endpoint);
    if (!this.#announced.delete(peer)) return;
    // After the work at hand, which may be just about this peer.
    queueMicrotask(() => {
      try {
        events.emit('gone', peer);
      } catch (error) {
        log.error('the end of a connection could not be handled', { peer: peer.id, error: String(error) });
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
    if (peer.kind === 'feeler') peer.disconnect('feeler has felt');
  }

  #becameReady(peer: Peer): void {
    const { log, monotonic, events } = this.#deps;
    // Others can connect as often as they like, which must not fill the log.
    const say = peer.inbound ? log.debug : log.info;
    say.call(log, 'peer ready', { peer: peer.id, kind: peer.kind, version: peer.protocolVersion, agent: peer.version?.userAgent });
    sendPing(peer, monotonic());
    if (peer.kind === 'seed' || peer.disconnected) return;
    this.#announced.add(peer);
    events.emit('ready', peer);
  }
}
