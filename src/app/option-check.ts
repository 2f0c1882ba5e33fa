import type { Config, GatewayConfig } from '../config/config.js';
import { AllowList } from '../gateway/allow-list.js';
import { networkParams } from '../params/index.js';

/**
 * Applies the parsers of the modules to their options, before anything is opened or written. `dfid config check` and every start use it, so
 * both refuse the same values.
 * @throws {Error} with the text for the operator, that of `defid` where it has one
 */
export async function checkOptions(config: Config): Promise<void> {
  networkParams(config.network);
  new AllowList([...config.rpc.allowIp, ...(config.metrics?.allowIp ?? [])]);
  if (config.mode === 'gateway') return checkGateway(config.gateway);
  // A gateway runs without the modules of a node.
  await (await import('./node-option-check.js')).checkNodeOptions(config);
}

async function checkGateway({ tls }: GatewayConfig): Promise<void> {
  if (tls?.caFile !== undefined) (await import('../grpc/certificates.js')).readAuthority('upstreamca', tls.caFile);
}
