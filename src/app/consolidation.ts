import type { Chain } from '../chain/chain.js';
import { type Mark, marks } from '../chain/records.js';
import { ConfigError } from '../config/errors.js';
import { holdersOf, RewardConsolidation } from '../dfi/rewards/consolidation.js';
import { tokenBySymbol } from '../dfi/tokens/columns.js';
import { Overlay } from '../storage/overlay.js';
import type { StateView } from '../storage/view.js';
import type { Logger } from '../util/logger.js';
import { Slicer } from '../util/slicer.js';

const CONSOLIDATED: Mark = 'consolidated';

interface Consolidation {
  readonly config: { readonly chain: { readonly consolidatedTokens: readonly string[] } };
  readonly log: Pick<Logger, 'info' | 'warn'>;
  readonly lifecycle: { readonly interrupt: AbortSignal };
}

/**
 * Materialises the rewards of the holders of the tokens of `-consolidaterewards`, in slices, before anything else changes the chain.
 * @throws {ConfigError} for an unknown token
 */
export async function consolidateRewards(
  chain: Pick<Chain, 'state' | 'tip' | 'params' | 'fault' | 'amendTip'>,
  { config, log, lifecycle }: Consolidation,
  progress: { setWarmup(status: string): void },
): Promise<void> {
  const { consolidatedTokens: symbols } = config.chain;
  if (symbols.length === 0) return;
  progress.setWarmup('Consolidating rewards...');
  const slicer = new Slicer(lifecycle.interrupt);
  const changes = new Overlay(chain.state);
  const rewards = new RewardConsolidation(changes, chain.tip, chain.params);
  const owners = await slicer.run(holdersOf(chain.state, tokensOf(chain.state, symbols)));
  const obstacle = chain.fault ? 'block processing is halted' : rewards.isPossible ? undefined : 'the chain is below Grand Central';
  if (obstacle !== undefined) {
    log.warn('rewards are not consolidated', { obstacle });
    return;
  }
  let consolidated = 0;
  for (const owner of owners) {
    if (await slicer.run(rewards.materialise(owner))) consolidated += 1;
    await slicer.pause();
  }
  if (consolidated > 0) {
    changes.put(marks, CONSOLIDATED, chain.tip.height);
    chain.amendTip(changes);
  }
  log.info('consolidated rewards', { owners: owners.length, consolidated, height: chain.tip.height });
}

/** @returns undefined for all tokens */
function tokensOf(state: StateView, symbols: readonly string[]): ReadonlySet<number> | undefined {
  if (symbols.includes('')) return undefined;
  const ids = symbols.map((symbol) => {
    const found = tokenBySymbol(state, symbol);
    if (!found) throw new ConfigError(`Invalid token "${symbol}" for reward consolidation.`);
    return found.id;
  });
  return new Set(ids);
}
