import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { credentials } from '@grpc/grpc-js';
import { HealthCheckResponse_ServingStatus, HealthClient } from '../../../gen/ts/grpc/health/v1/health.js';
import type { TlsFiles } from '../../../src/grpc/certificates.js';
import { GrpcOnDemand } from '../../../src/grpc/on-demand.js';
import { silentLogger } from '../../../src/util/logger.js';
import { committedCatalogue } from '../../rpc/catalogue.js';

const parts = {
  catalogue: committedCatalogue(),
  invoker: { invoke: () => undefined, stream: async function* () {} },
  credentials: { check: () => undefined },
  throttle: { mayTry: () => Promise.resolve(true), failed: () => {} },
  isServing: () => true,
  log: silentLogger,
} as unknown as ConstructorParameters<typeof GrpcOnDemand>[1];

function newServer(tls?: TlsFiles): GrpcOnDemand {
  return new GrpcOnDemand({ bind: ['127.0.0.1'], port: 0, tls, graceMs: 50 }, parts);
}

test('gRPC on demand: connections that arrive together before the library is loaded are all served', async () => {
  const server = newServer();
  const port = await server.start();
  const clients = Array.from({ length: 5 }, () => {
    return new HealthClient(`127.0.0.1:${port}`, credentials.createInsecure(), { 'grpc.use_local_subchannel_pool': 1 });
  });
  const answers = await Promise.all(clients.map((client) => promisify(client.check.bind(client) as never)({ service: '' } as never)));
  for (const answer of answers) assert.deepEqual(answer, { status: HealthCheckResponse_ServingStatus.SERVING });
  for (const client of clients) client.close();
  await server.stop();
});

test('gRPC on demand: stops without a connection, and while the first one waits', async () => {
  const idle = newServer();
  const port = await idle.start();
  await idle.stop();
  const refused = connect(port, '127.0.0.1');
  await assert.rejects(once(refused, 'connect'));

  const busy = newServer();
  const socket = connect(await busy.start(), '127.0.0.1');
  await once(socket, 'connect');
  socket.on('error', () => {}).resume();
  const closed = once(socket, 'close');
  await busy.stop();
  await closed;
});

test('gRPC on demand: a connection that fails before the library is loaded does no harm', async () => {
  const server = newServer();
  const socket = connect(await server.start(), '127.0.0.1');
  await once(socket, 'connect');
  socket.resetAndDestroy();
  await server.stop();
});

test('gRPC on demand: bad certificates are reported by the start', async () => {
  await assert.rejects(newServer({ certFile: '/nowhere/cert.pem', keyFile: '/nowhere/key.pem', clientCaFile: undefined }).start());
});
