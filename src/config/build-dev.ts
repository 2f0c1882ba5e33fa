import type { DevOptions, MiningMode } from '../devnet/options.js';
import { ConfigError } from './errors.js';
import type { Sources } from './sources.js';

/** Options that only -dev has. */
const DEV_OPTIONS = ['devmine', 'devprices', 'devworld'] as const;

/** Options of the development network. @throws {ConfigError} for wrong values, and for its options on other networks */
export function devConfig({ settings, network }: Pick<Sources, 'settings' | 'network'>): DevOptions | undefined {
  const given = DEV_OPTIONS.find((key) => settings.isSet(key));
  if (!network.isDev) {
    if (given !== undefined) throw new ConfigError(`-${given} is for the development network only: it needs -dev.`);
    return undefined;
  }
  const priceSec = settings.int('devprices');
  if (priceSec < 0) throw new ConfigError(`Invalid -devprices=${priceSec}: use a number of seconds, or 0 to report once at each start.`);
  return { mining: miningMode(settings.text('devmine')), priceSec, makesWorld: settings.bool('devworld') };
}

/** Longest interval between two blocks: a day. */
const MAX_INTERVAL_SEC = 86_400;

function miningMode(text: string): MiningMode {
  if (text === 'tx' || text === 'off') return text;
  // -nodevmine is 0.
  if (text === '0') return 'off';
  const seconds = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (seconds === 0 || seconds > MAX_INTERVAL_SEC) {
    throw new ConfigError(`Invalid -devmine=${text}: use tx, off or an interval of 1 to ${MAX_INTERVAL_SEC} seconds.`);
  }
  return seconds;
}
