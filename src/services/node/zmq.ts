import type { GetZmqNotificationsRequest, GetZmqNotificationsResponse } from '../../../gen/ts/dfi/node/v1/control.js';
import type { Handler } from '../../rpc/handler.js';

/** This node publishes nothing over ZMQ, like a reference node that was built or started without it. */
export const getZmqNotifications: Handler<object, GetZmqNotificationsRequest, GetZmqNotificationsResponse> = () => ({ notifications: [] });
