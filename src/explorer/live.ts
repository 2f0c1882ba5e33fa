import { type Json, type JsonRecord, recordOf } from './json.js';
import { CallError, LoginError, type NodeClient } from './node-client.js';

/** Number of events that are kept for views. */
const KEPT = 200;
const RETRY_MS = 3000;

/**
 * State of the connection to the stream of events. The node may refuse the stream, such as with `-eventretention=0`, and is asked again;
 * after a refusal of the credentials it is not.
 */
export type LiveState = 'connected' | 'waiting' | CallError | LoginError;

/** Events of the node since the page was opened. */
export class Live {
  /** Newest first. */
  readonly events: JsonRecord[] = [];
  readonly #listeners = new Set<(event: JsonRecord) => void>();
  readonly #abort = new AbortController();
  /** Text of the state that was reported last. */
  #state: string | undefined;

  constructor(
    private readonly node: Pick<NodeClient, 'events'>,
    private readonly onState: (state: LiveState) => void,
  ) {}

  /** Reads events until `stop` or a refusal of the credentials, and connects again after any other failure. */
  async run(): Promise<void> {
    const { signal } = this.#abort;
    while (!signal.aborted) {
      let state: LiveState = 'waiting';
      try {
        for await (const event of this.node.events(signal)) this.#take(event);
      } catch (error) {
        if (error instanceof LoginError || error instanceof CallError) state = error;
      }
      if (signal.aborted) return;
      this.#enter(state);
      if (state instanceof LoginError) return;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }

  stop(): void {
    this.#abort.abort();
    this.#listeners.clear();
  }

  /** @returns the function that ends the subscription */
  subscribe(listener: (event: JsonRecord) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Reports a change only: a screen reader reads out the state each time that it is set. */
  #enter(state: LiveState): void {
    const text = String(state);
    if (text === this.#state) return;
    this.#state = text;
    this.onState(state);
  }

  #take(value: Json): void {
    const event = recordOf(value);
    this.#enter('connected');
    if (event.heartbeat !== undefined) return;
    this.events.unshift(event);
    this.events.length = Math.min(this.events.length, KEPT);
    for (const listener of this.#listeners) listener(event);
  }
}

/** Members that every event may have. */
const ENVELOPE: ReadonlySet<string> = new Set(['cursor', 'undone', 'height', 'blockhash', 'id']);

/** Kind of an event: the name of its own member. */
export function kindOf(event: JsonRecord): string {
  return Object.keys(event).find((name) => !ENVELOPE.has(name)) ?? '';
}
