import type { Chain } from '../chain/chain.js';
import type { HotStore } from '../storage/hot-store.js';
import { errorText } from '../util/errors.js';
import type { Logger } from '../util/logger.js';

/** Interval of retries after a full disk. */
const RETRY_MS = 2_000;

export interface DiskRetryDeps {
  readonly chain: Pick<Chain, 'on' | 'retry' | 'hasRoom'>;
  readonly store: Pick<HotStore, 'revive'>;
  readonly lifecycle: { readonly isStopping: boolean };
  readonly log: Logger;
}

/** Resumes block processing after a full disk: retries until there is space. The node keeps running meanwhile. */
export function retryWhenFull({ chain, store, lifecycle, log }: DiskRetryDeps, pauseMs = RETRY_MS): void {
  let isWaiting = false;
  let reported: string | undefined;
  const later = (): void => {
    if (isWaiting) return;
    isWaiting = true;
    setTimeout(() => void attempt(), pauseMs).unref();
  };
  /** @returns true if there is nothing left to retry */
  const retry = async (): Promise<boolean> => {
    if (lifecycle.isStopping || chain.retry()) return true;
    if (!chain.hasRoom) return false;
    await store.revive();
    return chain.retry();
  };
  const attempt = async (): Promise<void> => {
    const isDone = await retry().catch((error: unknown) => {
      const text = errorText(error);
      if (text !== reported) log.error('failed to reopen the database, will retry', { error: text });
      reported = text;
      return false;
    });
    isWaiting = false;
    if (isDone) reported = undefined;
    else later();
  };
  chain.on('fault', (fault) => {
    if (fault?.kind === 'disk-full') later();
  });
}
