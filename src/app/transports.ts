import { readFileSync } from 'node:fs';
import type { Config, GrpcConfig, MetricsConfig } from '../config/config.js';
import { removeCookie, writeCookie } from '../config/cookie.js';
import { AllowList } from '../gateway/allow-list.js';
import { Gateway } from '../gateway/gateway.js';
import { type NodeHealth, readyz } from '../gateway/health.js';
import { MetricsPort } from '../gateway/metrics-port.js';
import { defaultGatewayOptions, type GatewayOptions } from '../gateway/options.js';
import { GrpcOnDemand } from '../grpc/on-demand.js';
import { images } from '../images.js';
import type { RpcMetrics } from '../metrics/rpc.js';
import { networkParams } from '../params/index.js';
import { AccessRules } from '../rpc/access.js';
import type { AnswerCache } from '../rpc/answer-cache.js';
import type { CallStats } from '../rpc/call-stats.js';
import { type Catalogue, loadCatalogue } from '../rpc/catalogue.js';
import { CertificateRoles } from '../rpc/certificate-roles.js';
import { Credentials } from '../rpc/credentials.js';
import type { Invoker } from '../rpc/invoke.js';
import { LoginThrottle } from '../rpc/login-throttle.js';
import type { Logger } from '../util/logger.js';
import { programVersion } from '../version.js';
import { descriptorLimit, httpConnections } from './descriptors.js';
import type { StartParts } from './parts.js';

/** Modules that transports use to answer calls. */
export interface Served {
  readonly catalogue: Catalogue;
  readonly invoker: Invoker;
  readonly metrics: RpcMetrics;
  /** Undefined with -rpccache=0. */
  readonly cache: AnswerCache | undefined;
  /** Undefined if no statistics are collected. */
  readonly callStats: CallStats | undefined;
  health(): NodeHealth;
}

/** Catalogue of all operations. @param strict JSON-RPC answers have exactly the members of `defid` */
export function projectCatalogue(strict: boolean): Catalogue {
  return loadCatalogue(readFileSync(images.operations), () => readFileSync(images.comments), strict);
}

/** Options of the HTTP side. */
export function gatewayOptions(config: Config, log: Logger): GatewayOptions {
  const { rpc, network } = config;
  const { port, bind, allowIp, allowHosts, corsOrigin, rest, healthEndpoints } = rpc;
  return {
    ...defaultGatewayOptions,
    port,
    bind,
    allowIp,
    allowHosts,
    corsOrigin,
    rest,
    healthEndpoints,
    version: programVersion(),
    openApiFile: images.openApi,
    explorerFolder: images.explorer,
    connections: httpConnections(config, descriptorLimit(), log),
    idleTimeoutMs: rpc.idleTimeoutSec * 1000,
    maxPending: rpc.threads + rpc.workQueue,
    tokenIds: networkParams(network).txFormat.tokenIds,
  };
}

/** Starts the configured listeners for calls and metrics. @returns the gateway; undefined with -noserver */
export async function startTransports(parts: StartParts, served: Served): Promise<Gateway | undefined> {
  const { config } = parts;
  const access = new AccessRules(config.rpc);
  const credentials = startCredentials(parts, access);
  // Shared by all transports, so that guesses of passwords add up.
  const throttle = new LoginThrottle({ log: parts.log.child('rpc') });
  if (config.metrics) await startMetricsPort(config.metrics, parts, served);
  const gateway = config.rpc.enabled ? await startGateway({ credentials, throttle, access }, parts, served) : undefined;
  if (config.grpc) await startGrpc(config.grpc, { credentials, throttle, access }, parts, served);
  return gateway;
}

/** Authentication and access rights. */
interface LogIn {
  readonly credentials: Credentials;
  readonly throttle: LoginThrottle;
  readonly access: AccessRules;
}

function startCredentials({ config: { rpc, paths }, lifecycle }: StartParts, access: AccessRules): Credentials {
  const cookie = rpc.password === '' ? writeCookie(paths.cookieFile) : undefined;
  if (cookie) lifecycle.onStop('cookie', () => removeCookie(paths.cookieFile, cookie));
  return new Credentials({ rpcUser: rpc.user, rpcPassword: rpc.password, rpcAuth: rpc.auth, cookie }, access);
}

async function startGateway(logIn: LogIn, { config, log, lifecycle }: StartParts, served: Served): Promise<Gateway> {
  const gateway = new Gateway(gatewayOptions(config, log), { ...served, ...logIn, log: log.child('gateway') });
  const endpoints = await gateway.start();
  lifecycle.onStopFirst('gateway', () => gateway.stop());
  log.info('HTTP server listening', { endpoints });
  return gateway;
}

async function startMetricsPort({ optional, ...options }: MetricsConfig, parts: StartParts, { health }: Served): Promise<void> {
  const log = parts.log.child('metrics');
  const metricsPort = new MetricsPort(options, { registry: parts.registry, health, log });
  try {
    const endpoints = await metricsPort.start();
    parts.lifecycle.onStop('metrics', () => metricsPort.stop());
    log.info('metrics server listening', { endpoints });
  } catch (error) {
    if (!optional) throw error;
    log.warn('metrics port is in use, running without metrics', { port: options.port });
  }
}

async function startGrpc(config: GrpcConfig, logIn: LogIn, parts: StartParts, served: Served): Promise<void> {
  const log = parts.log.child('grpc');
  const certificates = new CertificateRoles(config.certificateRoles, logIn.access);
  const allowList = config.allowIp.length > 0 ? new AllowList(config.allowIp) : undefined;
  const server = new GrpcOnDemand(config, {
    ...served,
    ...logIn,
    certificates,
    allowList,
    isServing: () => readyz(served.health()).ok,
    log,
  });
  try {
    await server.start();
    parts.lifecycle.onStopFirst('gRPC', () => server.stop());
  } catch (error) {
    if (!config.optional) throw error;
    log.warn('gRPC port is in use, running without gRPC', { port: config.port });
  }
}
