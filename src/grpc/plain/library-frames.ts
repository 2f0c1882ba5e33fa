import type { Socket } from 'node:net';
import { END_HEADERS, FRAME_HEAD_BYTES, FrameType } from './frames.js';
import type { SendWindow } from './send-window.js';

const NOTHING = Buffer.alloc(0);

/** Passes the frames of the library to the client: whole ones, header blocks in one go, and data within the window of the connection. */
export class LibraryFrames {
  #unsent: Buffer = NOTHING;
  #isHeld = false;

  constructor(
    readonly library: Socket,
    readonly client: Socket,
    readonly window: SendWindow,
    /** Highest stream that was answered without the library. */
    readonly lastAnswered: () => number,
  ) {
    library.on('data', (chunk: Buffer) => this.#pass(chunk));
  }

  /** Sends what was held back, as far as the window and the client allow it now. */
  resume(): void {
    if (this.#isHeld) this.#pass(NOTHING);
    this.#readOn();
  }

  #pass(chunk: Buffer): void {
    const bytes = this.#unsent.length === 0 ? chunk : Buffer.concat([this.#unsent, chunk]);
    const end = this.#passable(bytes);
    this.#unsent = bytes.subarray(end);
    if (end > 0) this.client.write(bytes.subarray(0, end));
    this.#readOn();
  }

  #readOn(): void {
    if (this.#isHeld || this.client.writableNeedDrain) this.library.pause();
    else this.library.resume();
  }

  /** End of the frames that may be sent. */
  #passable(bytes: Buffer): number {
    this.#isHeld = false;
    let end = 0;
    for (let at = 0; bytes.length - at >= FRAME_HEAD_BYTES; ) {
      const length = bytes.readUIntBE(at, 3);
      const type = bytes[at + 3] as number;
      const next = at + FRAME_HEAD_BYTES + length;
      if (next > bytes.length) break;
      if (type === FrameType.DATA && !this.window.takeLibrary(length)) {
        this.#isHeld = true;
        break;
      }
      if (type === FrameType.GOAWAY) this.#correctLast(bytes, at + FRAME_HEAD_BYTES);
      at = next;
      const isOpen =
        (type === FrameType.HEADERS || type === FrameType.CONTINUATION) && ((bytes[next - length - 5] as number) & END_HEADERS) === 0;
      if (!isOpen) end = at;
    }
    return end;
  }

  /** The library does not know of the calls that it did not receive, and the client must not repeat those. */
  #correctLast(bytes: Buffer, at: number): void {
    const last = this.lastAnswered();
    if (bytes.readUInt32BE(at) < last) bytes.writeUInt32BE(last, at);
  }
}
