import { setTimeout } from 'node:timers/promises';
import type { SubscribeRescanRequest, SubscribeRescanResponse } from '../../../gen/ts/dfi/node/v1/control.js';
import type { CallContext, StreamHandler } from '../../rpc/handler.js';
import { NodeError } from '../../util/errors.js';
import type { Rescan } from '../../wallet/rescan.js';
import type { NodeModules } from './modules.js';

const INTERVAL_MS = 1_000;

/** How far the scan for a wallet is, until it is over. */
export const subscribeRescan: StreamHandler<Pick<NodeModules, 'wallets'>, SubscribeRescanRequest, SubscribeRescanResponse> = (
  { wallets },
  _request,
  call,
) => {
  if (!wallets) throw new NodeError('method-not-found', 'Method not found');
  return tell(wallets.find(call.wallet).rescan, call);
};

async function* tell(rescan: Rescan, { signal }: CallContext): AsyncGenerator<SubscribeRescanResponse> {
  for (;;) {
    const { state } = rescan;
    yield { running: state !== undefined, progress: state?.progress ?? 0, duration: state?.durationSec ?? 0 };
    if (!state) return;
    await intervalOrOver(rescan, signal);
  }
}

/** Waits an interval, or until the scan is over. @throws the signal's reason */
async function intervalOrOver(rescan: Rescan, signal: AbortSignal): Promise<void> {
  const over = new AbortController();
  const interval = setTimeout(INTERVAL_MS, undefined, { signal: AbortSignal.any([signal, over.signal]) }).catch(() => {});
  await Promise.race([rescan.finished(), interval]);
  over.abort();
  signal.throwIfAborted();
}
