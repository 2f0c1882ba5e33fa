import type {
  EventFilter,
  GetEventsRequest,
  GetEventsResponse,
  SubscribeEventsRequest,
  SubscribeEventsResponse,
} from '../../../gen/ts/dfi/events/v1/events.js';
import type { CallContext, Handler, StreamHandler } from '../../rpc/handler.js';
import { NodeError } from '../../util/errors.js';
import { type EventTest, readFilter } from './filter.js';
import { responseOf } from './log.js';
import type { EventsModules } from './modules.js';
import { News } from './news.js';
import { EventReader } from './reader.js';
import { message } from './sources.js';
import { endOf, type StreamEnd } from './stream-table.js';

/** Events that are read at a time. */
const BATCH = 256;
const HEARTBEAT_MS = 15_000;
const MAX_LIMIT = 1_000;
const MAX_WAIT_MS = 60_000;

/** Streams events from a cursor on, after a heartbeat with the place at which it begins. */
export const subscribeEvents: StreamHandler<EventsModules, SubscribeEventsRequest, SubscribeEventsResponse> = (modules, request, call) => {
  const reader = new EventReader(modules, filterOf(request.filter, modules, call), request.cursor);
  return streamEvents(modules, reader, call);
};

async function* streamEvents(
  modules: EventsModules,
  reader: EventReader,
  call: Pick<CallContext, 'signal' | 'transport'>,
): AsyncGenerator<SubscribeEventsResponse> {
  const { streams } = modules;
  const { signal } = call;
  const news = new News(modules);
  const stream = streams.open(reader, call);
  const heartbeat = () => ({ event: message(reader.cursor, { heartbeat: { height: modules.chain.tip.height } }) });
  let end: StreamEnd = 'client';
  try {
    yield heartbeat();
    for (;;) {
      news.forget();
      const events = await reader.read(BATCH, signal);
      for (const event of events) {
        yield responseOf(event);
        streams.sent += 1;
      }
      if (events.length === 0 && !(await news.wait(HEARTBEAT_MS, signal))) yield heartbeat();
    }
  } catch (error) {
    end = endOf(error);
    throw error;
  } finally {
    news.close();
    streams.close(stream, signal.aborted ? endOf(signal.reason) : end);
  }
}

const NO_FILTER: EventFilter = { kinds: [], owners: [], tokens: [], pools: [], vaults: [], wallets: [] };

function filterOf(filter: EventFilter | undefined, { chain, mayCall }: EventsModules, { caller }: Pick<CallContext, 'caller'>): EventTest {
  return readFilter(filter, chain, (operation) => caller === undefined || mayCall(operation, caller));
}

/** Events after a cursor, or the first one that comes. */
export const getEvents: Handler<EventsModules, GetEventsRequest, GetEventsResponse> = async (modules, request, call) => {
  const { signal } = call;
  const { cursor, limit, timeout } = request;
  const kinds = request.kinds === '' ? [] : request.kinds.split(',').map((kind) => kind.trim());
  const limits = request.filter ?? NO_FILTER;
  const filter = { ...limits, kinds: [...limits.kinds, ...kinds] };
  if (limit === 0 || limit > MAX_LIMIT) throw new NodeError('invalid-parameter', `limit must be from 1 to ${MAX_LIMIT}`);
  if (timeout > MAX_WAIT_MS) throw new NodeError('invalid-parameter', `timeout must be at most ${MAX_WAIT_MS} ms`);
  const reader = new EventReader(modules, filterOf(filter, modules, call), cursor);
  const news = new News(modules);
  const deadline = performance.now() + timeout;
  try {
    for (;;) {
      news.forget();
      const events = cursor === '' ? [] : await reader.read(limit, signal);
      const left = deadline - performance.now();
      if (events.length > 0 || cursor === '' || left <= 0) return { events: [...events], cursor: reader.cursor };
      await news.wait(left, signal);
    }
  } finally {
    news.close();
  }
};
