import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import type { NetworkParams } from '../../params/network.js';
import type { Logger } from '../../util/logger.js';
import type { Bans } from '../addresses/bans.js';
import { formatEndpoint, remoteEndpoint, socketIp } from '../addresses/ip.js';
import type { Grant, Permissions } from '../addresses/permissions.js';
import { wireCodecs } from '../wire/messages.js';
import type { Endpoint } from '../wire/net-address.js';
import type { Admission } from './admission.js';
import type { RoundRobin } from './inbox.js';
import { Link, type LinkContext } from './link.js';
import { BanScores } from './misbehaviour/ban-score.js';
import type { NetTotals } from './net-totals.js';
import type { PeersOptions } from './options.js';
import type { Peer, PeerKind } from './peer.js';
import type { PeerTable } from './peer-table.js';
import type { Router } from './router.js';

export interface LinksParts {
  readonly params: Pick<NetworkParams, 'p2pMagic' | 'txFormat'>;
  readonly table: PeerTable;
  readonly bans: Bans;
  readonly totals: NetTotals;
  readonly turns: RoundRobin;
  readonly admission: Admission;
  readonly router: Router;
  readonly log: Logger;
  /** Monotonic clock, ms. */
  readonly monotonic: () => number;
}

/** Makes peers of connected sockets: admitted inbound ones, and outbound ones. */
export class Links {
  readonly #context: LinkContext;

  constructor(
    private readonly options: PeersOptions,
    private readonly parts: LinksParts,
  ) {
    this.#context = this.#makeContext();
  }

  /** Admits an inbound connection or closes it. */
  accept(socket: Socket, grant: Grant | undefined): void {
    const { admission, log } = this.parts;
    const endpoint = remoteEndpoint(socket);
    socket.on('error', () => {});
    if (!endpoint) {
      socket.destroy();
      return;
    }
    const admitted = admission.admit(endpoint, grant);
    if ('permissions' in admitted) {
      const peer = this.adopt(socket, 'inbound', endpoint, formatEndpoint(endpoint), admitted.permissions);
      peer.isBanned = admitted.isBanned;
    } else {
      log.debug(`connection from ${formatEndpoint(endpoint)} dropped (${admitted.refusal})`);
      socket.destroy();
    }
  }

  /** Adds the peer of a connected socket, and begins the handshake if this node opened the connection. */
  adopt(socket: Socket, kind: PeerKind, endpoint: Endpoint, name: string, permissions: Permissions): Peer {
    const { table, router, log, monotonic } = this.parts;
    const local = socketIp(socket.localAddress);
    const link = new Link(
      {
        id: table.nextId(),
        kind,
        endpoint,
        name,
        logName: this.options.logsAddresses || kind === 'manual' ? name : undefined,
        boundTo: local && formatEndpoint({ ip: local, port: socket.localPort ?? 0 }),
        permissions,
        nonce: randomBytes(8).readBigUInt64LE(),
        connectedMs: monotonic(),
      },
      socket,
      this.#context,
    );
    table.add(link);
    log.debug('connected', { peer: link.peer.id, name: link.peer.logName, kind });
    if (kind !== 'inbound') router.handshake.greet(link.peer);
    return link.peer;
  }

  #makeContext(): LinkContext {
    const { params, table, bans, totals, turns, router, log, monotonic } = this.parts;
    const { maxReceiveBytes, maxSendBytes, sendsRejects, banScore } = this.options;
    const scores = new BanScores(banScore, { table, bans, log });
    return {
      magic: params.p2pMagic,
      codecs: wireCodecs(params.txFormat),
      maxReceiveBytes,
      maxSendBytes,
      sendsRejects,
      turns,
      totals,
      log,
      monotonic,
      handle: (peer, message) => router.handle(peer, message),
      handleUndecoded: (peer, command) => router.handleUndecoded(peer, command),
      misbehaved: (peer, score, reason) => scores.add(peer, score, reason),
      closed: (peer) => {
        table.remove(peer);
        router.closed(peer);
      },
    };
  }
}
