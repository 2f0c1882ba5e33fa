import { parseWhitelist } from '../addresses/permissions.js';
import { listenAddresses } from './listener.js';
import type { PeersSettings } from './options.js';

/** Parses the addresses of the options. @throws {Error} with the text of defid for a wrong one */
export function checkPeersSettings(settings: Pick<PeersSettings, 'port' | 'bind' | 'whiteBind' | 'whitelist'>): void {
  listenAddresses(settings);
  for (const text of settings.whitelist) parseWhitelist(text);
}
