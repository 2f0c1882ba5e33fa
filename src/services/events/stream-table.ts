import type { CallContext } from '../../rpc/handler.js';
import { NodeError } from '../../util/errors.js';
import type { EventReader } from './reader.js';

/** Reason for which a stream ended: its client left or read too slowly, its place is no longer kept, the node stops, or an error. */
export type StreamEnd = 'client' | 'slow' | 'too-old' | 'stopping' | 'error';

/** An open stream. */
export interface OpenStream {
  readonly id: number;
  readonly transport: string;
  readonly reader: Pick<EventReader, 'lag'>;
}

/** The open streams, with the counters for metrics. */
export class StreamTable {
  readonly #open = new Set<OpenStream>();
  readonly #ended: Record<StreamEnd, number> = { client: 0, slow: 0, 'too-old': 0, stopping: 0, error: 0 };
  #lastId = 0;
  /** Events that clients of streams have received. */
  sent = 0;

  open(reader: Pick<EventReader, 'lag'>, { transport = 'rest' }: Pick<CallContext, 'transport'>): OpenStream {
    const stream = { id: ++this.#lastId, transport, reader };
    this.#open.add(stream);
    return stream;
  }

  close(stream: OpenStream, end: StreamEnd): void {
    if (this.#open.delete(stream)) this.#ended[end] += 1;
  }

  /** Open streams. */
  all(): Iterable<OpenStream> {
    return this.#open;
  }

  get ended(): Readonly<Record<StreamEnd, number>> {
    return this.#ended;
  }
}

/** Reason of an end by the error that the stream failed with, or with which it was aborted. */
export function endOf(thrown: unknown): StreamEnd {
  if (!(thrown instanceof NodeError)) return 'error';
  const { kind } = thrown;
  if (kind === 'resource-exhausted') return 'slow';
  if (kind === 'out-of-range') return 'too-old';
  if (kind === 'unavailable') return 'stopping';
  return kind === 'cancelled' || kind === 'deadline-exceeded' ? 'client' : 'error';
}
