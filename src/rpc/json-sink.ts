import { Slicer } from '../util/slicer.js';

/** JSON of an answer: the text of a short one, the UTF-8 of a long one in pieces. */
export type JsonAnswer = string | readonly Uint8Array[];

/** Undefined where work is done, a promise of its end where it was interrupted. */
export type Paused = Promise<void> | undefined;

/** Characters of a piece: encoding them takes a fraction of a millisecond. */
export const PIECE_CHARS = 32 * 1024;

/**
 * Collects JSON. Short JSON stays text. Long JSON becomes bytes piece by piece, and after each piece the writer is asked to pause if the
 * time of its slice is over. Writers append to `text` and call `pause` after each element of a list or map.
 */
export class JsonSink {
  /** End of the JSON that is not a piece yet. */
  text = '';
  /** A member or an element precedes, so that the next one needs a comma. */
  follows = false;
  readonly #pieces: Uint8Array[] = [];
  readonly #call: { readonly signal: AbortSignal } | undefined;
  #slicer: Slicer | undefined;

  /** @param call the call to answer; without it everything is written in one turn of the event loop */
  constructor(call?: { readonly signal: AbortSignal }) {
    this.#call = call;
  }

  /** Opens an object or an array. */
  open(text: string): undefined {
    this.text += text;
    this.follows = false;
  }

  /** Appends a value or the end of one. */
  put(text: string): undefined {
    this.text += text;
    this.follows = true;
  }

  /** Appends a value that was written before. */
  putJson(before: string, json: JsonAnswer): undefined {
    if (typeof json === 'string') return this.put(before + json);
    this.text += before;
    this.#flush();
    this.#pieces.push(...json);
    this.follows = true;
  }

  /**
   * Ends a piece that is long enough.
   * @returns a promise, if the caller has to wait for the next slice; it rejects with the reason of the call's signal once that is aborted
   */
  pause(): Paused {
    if (this.text.length < PIECE_CHARS) return undefined;
    this.#flush();
    if (!this.#call) return undefined;
    this.#slicer ??= new Slicer(this.#call);
    return this.#slicer.pause();
  }

  /** A sink for a part of the same answer, whose pauses count for that answer. */
  part(): JsonSink {
    return new JsonSink(this.#call);
  }

  /** The whole JSON, once everything is written. */
  finish(): JsonAnswer {
    if (this.#pieces.length === 0) return this.text;
    this.#flush();
    return this.#pieces;
  }

  #flush(): void {
    if (this.text === '') return;
    this.#pieces.push(Buffer.from(this.text));
    this.text = '';
  }
}
