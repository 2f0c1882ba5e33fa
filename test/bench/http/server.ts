/**
 * A server process for the benchmarks: `echo`, `gateway`, or the same two over gRPC. Reports the port to its parent, then the CPU time
 * used whenever the parent asks.
 */

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server, ServerCredentials, type sendUnaryData } from '@grpc/grpc-js';
import { BlockchainServiceService } from '../../../gen/ts/dfi/blockchain/v1/blockchain.js';
import { Gateway } from '../../../src/gateway/gateway.js';
import { defaultGatewayOptions } from '../../../src/gateway/options.js';
import { GrpcServer } from '../../../src/grpc/server.js';
import { createRegistry } from '../../../src/metrics/registry.js';
import { rpcMetrics } from '../../../src/metrics/rpc.js';
import { networkParams } from '../../../src/params/index.js';
import { AccessRules } from '../../../src/rpc/access.js';
import { observeCalls } from '../../../src/rpc/call-log.js';
import { loadCatalogue } from '../../../src/rpc/catalogue.js';
import { Credentials } from '../../../src/rpc/credentials.js';
import { Invoker } from '../../../src/rpc/invoke.js';
import { LoginThrottle } from '../../../src/rpc/login-throttle.js';
import { decodeRawTransaction } from '../../../src/services/rawtransactions/transactions/decoding.js';
import { silentLogger } from '../../../src/util/logger.js';
import { NO_RESTRICTIONS } from '../../access-options.js';

const servers: Readonly<Record<string, () => Promise<number>>> = { echo, gateway, 'grpc-echo': grpcEcho, grpc };
process.on('disconnect', () => process.exit());
process.on('message', () => process.send?.(process.cpuUsage()));
process.send?.(await servers[process.argv[2] ?? '']?.());

/** The floor: node's HTTP server, which echoes the request body. */
function echo(): Promise<number> {
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => res.end(Buffer.concat(chunks)));
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)));
}

const height = 1_234_567;

/** Dependencies of the transports, with one handler that does nothing. */
function rpcParts() {
  const catalogue = loadCatalogue(readFileSync(new URL('../../../gen/image.binpb', import.meta.url)));
  const registry = createRegistry({ version: '0.0.0', nativeEcdsa: false });
  const invoker: Invoker = new Invoker({
    catalogue,
    log: silentLogger,
    observer: observeCalls(
      rpcMetrics(registry, () => [...invoker.active].length),
      silentLogger,
    ),
  });
  invoker.bind('dfi.blockchain.v1.BlockchainService', { getBlockCount: () => ({ height }) }, {});
  const credentials = new Credentials(
    { rpcUser: 'bench', rpcPassword: 'bench', rpcAuth: [], cookie: undefined },
    new AccessRules(NO_RESTRICTIONS),
  );
  return { catalogue, invoker, credentials, log: silentLogger };
}

/** The floor of gRPC: the library's server with that one method and no code of ours. */
function grpcEcho(): Promise<number> {
  const server = new Server();
  const { getBlockCount } = BlockchainServiceService;
  server.addService({ getBlockCount }, { getBlockCount: (_: unknown, callback: sendUnaryData<object>) => callback(null, { height }) });
  return new Promise((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => (error ? reject(error) : resolve(port))),
  );
}

/** The gRPC server as the node builds it. */
function grpc(): Promise<number> {
  const parts = { ...rpcParts(), throttle: new LoginThrottle({ log: silentLogger }), isServing: () => true };
  return new GrpcServer({ bind: ['127.0.0.1'], port: 0, tls: undefined }, parts).start();
}

/** The gateway as the node builds it, with one handler that does nothing and one that decodes transactions. */
async function gateway(): Promise<number> {
  const { invoker, ...parts } = rpcParts();
  const chain = { params: networkParams({ network: 'regtest' }) };
  invoker.bind('dfi.rawtransactions.v1.RawtransactionsService', { decodeRawTransaction }, { chain });
  const [endpoint] = await new Gateway(defaultGatewayOptions, { ...parts, invoker }).start();
  return endpoint?.port ?? 0;
}
