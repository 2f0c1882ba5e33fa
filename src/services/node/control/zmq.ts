import type { GetZmqNotificationsRequest, GetZmqNotificationsResponse } from '../../../../gen/ts/dfi/node/v1/control.js';
import type { Handler } from '../../../rpc/handler.js';

/** Empty: nothing is published over ZMQ, as by a `defid` that was built or started without it. */
export const getZmqNotifications: Handler<object, GetZmqNotificationsRequest, GetZmqNotificationsResponse> = () => ({ notifications: [] });
