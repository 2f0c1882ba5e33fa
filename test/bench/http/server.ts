/** A server process for the benchmarks: `echo` or `gateway`. Tells its parent the port, then the CPU time used whenever asked. */

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Gateway } from '../../../src/gateway/gateway.js';
import { defaultGatewayOptions } from '../../../src/gateway/options.js';
import { createRegistry } from '../../../src/metrics/registry.js';
import { rpcMetrics } from '../../../src/metrics/rpc.js';
import { networkParams } from '../../../src/params/index.js';
import { loadCatalogue } from '../../../src/rpc/catalogue.js';
import { Credentials } from '../../../src/rpc/credentials.js';
import { Invoker } from '../../../src/rpc/invoke.js';
import { decodeRawTransaction } from '../../../src/services/rawtransactions/decoding.js';
import { silentLogger } from '../../../src/util/logger.js';

const servers: Readonly<Record<string, () => Promise<number>>> = { echo, gateway };
process.on('disconnect', () => process.exit());
process.on('message', () => process.send?.(process.cpuUsage()));
process.send?.(await servers[process.argv[2] ?? '']?.());

/** The floor: node's HTTP server, which sends back what it got. */
function echo(): Promise<number> {
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => res.end(Buffer.concat(chunks)));
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)));
}

/** The gateway as the node builds it, with one handler that has nothing to do and one that takes transactions apart. */
async function gateway(): Promise<number> {
  const catalogue = loadCatalogue(readFileSync(new URL('../../../gen/image.binpb', import.meta.url)));
  const registry = createRegistry({ version: '0.0.0', nativeEcdsa: false });
  const invoker: Invoker = new Invoker({ catalogue, log: silentLogger, metrics: rpcMetrics(registry, () => [...invoker.active].length) });
  invoker.bind('dfi.blockchain.v1.BlockchainService', { getBlockCount: () => ({ height: 1_234_567 }) }, {});
  const chain = { params: networkParams({ network: 'regtest' }) };
  invoker.bind('dfi.rawtransactions.v1.RawtransactionsService', { decodeRawTransaction }, { chain });
  const credentials = new Credentials({ rpcUser: 'bench', rpcPassword: 'bench', rpcAuth: [], cookie: undefined });
  const [endpoint] = await new Gateway(defaultGatewayOptions, { invoker, catalogue, credentials, log: silentLogger }).start();
  return endpoint?.port ?? 0;
}
