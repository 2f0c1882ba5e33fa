import type { Socket } from 'node:net';
import { Slicer } from '../../util/slicer.js';
import {
  ACK,
  contentOf,
  END_HEADERS,
  END_STREAM,
  type Frame,
  FrameType,
  frameLength,
  headerFrames,
  INITIAL_WINDOW,
  PREFACE,
  readFrame,
  windowUpdate,
} from './frames.js';
import { encodeFields, type Fields, HeaderDecoder } from './header-decoder.js';
import { LibraryFrames } from './library-frames.js';
import { answerFrames, dataBytes } from './plain-answer.js';
import { BEGUN_KEY, type PlainCalls, type PlainPeer } from './plain-calls.js';
import { type PlainHead, plainHeadOf } from './plain-head.js';
import { SendWindow } from './send-window.js';
import { WaitingCall } from './waiting-call.js';

/** Maximum number of calls that wait for their message, and of calls that were begun and are late. */
const MAX_CALLS = 100;
/** Time after which calls whose message is not complete are handed over. */
const WAIT_MS = 1000;
/** Maximum size of a header block that spans several frames. */
const MAX_BLOCK_BYTES = 64 * 1024;
/** Longer answers are sent by the library. */
const MAX_ANSWER_BYTES = 64 * 1024;
/** Received data that is credited to the client in one go. */
const CREDIT_BYTES = 16 * 1024;
/** Heads that are remembered while header compression keeps its state. */
const MAX_HEADS = 64;
/** Longer header blocks are not remembered, bytes. */
const MAX_KNOWN_BLOCK = 512;
/** SETTINGS_INITIAL_WINDOW_SIZE */
const INITIAL_WINDOW_SETTING = 4;

interface Head {
  readonly fields: Fields;
  /** Undefined if the library has to answer the call. */
  readonly plain: PlainHead | undefined;
}

/** A header block whose frames are not complete. */
interface OpenBlock {
  readonly first: Frame;
  readonly parts: Buffer[];
  readonly frames: Buffer[];
}

/**
 * A connection of a client that is relayed to the gRPC library frame by frame, except plain calls. A plain call only reads, has a small
 * message, and its caller has authenticated over this connection; it is answered here if the answer is ready in this turn of the event
 * loop. The library receives every other call. Its header blocks are encoded without compression, because the state of compression includes
 * the blocks of calls that the library does not receive. Streams keep their numbers; those that were answered here are unknown to the
 * library.
 */
export class PlainConnection {
  readonly #decoder = new HeaderDecoder();
  readonly #heads = new Map<string, Head>();
  /** State of the decoder for which the heads are known. */
  #headsOf = 0;
  readonly #window = new SendWindow();
  readonly #fromLibrary: LibraryFrames;
  #received: Buffer = Buffer.alloc(0);
  #hasPreface = false;
  /** True once the client has violated the protocol: the library alone reads the rest of its bytes. */
  #isRaw = false;
  #block: OpenBlock | undefined;
  /** By stream, in ascending order: each was opened after the last one that was forwarded. */
  readonly #waiting = new Map<number, WaitingCall>();
  #timer: NodeJS.Timeout | undefined;
  #lastOpened = 0;
  #lastForwarded = 0;
  #lastAnswered = 0;
  /** Initial window of a stream for our data. */
  #streamWindow = INITIAL_WINDOW;
  /** Received data that is not credited yet. */
  #consumed = 0;
  /** Calls that were begun here and are late. */
  #late = 0;
  #isPaused = false;
  #toLibrary: Buffer[] = [];
  #toClient: Buffer[] = [];

  constructor(
    readonly client: Socket,
    readonly library: Socket,
    readonly peer: PlainPeer,
    readonly calls: PlainCalls,
  ) {
    this.#fromLibrary = new LibraryFrames(library, client, this.#window, () => this.#lastAnswered);
    const readOn = (): void => this.#readOn();
    client.on('data', (chunk: Buffer) => this.#serve(chunk)).on('drain', () => this.#onDrain());
    client.on('end', () => library.end()).on('close', () => this.#onClose());
    library.on('drain', readOn).on('end', () => client.end());
    library.on('error', () => library.destroy()).on('close', () => client.destroySoon());
    client.resume();
  }

  #onDrain(): void {
    this.#fromLibrary.resume();
    this.#readOn();
  }

  #onClose(): void {
    clearTimeout(this.#timer);
    this.library.destroy();
    for (const name of this.peer.begun.keys()) this.#forget(name);
  }

  /** Cancels a call that was begun here and that the library will not continue. */
  #forget(name: string): void {
    this.peer.begun.get(name)?.source.cancel();
    this.peer.begun.delete(name);
  }

  #readOn(): void {
    if (this.#isPaused || this.library.writableNeedDrain || this.client.writableNeedDrain) this.client.pause();
    else this.client.resume();
  }

  #serve(chunk: Buffer): void {
    const bytes = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const slicer = new Slicer();
    let at = this.#hasPreface ? 0 : this.#readPreface(bytes);
    let paused: Promise<void> | undefined;
    while (!this.#isRaw && this.#hasPreface && !paused) {
      const length = frameLength(bytes, at);
      if (length === 'incomplete') break;
      if (length === 'too-long') this.#giveUp([]);
      else {
        at += length;
        if (this.#onFrame(readFrame(bytes, at - length, length)) && at < bytes.length) paused = slicer.pause();
      }
    }
    if (this.#isRaw) {
      this.#toLibrary.push(bytes.subarray(at));
      at = bytes.length;
    }
    this.#received = bytes.subarray(at);
    if (this.#waiting.size + this.peer.begun.size > 0) this.#timer ??= setTimeout(() => this.#onTimer(), WAIT_MS);
    this.#flush();
    if (paused) this.#pauseUntil(paused);
    else this.#readOn();
  }

  /** Other connections have their turn before the rest of the received bytes. */
  #pauseUntil(turn: Promise<void>): void {
    this.#isPaused = true;
    this.client.pause();
    void turn.then(() => {
      this.#isPaused = false;
      if (!this.client.destroyed) this.#serve(Buffer.alloc(0));
    });
  }

  /** @returns the offset after the preface */
  #readPreface(bytes: Buffer): number {
    const length = Math.min(bytes.length, PREFACE.length);
    if (!bytes.subarray(0, length).equals(PREFACE.subarray(0, length))) this.#giveUp([]);
    else if (length === PREFACE.length) {
      this.#hasPreface = true;
      this.#toLibrary.push(PREFACE);
      return length;
    }
    return 0;
  }

  #flush(): void {
    if (this.#consumed >= CREDIT_BYTES) {
      this.#toClient.push(windowUpdate(0, this.#consumed));
      this.#consumed = 0;
    }
    if (this.#toClient.length > 0) this.client.write(joined(this.#toClient));
    if (this.#toLibrary.length > 0) this.library.write(joined(this.#toLibrary));
    this.#toClient = [];
    this.#toLibrary = [];
  }

  #onTimer(): void {
    this.#timer = undefined;
    this.#handOverAll();
    const oldestMs = performance.now() - WAIT_MS;
    // The library has refused these calls, or it runs them itself.
    for (const [name, { startedMs }] of this.peer.begun) if (startedMs <= oldestMs) this.#forget(name);
    if (this.peer.begun.size > 0) this.#timer = setTimeout(() => this.#onTimer(), WAIT_MS);
    this.#flush();
  }

  /** @returns true if a call was run */
  #onFrame(frame: Frame): boolean {
    const { type, stream, whole } = frame;
    if (this.#block && (type !== FrameType.CONTINUATION || stream !== this.#block.first.stream)) this.#giveUp([whole]);
    else if (type === FrameType.DATA) return this.#onData(frame);
    else if (type === FrameType.HEADERS) this.#onHeaders(frame);
    else if (type === FrameType.CONTINUATION) this.#onContinuation(frame);
    else if (type === FrameType.SETTINGS) this.#onSettings(frame);
    else if (type === FrameType.WINDOW_UPDATE && stream === 0) this.#onCredit(frame);
    else if (type === FrameType.PUSH_PROMISE) this.#giveUp([whole]);
    else if (type === FrameType.PRIORITY && frame.payload.length === 5 && stream > 0) return false;
    else if (type === FrameType.RST_STREAM && frame.payload.length === 4 && this.#waiting.has(stream)) this.#drop(stream);
    else {
      if (type === FrameType.RST_STREAM) this.#forget(String(stream));
      this.#forward(frame);
    }
    return false;
  }

  /** Forwards a frame that is no call. */
  #forward({ type, stream, whole }: Frame): void {
    const waiting = this.#waiting.get(stream);
    if (waiting) this.#handOver(stream, waiting);
    if (stream <= this.#lastForwarded) this.#toLibrary.push(whole);
    else if (stream > this.#lastOpened && type <= FrameType.CONTINUATION) this.#giveUp([whole]);
    // All other frames concern a call that was answered here.
  }

  #onSettings({ flags, stream, payload, whole }: Frame): void {
    if (stream === 0 && (flags & ACK) === 0 && payload.length % 6 === 0) {
      for (let at = 0; at < payload.length; at += 6) {
        if (payload.readUInt16BE(at) === INITIAL_WINDOW_SETTING) this.#streamWindow = payload.readUInt32BE(at + 2);
      }
    }
    this.#toLibrary.push(whole);
  }

  #onCredit({ payload, whole }: Frame): void {
    const increment = payload.length === 4 ? payload.readUInt32BE() & 0x7fff_ffff : 0;
    if (increment === 0) {
      this.#giveUp([whole]);
      return;
    }
    const share = this.#window.credit(increment);
    if (share > 0) this.#toLibrary.push(windowUpdate(0, share));
    this.#fromLibrary.resume();
  }

  #onHeaders(frame: Frame): void {
    const content = contentOf(frame);
    if (!content || frame.stream % 2 === 0) this.#giveUp([frame.whole]);
    else if ((frame.flags & END_HEADERS) === 0) this.#block = { first: frame, parts: [content], frames: [frame.whole] };
    else this.#onBlock(frame, content, [frame.whole]);
  }

  #onContinuation({ flags, payload, whole }: Frame): void {
    const block = this.#block;
    if (!block) {
      this.#giveUp([whole]);
      return;
    }
    block.parts.push(payload);
    block.frames.push(whole);
    if ((flags & END_HEADERS) !== 0) {
      this.#block = undefined;
      this.#onBlock(block.first, Buffer.concat(block.parts), block.frames);
    } else if (block.frames.reduce((sum, { length }) => sum + length, 0) > MAX_BLOCK_BYTES) this.#giveUp([]);
  }

  #onBlock({ stream, flags }: Frame, block: Buffer, frames: readonly Buffer[]): void {
    const head = this.#headOf(block);
    if (!head) {
      this.#giveUp(frames);
      return;
    }
    const { fields, plain } = head;
    const waiting = this.#waiting.get(stream);
    if (waiting) this.#handOver(stream, waiting);
    const isNew = stream > this.#lastOpened;
    if (isNew) this.#lastOpened = stream;
    const method = isNew && plain && (flags & END_STREAM) === 0 && this.#waiting.size < MAX_CALLS ? this.calls.methodOf(plain) : undefined;
    if (plain && method) this.#waiting.set(stream, new WaitingCall(fields, plain, method));
    else if (isNew) this.#open(stream, flags, fields);
    else if (stream <= this.#lastForwarded) this.#toLibrary.push(headerFrames(stream, flags & END_STREAM, encodeFields(fields)));
  }

  #headOf(block: Buffer): Head | undefined {
    if (this.#headsOf !== this.#decoder.changes || this.#heads.size > MAX_HEADS) this.#heads.clear();
    const key = block.length <= MAX_KNOWN_BLOCK ? block.toString('latin1') : '';
    const known = this.#heads.get(key);
    if (known) return known;
    const before = this.#decoder.changes;
    const decoded = this.#decoder.decode(block);
    if (!decoded) return undefined;
    const fields = decoded.includes(BEGUN_KEY) ? withoutBegun(decoded) : decoded;
    const head = { fields, plain: plainHeadOf(fields) };
    this.#headsOf = this.#decoder.changes;
    // A block that changes the state has another meaning when it is repeated.
    if (before === this.#headsOf && key !== '') this.#heads.set(key, head);
    return head;
  }

  /** @returns true if a call was run */
  #onData(frame: Frame): boolean {
    const { stream, flags, payload } = frame;
    const waiting = this.#waiting.get(stream);
    if (!waiting) {
      if (stream > this.#lastForwarded && stream <= this.#lastOpened) this.#consumed += payload.length;
      this.#forward(frame);
      return false;
    }
    const content = contentOf(frame);
    if (!content) this.#giveUp([frame.whole]);
    else if (!waiting.add(frame, content)) this.#handOver(stream, waiting);
    else if ((flags & END_STREAM) !== 0) return this.#answer(stream, waiting);
    return false;
  }

  /** @returns true if the call was run */
  #answer(stream: number, call: WaitingCall): boolean {
    const { head, method, payloadBytes } = call;
    const message = call.message();
    const caller = this.calls.callerOf(method, head, this.peer);
    if (!message || !caller || this.#late + this.peer.begun.size >= MAX_CALLS) {
      this.#handOver(stream, call);
      return false;
    }
    const begun = this.calls.run(method, head, caller, message);
    const { answer } = begun;
    if (!(answer instanceof Promise) && this.#maySend(answer)) {
      this.#waiting.delete(stream);
      this.#consumed += payloadBytes;
      this.#lastAnswered = Math.max(this.#lastAnswered, stream);
      this.#toClient.push(answerFrames(stream, answer));
      return true;
    }
    if (answer instanceof Promise) this.#count(answer);
    const name = String(stream);
    this.peer.begun.set(name, begun);
    this.#handOver(stream, call, name);
    return true;
  }

  #maySend(answer: Uint8Array): boolean {
    const bytes = dataBytes(answer);
    return bytes <= MAX_ANSWER_BYTES && bytes <= this.#streamWindow && this.#window.takeOwn(bytes);
  }

  #count(late: Promise<unknown>): void {
    this.#late += 1;
    const settled = (): void => {
      this.#late -= 1;
    };
    late.then(settled, settled);
  }

  #drop(stream: number): void {
    this.#consumed += this.#waiting.get(stream)?.payloadBytes ?? 0;
    this.#waiting.delete(stream);
  }

  /** @param begun name of the call if it was begun */
  #handOver(stream: number, { fields, frames }: WaitingCall, begun?: string): void {
    this.#waiting.delete(stream);
    this.#open(stream, 0, begun === undefined ? fields : [...fields, BEGUN_KEY, begun]);
    this.#toLibrary.push(...frames);
  }

  #handOverAll(): void {
    for (const [stream, call] of this.#waiting) this.#handOver(stream, call);
  }

  /** Opens a stream at the library. Streams are opened in ascending order, so the waiting ones before it go first. */
  #open(stream: number, flags: number, fields: Fields): void {
    for (const [earlier, call] of this.#waiting) if (earlier < stream) this.#handOver(earlier, call);
    this.#lastForwarded = stream;
    this.#toLibrary.push(headerFrames(stream, flags & END_STREAM, encodeFields(fields)));
  }

  /** The library refuses or closes the connection, with the reason that it finds in the frames. */
  #giveUp(frames: readonly Buffer[]): void {
    this.#handOverAll();
    this.#isRaw = true;
    this.#toLibrary.push(...(this.#block?.frames ?? []), ...frames);
    this.#block = undefined;
  }
}

function joined(parts: readonly Buffer[]): Buffer {
  return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
}

/** Fields without the key that is ours alone. */
function withoutBegun(fields: Fields): Fields {
  return fields.filter((_, at) => fields[at - (at % 2)] !== BEGUN_KEY);
}
