import { externalEndpoint } from '../addresses/local-addresses.js';
import { parseWhitelist } from '../addresses/permissions.js';
import { listenAddresses } from './listener.js';
import type { PeersSettings } from './options.js';

/** Parses the addresses of the options. @throws {Error} with the text of defid for a wrong one */
export function checkPeersSettings(settings: Pick<PeersSettings, 'port' | 'bind' | 'whiteBind' | 'whitelist' | 'externalIps'>): void {
  listenAddresses(settings);
  for (const text of settings.whitelist) parseWhitelist(text);
  for (const text of settings.externalIps) externalEndpoint(text, settings.port);
}
