import type { Registry } from 'prom-client';
import { count, watch } from './gauge.js';

/** The part of the kept sums of rewards that metrics read. */
export interface ObservedKnownRewards {
  readonly hits: number;
  readonly misses: number;
  readonly size: number;
}

/** Metrics of the sums of rewards that reads keep, read on scrape. */
export function observeKnownRewards(registry: Registry, rewards: ObservedKnownRewards): void {
  count(registry, 'dfi_reward_sums_hits_total', 'Sums of rewards that were continued from an earlier call', () => rewards.hits);
  count(registry, 'dfi_reward_sums_misses_total', 'Sums of rewards over many blocks that were computed', () => rewards.misses);
  watch(registry, 'dfi_reward_sums', 'Sums of rewards that are kept', () => rewards.size);
}
