import type { Publisher } from 'zeromq';

/** Parts of a message: topic, body and sequence number. */
export type ZmqMessage = readonly [topic: Uint8Array, body: Uint8Array, sequence: Uint8Array];

/** Memory of messages that wait for the library. It takes them immediately, except for a turn of the event loop now and then. */
const MAX_WAITING_BYTES = 64 * 2 ** 20;
/** Estimated memory of a waiting message, besides its bytes. */
const MESSAGE_BYTES = 256;

/** A socket that publishes to any number of subscribers, and never waits for one. */
export class ZmqSocket {
  readonly #publisher: Publisher;
  #waiting: ZmqMessage[] = [];
  #waitingBytes = 0;
  #isSending = false;

  /** Loads the library and binds the socket. @throws {Error} with the text of the library if the address is wrong or in use */
  static async open(address: string, highWaterMark: number): Promise<ZmqSocket> {
    const { Publisher } = await import('zeromq');
    const publisher = new Publisher({ sendHighWaterMark: highWaterMark, linger: 0 });
    try {
      await publisher.bind(address);
    } catch (error) {
      publisher.close();
      throw error;
    }
    return new ZmqSocket(publisher);
  }

  private constructor(publisher: Publisher) {
    this.#publisher = publisher;
  }

  /** Publishes a message, unless too much waits already: like for a slow subscriber, it is lost then. */
  send(message: ZmqMessage): void {
    const bytes = MESSAGE_BYTES + message[1].length;
    if (this.#waitingBytes + bytes > MAX_WAITING_BYTES) return;
    this.#waitingBytes += bytes;
    this.#waiting.push(message);
    if (!this.#isSending) void this.#sendAll();
  }

  /** Closes the socket. Messages that wait are lost. */
  close(): void {
    this.#waiting = [];
    this.#publisher.close();
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true;
    while (this.#waiting.length > 0) {
      const messages = this.#waiting;
      this.#waiting = [];
      for (const message of messages) {
        this.#waitingBytes -= MESSAGE_BYTES + message[1].length;
        // A second message must not begin before the first is taken. None is taken after the socket was closed.
        if (!this.#publisher.closed) await this.#publisher.send([...message]).catch(() => {});
      }
    }
    this.#isSending = false;
  }
}
