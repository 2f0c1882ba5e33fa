import { setTimeout } from 'node:timers/promises';
import type { SubscribeRescanRequest, SubscribeRescanResponse } from '../../../../gen/ts/dfi/node/v1/control.js';
import type { CallContext, StreamHandler } from '../../../rpc/handler.js';
import type { Rescan } from '../../../wallet/rescan.js';
import { walletOf } from '../../wallet/modules.js';
import type { NodeModules } from '../modules.js';

const INTERVAL_MS = 1_000;

/** Streams the progress of the wallet's rescan until it ends. */
export const subscribeRescan: StreamHandler<Pick<NodeModules, 'wallets'>, SubscribeRescanRequest, SubscribeRescanResponse> = (
  modules,
  _request,
  call,
) => streamProgress(walletOf(modules, call).rescan, call);

async function* streamProgress(rescan: Rescan, { signal }: CallContext): AsyncGenerator<SubscribeRescanResponse> {
  for (;;) {
    const { state } = rescan;
    yield { running: state !== undefined, progress: state?.progress ?? 0, duration: state?.durationSec ?? 0 };
    if (!state) return;
    await intervalOrEnd(rescan, signal);
  }
}

/** Waits for an interval, or until the scan ends. @throws the signal's reason */
async function intervalOrEnd(rescan: Rescan, signal: AbortSignal): Promise<void> {
  const over = new AbortController();
  const interval = setTimeout(INTERVAL_MS, undefined, { signal: AbortSignal.any([signal, over.signal]) }).catch(() => {});
  await Promise.race([rescan.finished(), interval]);
  over.abort();
  signal.throwIfAborted();
}
