import type { OceanConfig } from './config.js';
import { listener } from './listener.js';
import type { Settings } from './settings.js';

/** Options of the HTTP API of light wallets. @throws {ConfigError} for a wrong port @see docs/protocol/ocean.md 1.2 */
export function oceanConfig(settings: Settings): OceanConfig {
  const server = listener(settings, { port: 'oceanarchiveport', bind: 'oceanarchivebind' }, settings.int('oceanarchiveport'));
  return { index: wantsOceanIndex(settings), server: settings.bool('oceanarchiveserver') ? server : undefined };
}

/** True if the index is to be kept. Both names are read, so that neither counts as an option without effect. */
export function wantsOceanIndex(settings: Settings): boolean {
  const [isWanted, wasWanted] = [settings.bool('oceanarchive'), settings.bool('expr-oceanarchive')];
  return isWanted || wasWanted;
}
