import type { RpcMetrics } from '../metrics/rpc.js';
import type { Logger } from '../util/logger.js';
import { type CallObserver, transportOf } from './invoke.js';

/** Counts finished calls, and writes a line for each to the log at level `debug`. Arguments are never written: some are secret. */
export function observeCalls(metrics: Pick<RpcMetrics, 'finished'>, log: Logger): CallObserver {
  return {
    finished(call, method, code, seconds) {
      const transport = transportOf(call);
      metrics.finished(transport, method, code, seconds);
      log.debug('call', () => {
        const { user, requestId } = call;
        return { method, transport, user, code, ms: Number((seconds * 1000).toFixed(3)), requestId };
      });
    },
  };
}
