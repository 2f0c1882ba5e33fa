import type { OceanConfig } from './config.js';
import { listener } from './listener.js';
import type { Sources } from './sources.js';

/** The same on all networks. */
const OCEAN_PORT = 3002;

/** Options of the HTTP API of light wallets. @throws {ConfigError} for a wrong port @see docs/protocol/ocean.md 1.2 */
export function oceanConfig(sources: Pick<Sources, 'settings'>): OceanConfig {
  const { settings } = sources;
  const isServed = settings.bool('oceanarchiveserver');
  return {
    index: settings.bool('oceanarchive') || settings.bool('expr-oceanarchive'),
    server: isServed ? listener(settings, { port: 'oceanarchiveport', bind: 'oceanarchivebind' }, OCEAN_PORT) : undefined,
  };
}
