/** Name under which messages of unknown kinds are counted. */
const OTHER = '*other*';

/** Bytes exchanged, in total and by message, envelopes included. */
export class Traffic {
  bytesSent = 0;
  bytesReceived = 0;
  /** Milliseconds of the monotonic clock; 0 before the first byte. */
  lastSentMs = 0;
  lastReceivedMs = 0;
  readonly #sentByMessage = new Map<string, number>();
  readonly #receivedByMessage = new Map<string, number>();

  sent(command: string, bytes: number, nowMs: number): void {
    this.bytesSent += bytes;
    this.lastSentMs = nowMs;
    add(this.#sentByMessage, command, bytes);
  }

  /** Bytes as they come in; whole messages are counted by `receivedMessage`. */
  received(bytes: number, nowMs: number): void {
    this.bytesReceived += bytes;
    this.lastReceivedMs = nowMs;
  }

  /** @param command undefined for a kind that nobody knows, or the sender could make the table grow */
  receivedMessage(command: string | undefined, bytes: number): void {
    add(this.#receivedByMessage, command ?? OTHER, bytes);
  }

  sentByMessage(): Record<string, number> {
    return sorted(this.#sentByMessage);
  }

  receivedByMessage(): Record<string, number> {
    return sorted(this.#receivedByMessage);
  }
}

function add(table: Map<string, number>, name: string, bytes: number): void {
  table.set(name, (table.get(name) ?? 0) + bytes);
}

function sorted(table: ReadonlyMap<string, number>): Record<string, number> {
  return Object.fromEntries([...table].sort(([a], [b]) => (a < b ? -1 : 1)));
}
