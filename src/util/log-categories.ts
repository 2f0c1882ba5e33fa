import type { LogOutput } from './log-output.js';
import type { LogLevel } from './logger.js';

/** Modules of this program that write to the log. */
export const LOG_MODULES = [
  'anchors',
  'chain',
  'devnet',
  'ethereum',
  'events',
  'gateway',
  'grpc',
  'indexes',
  'mempool',
  'metrics',
  'minting',
  'node',
  'ocean',
  'p2p',
  'rpc',
  'snapshot',
  'tor',
  'wallet',
] as const;

/**
 * Log categories of `defid`, with the modules of this program that each one controls.
 * A category without modules can be enabled, but has no effect.
 */
export const LOG_CATEGORIES: Readonly<Record<string, readonly (typeof LOG_MODULES)[number][]>> = {
  net: ['p2p'],
  tor: ['tor'],
  mempool: ['mempool'],
  http: ['gateway'],
  bench: [],
  zmq: [],
  db: ['wallet'],
  rpc: ['rpc', 'grpc'],
  estimatefee: [],
  addrman: [],
  selectcoins: [],
  reindex: ['indexes'],
  cmpctblock: [],
  rand: [],
  prune: [],
  proxy: [],
  mempoolrej: [],
  libevent: [],
  coindb: [],
  leveldb: [],
  staking: ['minting'],
  anchoring: ['anchors'],
  spv: [],
  oracle: [],
  loan: [],
  accountchange: [],
  futureswap: [],
  tokensplit: [],
  rpccache: [],
  customtxbench: [],
  swapresult: [],
  connect: ['chain'],
  ocean: ['ocean'],
  icxbug: [],
  accountconsolidate: [],
};

/** Categories that can be enabled at run time; modules of an enabled category log at debug level. */
export class LogCategories {
  private readonly active = new Set<string>();

  constructor(private readonly output: Pick<LogOutput, 'setLevel'>) {}

  /** State of all categories in alphabetical order; true if enabled. */
  states(): Record<string, boolean> {
    const names = Object.keys(LOG_CATEGORIES).sort();
    return Object.fromEntries(names.map((name) => [name, this.active.has(name)]));
  }

  /**
   * Enables or disables a category.
   * @param name a category; `all`, `1` or an empty text for every category
   * @returns false if there is no such category
   */
  set(name: string, on: boolean): boolean {
    const names = isEveryCategory(name) ? Object.keys(LOG_CATEGORIES) : [name];
    if (!names.every((category) => Object.hasOwn(LOG_CATEGORIES, category))) return false;
    const level: LogLevel = on ? 'debug' : 'info';
    if (isEveryCategory(name)) this.output.setLevel(level);
    for (const category of names) {
      if (on) this.active.add(category);
      else this.active.delete(category);
      for (const module of LOG_CATEGORIES[category] ?? []) this.output.setLevel(level, module);
    }
    return true;
  }
}

/** True for the names that stand for every category. */
export function isEveryCategory(name: string): boolean {
  return name === '' || name === '1' || name === 'all';
}
