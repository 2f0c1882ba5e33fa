import type { Socket } from 'node:net';
import { type BodyOwner, bodyText, SHORT_BODY_BYTES } from '../body.js';
import type { ReplyStream } from '../reply.js';
import { PLAIN_HEAD_BYTES, type PlainHead, parsePlainHead } from './plain-head.js';
import { PlainReply } from './plain-reply.js';

/** Decides about plain requests and answers them. */
export interface PlainRequests {
  /** True if the request may be answered here, because no check of its head rejects it. */
  accepts(head: PlainHead, socket: Socket): boolean;
  /** Replies once to a request that was accepted, now or later. @param body text, or the bytes of a body of more than SHORT_BODY_BYTES */
  answer(head: PlainHead, body: string | Buffer, socket: Socket, reply: ReplyStream & BodyOwner): void;
}

/** The server of a plain connection. */
export interface PlainServer {
  readonly requests: PlainRequests;
  /** Maximum idle time of a connection. */
  readonly idleTimeoutMs: number;
  /** True while a call of the connection is running. */
  readonly isBusy: (socket: Socket) => boolean;
  /** False from the start of the shutdown. */
  readonly isServing: () => boolean;
  /** Serves the connection by `node:http` from now on. */
  readonly handOver: () => void;
  /** Answers a connection that ended within a request. */
  readonly refuse: () => void;
}

/** Bytes that may wait for the reply to an earlier request before the connection is read no further. */
const MAX_WAITING_BYTES = 256 * 1024;
/** Minimum of bytes per chunk of a long body; two chunks may be shorter. */
const CHUNK_BYTES = 16 * 1024;

/**
 * A connection whose requests are read without the parser of `node:http`, which costs more than most calls. Each request must be plain and
 * arrive in one or two chunks, or in a few more if its body is long. The first other request hands the connection to `node:http`, with all
 * unread bytes, for the rest of its life. Requests are answered one at a time, in the order of arrival.
 */
export class PlainConnection {
  readonly #reply: PlainReply;
  /** Head of the last request: most clients repeat it. */
  #head: PlainHead | undefined;
  /** Set from the arrival of a request until the socket has accepted the reply. */
  #isReplying = false;
  #hasReplied = false;
  /** A request whose body is not complete. */
  #partial: Buffer | undefined;
  /** Number of chunks that it arrived in so far. */
  #chunks = 0;
  /** Received bytes after the request that is being answered. */
  #waiting: Buffer[] = [];
  #waitingBytes = 0;

  constructor(
    readonly socket: Socket,
    readonly server: PlainServer,
  ) {
    this.#reply = new PlainReply(socket, server.idleTimeoutMs, (isLast) => this.#onReply(isLast));
    socket.setTimeout(server.idleTimeoutMs);
    socket.on('data', this.#onData).on('end', this.#onEnd).on('error', this.#onError);
    socket.on('timeout', this.#onTimeout).on('drain', this.#onDrain);
  }

  /**
   * Ends the connection if it is idle. If it has sent nothing yet, `node:http` takes over, which answers its first request with the reason.
   */
  closeIdle(): void {
    if (this.#isReplying) return;
    if (this.#partial || !this.#hasReplied) this.#handOver(this.#partial);
    else this.socket.destroySoon();
  }

  /** Not paused while a call runs: the end of the connection, which aborts the call, is noticed only by reading. */
  readonly #onData = (chunk: Buffer): void => {
    if (this.#isReplying) this.#wait(chunk);
    else if (this.#partial) {
      const bytes = Buffer.concat([this.#partial, chunk]);
      this.#partial = undefined;
      this.#serve(bytes, this.#chunks + 1);
    } else this.#serve(chunk);
  };

  /** As `node:http` does, ends the connection even if a reply is under way: the client has left or does not keep to the protocol. */
  readonly #onEnd = (): void => {
    if (this.#partial) this.server.refuse();
    else this.socket.end();
  };

  readonly #onError = (): void => {
    this.socket.destroy();
  };

  readonly #onTimeout = (): void => {
    if (!this.server.isBusy(this.socket)) this.socket.destroy();
  };

  readonly #onDrain = (): void => {
    if (this.#hasReplied && this.#isReplying) this.#next();
    else this.#reply.drained();
  };

  /**
   * Answers the requests in a chunk until one has to wait or is not plain.
   * @param chunks number of chunks that the first request has arrived in
   */
  #serve(bytes: Buffer, chunks = 1): void {
    for (let at = 0; at < bytes.length; ) {
      const head = this.server.isServing() ? this.#readHead(bytes, at) : undefined;
      const from = at + (head?.text.length ?? 0);
      const end = from + (head?.bodyBytes ?? 0);
      // Bytes after the last request of a connection are an error, about which `node:http` decides.
      if (!head || end > bytes.length || (head.isLast && end < bytes.length)) {
        this.#interrupt(bytes.subarray(at), end > bytes.length ? head : undefined, at > 0 ? 1 : chunks);
        return;
      }
      at = end;
      this.#isReplying = true;
      this.#hasReplied = false;
      if (head.isLast) this.#reply.endConnection();
      const body = end - from <= SHORT_BODY_BYTES ? textOf(bytes, from, end) : bytes.subarray(from, end);
      this.server.requests.answer(head, body, this.socket, this.#reply);
      if (this.#isReplying) {
        if (at < bytes.length) this.#wait(bytes.subarray(at));
        return;
      }
    }
  }

  /**
   * Many clients send the body in a second chunk, which is waited for, unless the head is to be refused before it arrives.
   * @param head undefined if it is not complete, or the request is not plain
   */
  #interrupt(bytes: Buffer, head: PlainHead | undefined, chunks: number): void {
    if (head?.headers.authorization !== undefined && chunks <= 1 + head.bodyBytes / CHUNK_BYTES) {
      this.#partial = bytes;
      this.#chunks = chunks;
    } else this.#handOver(bytes);
  }

  #readHead(bytes: Buffer, at: number): PlainHead | undefined {
    const text = bytes.toString('latin1', at, Math.min(bytes.length, at + PLAIN_HEAD_BYTES));
    if (this.#head && text.startsWith(this.#head.text)) return this.#head;
    const head = parsePlainHead(text);
    this.#head = head && this.server.requests.accepts(head, this.socket) ? head : undefined;
    return this.#head;
  }

  #onReply(isLast: boolean): void {
    this.#hasReplied = true;
    if (isLast) this.socket.destroySoon();
    // A client that does not read its replies gets no further ones.
    else if (!this.socket.writableNeedDrain) this.#next();
  }

  #next(): void {
    this.#isReplying = false;
    if (this.#waiting.length === 0) return;
    const bytes = Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.socket.resume();
    this.#serve(bytes);
  }

  #wait(bytes: Buffer): void {
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    if (this.#waitingBytes > MAX_WAITING_BYTES) this.socket.pause();
  }

  #handOver(unread?: Buffer): void {
    const { socket } = this;
    socket.off('data', this.#onData).off('end', this.#onEnd).off('error', this.#onError);
    socket.off('timeout', this.#onTimeout).off('drain', this.#onDrain);
    // Only a stream that is paused and then resumed emits what was put back.
    socket.pause();
    if (unread) socket.unshift(unread);
    this.server.handOver();
    socket.resume();
  }
}

/** Body as text; empty if it is not UTF-8, as no JSON is. */
function textOf(bytes: Buffer, from: number, end: number): string {
  const text = bytes.toString('utf8', from, end);
  // Decoding replaces wrong bytes by this character, which may also be part of the text.
  return text.includes('\ufffd') ? (bodyText(bytes.subarray(from, end)) ?? '') : text;
}
