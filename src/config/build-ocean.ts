import type { OceanConfig } from './config.js';
import { listener } from './listener.js';
import type { Sources } from './sources.js';

/** The same on all networks. */
const OCEAN_PORT = 3002;

/** Options of the HTTP API of light wallets. @throws {ConfigError} for a wrong port @see docs/protocol/ocean.md 1.2 */
export function oceanConfig(sources: Pick<Sources, 'settings'>): OceanConfig {
  const { settings } = sources;
  const server = listener(settings, { port: 'oceanarchiveport', bind: 'oceanarchivebind' }, OCEAN_PORT);
  // Both are read, so that neither counts as an option without effect.
  const [isIndexed, wasIndexed] = [settings.bool('oceanarchive'), settings.bool('expr-oceanarchive')];
  return {
    index: isIndexed || wasIndexed,
    server: settings.bool('oceanarchiveserver') ? server : undefined,
  };
}
