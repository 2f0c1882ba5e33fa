import type { EventsServiceServer } from '../../../gen/ts/dfi/events/v1/events.js';
import type { Handlers } from '../../rpc/handler.js';
import type { EventsModules } from './modules.js';
import { getEvents, subscribeEvents } from './stream.js';

export const eventsHandlers = { getEvents, subscribeEvents } satisfies Handlers<EventsServiceServer, EventsModules>;
