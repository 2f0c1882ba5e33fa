import { readFileSync } from 'node:fs';
import type { RpcConfig } from './config/config.js';
import { defaultGatewayOptions, type GatewayOptions } from './gateway/options.js';
import { type Catalogue, loadCatalogue } from './rpc/catalogue.js';
import { programVersion } from './version.js';

/** Descriptor images, one folder above both the sources and the bundles. */
function image(name: string): Uint8Array {
  return readFileSync(new URL(`../gen/${name}`, import.meta.url));
}

/** All operations, as the protos declare them. */
export function projectCatalogue(): Catalogue {
  return loadCatalogue(image('image.binpb'), () => image('docs.binpb'));
}

/** What the configuration says of the HTTP side. */
export function gatewayOptions(rpc: RpcConfig): GatewayOptions {
  return {
    ...defaultGatewayOptions,
    version: programVersion(),
    port: rpc.port,
    bind: rpc.bind,
    allowIp: rpc.allowIp,
    idleTimeoutMs: rpc.idleTimeoutSec * 1000,
    maxPending: rpc.threads + rpc.workQueue,
    corsOrigin: rpc.corsOrigin,
    rest: rpc.rest,
    healthEndpoints: rpc.healthEndpoints,
  };
}
