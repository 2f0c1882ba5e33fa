import { type Json, type JsonRecord, recordOf } from './json.js';
import { LoginError, type NodeClient } from './node-client.js';

/** Number of events that are kept for views. */
const KEPT = 200;
const RETRY_MS = 3000;

/** State of the connection to the stream of events. */
export type LiveState = 'connected' | 'waiting';

/** Events of the node since the page was opened. */
export class Live {
  /** Newest first. */
  readonly events: JsonRecord[] = [];
  readonly #listeners = new Set<(event: JsonRecord) => void>();
  readonly #abort = new AbortController();
  #state: LiveState | undefined;

  constructor(
    private readonly node: Pick<NodeClient, 'events'>,
    private readonly onState: (state: LiveState) => void,
  ) {}

  /** Reads events until `stop`, and connects again after a failure. */
  async run(): Promise<void> {
    const { signal } = this.#abort;
    while (!signal.aborted) {
      try {
        for await (const event of this.node.events(signal)) this.#take(event);
      } catch (error) {
        if (error instanceof LoginError) return;
      }
      if (signal.aborted) return;
      this.#enter('waiting');
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
    if (state === this.#state) return;
    this.#state = state;
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
