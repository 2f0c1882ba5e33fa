import type { Socket } from 'node:net';
import { RejectCode } from '../../mempool/reject.js';
import { ByteReader, ByteWriter, type Codec, DecodeError } from '../../primitives/codec.js';
import type { Logger } from '../../util/logger.js';
import { Slicer, type Steps } from '../../util/slicer.js';
import { encodeFrame, type Frame, HEADER_SIZE } from '../wire/envelope.js';
import { LimitExceeded, MAX_PAYLOAD_SIZE } from '../wire/limits.js';
import type { Command, WireCodecs, WireMessage } from '../wire/messages.js';
import { Connection } from './connection.js';
import { NEVER_REQUESTED, type ReceivedMessage } from './events.js';
import { Inbox, type Reader, type RoundRobin } from './inbox.js';
import { OVERSIZE } from './misbehaviour/scores.js';
import type { NetTotals } from './net-totals.js';
import { Peer, type PeerHost, type PeerOptions } from './peer.js';
import { rejectMessage } from './rejection.js';

/** Bytes above -maxsendbuffer at which a peer that does not read is disconnected: two messages of the largest size. */
const SEND_RESERVE = 2 * MAX_PAYLOAD_SIZE;

/** Longest payload that is decoded in one turn of the event loop. Transactions of standard size are shorter. */
const LONG_PAYLOAD = 500_000;

/** Messages that may come before the end of the handshake. */
const HANDSHAKE: ReadonlySet<string> = new Set<Command>(['version', 'verack', 'reject']);

/** Facts and callbacks that all links share. */
export interface LinkContext {
  readonly magic: Uint8Array;
  readonly codecs: WireCodecs;
  readonly maxReceiveBytes: number;
  readonly maxSendBytes: number;
  readonly sendsRejects: boolean;
  readonly turns: RoundRobin;
  readonly totals: NetTotals;
  readonly log: Logger;
  /** Monotonic clock, ms. */
  readonly monotonic: () => number;
  handle(peer: Peer, message: ReceivedMessage): void;
  /** Handles a message that is not decoded: one of a type that the node does not know or use, or one that comes before the handshake. */
  handleUndecoded(peer: Peer, command: string): void;
  misbehaved(peer: Peer, score: number, reason: string): void;
  closed(peer: Peer): void;
}

/** A peer and its connection: encodes and decodes messages and enforces the limits of both directions. */
export class Link implements PeerHost, Reader {
  readonly peer: Peer;
  readonly #context: LinkContext;
  readonly #connection: Connection;
  readonly #inbox = new Inbox();
  #paused = false;
  readonly #closing = new AbortController();

  constructor(options: PeerOptions, socket: Socket, context: LinkContext) {
    this.#context = context;
    this.peer = new Peer(options, this);
    const known = (command: string) => Object.hasOwn(context.codecs, command);
    this.#connection = new Connection(
      socket,
      { magic: context.magic, known },
      {
        received: (bytes) => this.#received(bytes),
        frame: (frame) => this.#queue(frame),
        drained: () => this.wake(),
        closed: (error) => this.#closed(error),
      },
    );
  }

  get queuedBytes(): number {
    return this.#connection.queuedBytes;
  }

  get unprocessedBytes(): number {
    return this.#connection.pendingBytes + this.#inbox.bytes;
  }

  get maxSendBytes(): number {
    return this.#context.maxSendBytes;
  }

  get sendsRejects(): boolean {
    return this.#context.sendsRejects;
  }

  send(message: WireMessage): void {
    const { magic, codecs, totals, monotonic, maxSendBytes, log } = this.#context;
    const frame = encodeFrame(magic, message.command, payloadOf(codecs, message));
    log.debug('sending', { command: message.command, bytes: frame.length - HEADER_SIZE, peer: this.peer.id });
    this.#connection.send(frame);
    this.peer.traffic.sent(message.command, frame.length, monotonic());
    totals.addSent(frame.length);
    if (this.queuedBytes > maxSendBytes + SEND_RESERVE) this.disconnect('send buffer full');
  }

  disconnect(reason: string): void {
    if (this.peer.disconnected) return;
    this.#context.log.debug(reason, { peer: this.peer.id, name: this.peer.logName, disconnecting: true });
    this.#connection.close();
  }

  misbehaved(score: number, reason: string): void {
    this.#context.misbehaved(this.peer, score, reason);
  }

  wake(): void {
    if (!this.#inbox.empty && this.#deliverable) this.#context.turns.queue(this);
  }

  /** Processes one message. Never throws. */
  step(): boolean {
    if (!this.#deliverable) return false;
    const frame = this.#inbox.shift();
    if (frame) this.#handle(frame);
    if (this.#paused && this.#inbox.bytes <= this.#context.maxReceiveBytes) {
      this.#paused = false;
      this.#connection.resume();
    }
    return !this.#inbox.empty && this.#deliverable;
  }

  get #deliverable(): boolean {
    return !this.peer.disconnected && !this.peer.holds(this.#inbox.nextCommand) && !this.peer.congested;
  }

  #received(bytes: number): void {
    this.peer.traffic.received(bytes, this.#context.monotonic());
    this.#context.totals.addReceived(bytes);
  }

  #queue(frame: Frame): void {
    this.#inbox.push(frame);
    if (!this.#paused && this.#inbox.bytes > this.#context.maxReceiveBytes) {
      this.#paused = true;
      this.#connection.pause();
    }
    this.wake();
  }

  #closed(error: Error | undefined): void {
    if (error) this.#context.log.debug('connection failed', { peer: this.peer.id, error: error.message });
    this.peer.disconnected = true;
    this.#closing.abort();
    this.#inbox.clear();
    this.#context.turns.drop(this);
    this.#context.closed(this.peer);
  }

  #handle(frame: Frame): void {
    const { id } = this.peer;
    switch (frame.kind) {
      case 'message':
        this.#handleMessage(frame.command as Command, frame.payload, frame.size);
        break;
      case 'unknown':
        this.peer.traffic.receivedMessage(undefined, frame.size);
        this.#context.handleUndecoded(this.peer, frame.command);
        break;
      // The texts below are those of defid's log.
      case 'bad-command':
        this.#context.log.debug('PROCESSMESSAGE: ERRORS IN HEADER', { peer: id });
        break;
      case 'bad-checksum': {
        const { command, size, found, claimed } = frame;
        const about = `ProcessMessages(${command}, ${size - 24} bytes)`;
        this.#context.log.debug(`${about}: CHECKSUM ERROR expected ${found} was ${claimed}`, { peer: id });
        break;
      }
      case 'bad-magic':
        this.disconnect(`PROCESSMESSAGE: INVALID MESSAGESTART ${frame.command} peer=${id}`);
        break;
      case 'oversized':
        this.disconnect(`Oversized message from peer=${id}, disconnecting`);
        break;
    }
  }

  #handleMessage(command: Command, payload: Uint8Array, size: number): void {
    this.peer.traffic.receivedMessage(command, size);
    this.#context.log.debug('received', { command, bytes: payload.length, peer: this.peer.id });
    if (command === NEVER_REQUESTED || !(this.peer.ready || HANDSHAKE.has(command))) {
      this.#context.handleUndecoded(this.peer, command);
      return;
    }
    const { codecs } = this.#context;
    const steps = payload.length > LONG_PAYLOAD ? codecs[command].readLong?.(new ByteReader(payload)) : undefined;
    if (steps) void this.#handleLong(command, steps);
    else {
      try {
        this.#context.handle(this.peer, messageOf(codecs, command, payload));
      } catch (error) {
        this.#failed(command, error);
      }
    }
  }

  /** Decodes a long message in slices. The next messages of the peer wait for it. Never rejects. */
  async #handleLong(command: Command, steps: Steps<unknown>): Promise<void> {
    const release = this.peer.hold();
    try {
      const payload = await new Slicer(this.#closing.signal).run(steps);
      this.#context.handle(this.peer, { command, payload } as ReceivedMessage);
    } catch (error) {
      if (!this.peer.disconnected) this.#failed(command, error);
    } finally {
      release();
    }
  }

  #failed(command: Command, error: unknown): void {
    if (error instanceof LimitExceeded) this.#overLimit(command, error);
    else if (error instanceof DecodeError) this.#malformed(command, error);
    // A fault of this node: logged, and the connection is kept.
    else this.#context.log.error('unhandled error while processing a message', { peer: this.peer.id, command, error: textOf(error) });
  }

  #overLimit(command: Command, error: LimitExceeded): void {
    const { limit, size } = error;
    const penalty = OVERSIZE[limit];
    const reason = `${command} message size = ${size}`;
    if (penalty === 'malformed') this.#malformed(command, error);
    else if (penalty === 'disconnect') this.disconnect(reason);
    else if (penalty > 0) this.peer.misbehave(penalty, reason);
  }

  /** Ignores a malformed message, as `defid` does: a peer of another version may know other forms. */
  #malformed(command: Command, error: DecodeError): void {
    this.#context.log.debug('malformed message', { peer: this.peer.id, command, error: error.message });
    // Answering a malformed `reject` could start an endless exchange.
    if (command !== 'reject') this.peer.reject(rejectMessage(command, RejectCode.MALFORMED, 'error parsing message'));
  }
}

function payloadOf(codecs: WireCodecs, { command, payload }: WireMessage): Uint8Array {
  const w = new ByteWriter();
  // The table pairs each name with the codec of its payload, which the type system cannot follow here.
  (codecs[command] as Codec<unknown>).write(w, payload);
  return w.finish();
}

/** Decodes a payload. Bytes after it are ignored, because newer nodes may send more fields. @throws {DecodeError} */
function messageOf(codecs: WireCodecs, command: ReceivedMessage['command'], payload: Uint8Array): ReceivedMessage {
  return { command, payload: codecs[command].read(new ByteReader(payload)) } as ReceivedMessage;
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
