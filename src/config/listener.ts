import type { Listener } from './config.js';
import { ConfigError } from './errors.js';
import type { KeyOf } from './options.js';
import type { Settings } from './settings.js';

const LARGEST_PORT = 65_535;

/** Options of a listener without credentials. @returns undefined for the port -1 @throws {ConfigError} for a wrong port */
export function listener(
  settings: Settings,
  options: { readonly port: KeyOf<'int'>; readonly bind: KeyOf<'text'> },
  defaultPort: number,
): Listener | undefined {
  const isGiven = settings.isSet(options.port);
  const port = isGiven ? settings.int(options.port) : defaultPort;
  if (port === -1) return undefined;
  if (port < 0 || port > LARGEST_PORT)
    throw new ConfigError(`Invalid port specified in -${options.port}: '${settings.value(options.port)?.value}'`);
  return { port, bind: settings.list(options.bind), optional: !isGiven };
}
