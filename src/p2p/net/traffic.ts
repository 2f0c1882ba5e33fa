/** Name for the bytes of all messages of unknown type. */
const OTHER = '*other*';

/** Bytes sent and received, in total and by message type, including message headers. */
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

  /** Counts received bytes; `receivedMessage` counts complete messages. */
  received(bytes: number, nowMs: number): void {
    this.bytesReceived += bytes;
    this.lastReceivedMs = nowMs;
  }

  /** @param command undefined for an unknown type, so that the sender cannot make the table grow */
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
