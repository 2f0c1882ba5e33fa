import type { BlockIndexEntry } from '../chain/block-index.js';
import type { Chain } from '../chain/chain.js';
import { strippedBlock } from '../primitives/block.js';
import { strippedBytes, type Transaction } from '../primitives/transaction.js';
import { reverseBytes } from '../util/bytes.js';
import { finish } from '../util/slicer.js';
import type { ZmqNotifier, ZmqTopic } from './notifier.js';
import { type ZmqMessage, ZmqSocket } from './socket.js';

export interface ZmqModules {
  readonly chain: Pick<Chain, 'params' | 'block' | 'rawBlock'>;
  /** False with -rpcserialversion=0: transactions and blocks are published without witness data. */
  readonly showsWitness: boolean;
}

/** Socket of a notifier, and the number of its next message, from 0 to 2^32 - 1 and around. */
interface Outlet {
  readonly notifier: ZmqNotifier;
  readonly socket: Pick<ZmqSocket, 'send'>;
  sequence: number;
}

/**
 * Publishes blocks and transactions over ZeroMQ. Nothing is kept for later: subscribers see from the sequence numbers what they missed.
 * Source: the options and messages of `defid`, docs/protocol/rpc-chain.md 2.9.
 */
export class ZmqNotifications {
  /** Sockets, one for each address. */
  readonly #sockets: readonly ZmqSocket[];
  readonly #outlets: readonly Outlet[];

  /**
   * Binds the sockets. Notifiers of one address share a socket, whose high-water mark is that of the first.
   * @param notifiers in the order in which an event that concerns several is published
   * @throws {Error} that names the address which cannot be used
   */
  static async open(notifiers: readonly ZmqNotifier[], modules: ZmqModules): Promise<ZmqNotifications> {
    const sockets = new Map<string, ZmqSocket>();
    try {
      for (const { topic, address, highWaterMark } of notifiers) {
        if (!sockets.has(address)) sockets.set(address, await openSocket(topic, address, highWaterMark));
      }
    } catch (error) {
      for (const socket of sockets.values()) socket.close();
      throw error;
    }
    return new ZmqNotifications(sockets, notifiers, modules);
  }

  private constructor(
    sockets: ReadonlyMap<string, ZmqSocket>,
    readonly notifiers: readonly ZmqNotifier[],
    private readonly modules: ZmqModules,
  ) {
    this.#sockets = [...sockets.values()];
    this.#outlets = notifiers.map((notifier) => ({ notifier, socket: sockets.get(notifier.address) as ZmqSocket, sequence: 0 }));
  }

  /** Publishes a block; its bytes only if they can be read. */
  block(entry: BlockIndexEntry): void {
    for (const outlet of this.#outlets) {
      if (outlet.notifier.topic === 'hashblock') publish(outlet, reverseBytes(entry.hash));
      const bytes = outlet.notifier.topic === 'rawblock' ? this.#blockBytes(entry) : undefined;
      if (bytes) publish(outlet, bytes);
    }
  }

  /** Publishes a transaction. */
  transaction(tx: Transaction): void {
    const { chain, showsWitness } = this.modules;
    for (const outlet of this.#outlets) {
      if (outlet.notifier.topic === 'hashtx') publish(outlet, reverseBytes(tx.txid));
      if (outlet.notifier.topic === 'rawtx') publish(outlet, showsWitness ? tx.raw : strippedBytes(tx, chain.params.txFormat));
    }
  }

  close(): void {
    for (const socket of this.#sockets) socket.close();
  }

  #blockBytes(entry: BlockIndexEntry): Uint8Array | undefined {
    const { chain, showsWitness } = this.modules;
    if (showsWitness) return chain.rawBlock(entry);
    const block = chain.block(entry);
    return block && finish(strippedBlock(block, chain.params.txFormat));
  }
}

/** An address cannot be bound; the cause has the code of the system. */
export class CannotPublish extends Error {
  override name = 'CannotPublish';
}

async function openSocket(topic: ZmqTopic, address: string, highWaterMark: number): Promise<ZmqSocket> {
  try {
    return await ZmqSocket.open(address, highWaterMark);
  } catch (cause) {
    throw new CannotPublish(`Unable to publish on ${address} (-zmqpub${topic}): ${(cause as Error).message}`, { cause });
  }
}

function publish(outlet: Outlet, body: Uint8Array): void {
  const sequence = Buffer.alloc(4);
  sequence.writeUInt32LE(outlet.sequence);
  outlet.sequence = (outlet.sequence + 1) >>> 0;
  const message: ZmqMessage = [Buffer.from(outlet.notifier.topic), body, sequence];
  outlet.socket.send(message);
}
