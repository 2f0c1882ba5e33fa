import { MASK } from '../util/redact.js';
import type { NetworkBase } from './networks.js';
import type { Option } from './option.js';
import type { Settings } from './settings.js';

/**
 * Output of `dfid config show`: one line per option that is set or has a default, with value and source. Secrets are masked.
 */
export function showSettings(settings: Settings, options: readonly Option[], { name, ports }: NetworkBase): string {
  const byNetwork: Readonly<Record<string, number>> = {
    port: ports.p2p,
    rpcport: ports.rpc,
    grpcport: ports.grpc,
    metricsport: ports.metrics,
    ethrpcport: ports.eth,
    wsport: ports.ws,
  };
  return options
    .map((option) => {
      const port = byNetwork[option.key];
      return showOption(settings, option) || (port === undefined ? '' : `${option.key}=${port}  (default of ${name})\n`);
    })
    .join('');
}

function showOption(settings: Settings, option: Option): string {
  const values = option.repeatable ? settings.all(option.key) : [settings.value(option.key)];
  return values
    .map((occurrence) => {
      if (!occurrence) return '';
      const { value, origin } = occurrence;
      const source = origin.layer === 'default' ? 'default' : `${origin.layer}: ${origin.place}`;
      return `${option.key}=${option.secret && value !== '' ? MASK : value}  (${source})\n`;
    })
    .join('');
}
