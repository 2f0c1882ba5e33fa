import type { Config, GrpcConfig } from '../config/config.js';
import { ConfigError } from '../config/errors.js';
import { AllowList } from '../gateway/allow-list.js';
import { numericResolve, systemResolve } from '../p2p/addresses/dns.js';
import { externalEndpoint } from '../p2p/addresses/local-addresses.js';
import { resolveProxies, resolveTorControl } from '../p2p/dial/proxies.js';
import { checkPeersSettings } from '../p2p/net/check-settings.js';
import { networkParams } from '../params/index.js';
import { AccessRules } from '../rpc/access.js';
import { CertificateRoles } from '../rpc/certificate-roles.js';
import { EVENT_KINDS } from '../util/event-kinds.js';
import { MAX_POOL_SIZE } from '../wallet/keys/key-pool.js';
import { walletDirectory } from '../wallet/store/location.js';
import { mintingAddresses } from './minting-addresses.js';

/** Parses the options of the modules that only a node has. @throws {Error} with the text for the operator */
export async function checkNodeOptions(config: Config): Promise<void> {
  if (config.grpc) await checkGrpc(config.grpc, new AccessRules(config.rpc));
  checkEventKinds(config.events.kinds);
  mintingAddresses(config.minting, networkParams(config.network));
  checkWallets(config);
  checkPeersSettings(config.p2p);
  await checkHosts(config.p2p);
}

async function checkGrpc({ allowIp, certificateRoles, tls }: GrpcConfig, access: AccessRules): Promise<void> {
  new AllowList(allowIp);
  new CertificateRoles(certificateRoles, access);
  // Loads the gRPC library, which a start without certificates does not need yet.
  if (tls) (await import('../grpc/certificates.js')).loadTlsFiles(tls);
}

function checkEventKinds(kinds: readonly string[]): void {
  const unknown = kinds.find((kind) => !EVENT_KINDS.some((each) => each === kind));
  if (unknown !== undefined) throw new ConfigError(`Unknown kind of events in -eventkinds: ${unknown}. Known: ${EVENT_KINDS.join(', ')}`);
}

function checkWallets({ wallet, paths }: Config): void {
  if (!wallet.enabled) return;
  if (wallet.keypoolSize > MAX_POOL_SIZE) throw new ConfigError(`-keypool must not exceed ${MAX_POOL_SIZE}`);
  walletDirectory(wallet.directory, paths.networkDir);
}

/** Resolves the hosts without which a start ends; the start resolves them again when it connects. */
async function checkHosts(p2p: Config['p2p']): Promise<void> {
  const resolve = p2p.dns ? systemResolve : numericResolve;
  await resolveProxies(p2p, resolve);
  for (const text of p2p.externalIps) await externalEndpoint(text, p2p.port, resolve);
  if (p2p.onionService) await resolveTorControl(p2p.onionService.control, resolve);
}
