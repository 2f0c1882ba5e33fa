import type { GetZmqNotificationsRequest, GetZmqNotificationsResponse } from '../../../../gen/ts/dfi/node/v1/control.js';
import type { Handler } from '../../../rpc/handler.js';
import type { NodeModules } from '../modules.js';

type ZmqModules = Pick<NodeModules, 'zmqNotifiers'>;

/** Notifications that the node publishes over ZeroMQ: a row for each topic and address. */
export const getZmqNotifications: Handler<ZmqModules, GetZmqNotificationsRequest, GetZmqNotificationsResponse> = ({ zmqNotifiers }) => ({
  notifications: zmqNotifiers.map(({ topic, address, highWaterMark }) => ({ type: `pub${topic}`, address, hwm: BigInt(highWaterMark) })),
});
