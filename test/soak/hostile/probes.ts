import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import * as grpc from '@grpc/grpc-js';
import { InvType } from '../../../src/p2p/wire/inventory.js';
import { networkParams } from '../../../src/params/index.js';
import type { BlockHeader } from '../../../src/primitives/header.js';
import { Daemon } from '../../daemon.js';
import { EvilPeer, endlessHeaders } from './evil-peer.js';
import { type Answer, type Posting, post } from './post.js';

/** Target of an attack: the daemon, and the end of the attack. */
export interface Target {
  readonly daemon: Daemon;
  readonly p2pPort: number;
  readonly oceanPort: number;
  readonly isOver: () => boolean;
  /** Counts events by name. */
  count(what: string, times?: number): void;
}

/** Attacks until the target says it is over. */
export type Probe = (target: Target) => Promise<void>;

/** Attackers have addresses of their own, so that the daemon's countermeasures do not affect the operator. */
const ATTACKER = '127.0.0.66';
/** A caller who has credentials: guesses from the same address would lock it out. */
const INSIDER = '127.0.0.67';

function attack({ daemon }: Target, body: Buffer | string, posting: Posting = {}): Promise<Answer | undefined> {
  return post(daemon, body, { from: ATTACKER, ...posting });
}

/** Runs several instances of an attack concurrently, each again as soon as it has ended. */
async function repeat({ isOver }: Target, width: number, once: () => Promise<unknown>): Promise<void> {
  const one = async (): Promise<void> => {
    while (!isOver()) await once();
  };
  await Promise.all(Array.from({ length: width }, one));
}

/** Attacks as a peer; when the node closes the connection, reconnects a moment later. */
async function asPeer(target: Target, name: string, step: (peer: EvilPeer) => Promise<void>): Promise<void> {
  while (!target.isOver()) {
    const peer = await EvilPeer.connect(target.p2pPort, ATTACKER);
    if (!peer) {
      target.count(`${name}: not let in`);
      await sleep(500);
      continue;
    }
    while (peer.isOpen && !target.isOver()) await step(peer);
    if (!peer.isOpen) target.count(`${name}: disconnected`);
    peer.close();
  }
}

const MAX_INV = 50_000;

const invFlood: Probe = (target) =>
  asPeer(target, 'inv', async (peer) => {
    const payload = Array.from({ length: MAX_INV }, () => ({ type: InvType.tx, hash: randomBytes(32) }));
    peer.send({ command: 'inv', payload });
    target.count('inv: messages');
    await peer.drained();
    await sleep(100);
  });

const HEADERS = 2_000;

const headerFlood: Probe = async (target) => {
  const source = endlessHeaders();
  await asPeer(target, 'headers', async (peer) => {
    const payload: BlockHeader[] = [];
    for (let i = 0; i < HEADERS; i++) {
      payload.push(source.next().value as BlockHeader);
      if (i % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    peer.send({ command: 'headers', payload });
    target.count('headers: sent', HEADERS);
    await peer.drained();
  });
};

const { p2pMagic } = networkParams({ network: 'regtest' });

const randomPeerBytes: Probe = (target) =>
  repeat(target, 4, async () => {
    const socket = connect({ port: target.p2pPort, host: '127.0.0.1', localAddress: ATTACKER });
    socket.on('error', () => {});
    socket.write(Math.random() < 0.5 ? randomBytes(2_000) : Buffer.concat([p2pMagic, randomBytes(500)]));
    target.count('random bytes: connections');
    await Promise.race([new Promise((resolve) => socket.once('close', resolve)), sleep(300)]);
    socket.destroy();
  });

const wrongPasswords: Probe = (target) =>
  repeat(target, 50, async () => {
    const auth = `Basic ${Buffer.from(`user:${randomBytes(6).toString('hex')}`).toString('base64')}`;
    const answer = await attack(target, '{"id":1,"method":"uptime"}', { auth });
    target.count(`wrong passwords: ${answer?.status ?? 'cut off'}`);
    if (!answer) await sleep(50);
  });

/** Many small values in one body: cheap to send, expensive to parse. */
function smallValues(megabytes: number): Buffer {
  const item = '{"":0},';
  return Buffer.from(`[${item.repeat(Math.floor((megabytes * 2 ** 20) / item.length))}0]`);
}

const manyValues: Probe = async (target) => {
  const body = smallValues(20);
  const wrong = `Basic ${Buffer.from('user:wrong').toString('base64')}`;
  await repeat(target, 2, async () => {
    const guess = await attack(target, body, { auth: wrong });
    target.count(`20 MB of JSON, wrong password: ${guess?.status ?? 'cut off'}`);
    const answer = await attack(target, body, { from: INSIDER });
    target.count(`20 MB of JSON: ${answer?.status ?? 'cut off'}`);
    await sleep(200);
  });
};

const SLOW_CONNECTIONS = 100;

const slowBodies: Probe = (target) => sendSlowly(target, target.daemon.rpcPort, '/', 'slow bodies');

const slowOceanBodies: Probe = (target) => sendSlowly(target, target.oceanPort, `${OCEAN}/rawtx/send`, 'slow bodies to Ocean');

/** Sends bodies of requests a byte a second. */
async function sendSlowly(target: Target, port: number, path: string, name: string): Promise<void> {
  const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${Daemon.authorization}\r\nContent-Length: 100000\r\n\r\n`;
  await repeat(target, SLOW_CONNECTIONS, async () => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: INSIDER });
    socket.on('error', () => {});
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    socket.resume().write(head);
    target.count(`${name}: connections`);
    let isOpen = true;
    void closed.then(() => {
      isOpen = false;
    });
    while (isOpen && !target.isOver()) {
      socket.write(' ');
      await Promise.race([closed, sleep(1_000)]);
    }
    if (!isOpen) target.count(`${name}: cut off`);
    socket.destroy();
    await sleep(500);
  });
}

/** Lists of Ocean at their largest, and odd requests: it has no credentials. */
const OCEAN_PATHS: readonly string[] = [
  'blocks?size=200',
  'blocks?size=200&next=50',
  'masternodes?size=200',
  'tokens?size=1000000',
  'address/mwsZw8nF7pKxWH8eoKL9tPxTpaFkz7QeLU/transactions?size=200',
  'address/mwsZw8nF7pKxWH8eoKL9tPxTpaFkz7QeLU/history?size=200',
  'address/mwsZw8nF7pKxWH8eoKL9tPxTpaFkz7QeLU/transactions/unspent?size=200&next=zz',
  `blocks/${'9'.repeat(3_000)}`,
  `poolpairs/paths/from/${'%2f'.repeat(500)}/to/0`,
  'transactions/%ff%fe/vins',
  'stats',
];
const OCEAN = '/v0/regtest';

const oceanFlood: Probe = async (target) => {
  const values = smallValues(3);
  let next = 0;
  await repeat(target, 40, async () => {
    const path = OCEAN_PATHS[next++ % OCEAN_PATHS.length];
    const isPost = next % 20 === 0;
    const posting = isPost ? { path: `${OCEAN}/rawtx/send` } : { method: 'GET', path: `${OCEAN}/${path}` };
    const answer = await attack(target, isPost ? values : '', { port: target.oceanPort, auth: '', ...posting });
    target.count(`Ocean: ${isPost ? '3 MB of JSON ' : ''}${answer?.status ?? 'cut off'}`);
    if (!answer) await sleep(50);
  });
};

const restFlood: Probe = async (target) => {
  const genesis = (await target.daemon.ask('getblockhash', 0)) as string;
  await repeat(target, 40, async () => {
    const answer = await attack(target, '', { method: 'GET', auth: '', path: `/rest/headers/2000/${genesis}.json` });
    target.count(`rest: ${answer?.status ?? 'cut off'}`);
    if (!answer) await sleep(50);
  });
};

const GRPC_TIMEOUT_MS = 30_000;
const GRPC_METHOD = '/dfi.rawtransactions.v1.RawtransactionsService/CombinePsbt';

/** Eight megabytes of empty strings, without credentials. */
const grpcFlood: Probe = async (target) => {
  const message = Buffer.alloc(8 * 2 ** 20 - 1_000);
  for (let i = 0; i < message.length; i += 2) message[i] = 0x0a;
  const client = new grpc.Client(`127.0.0.1:${target.daemon.grpcPort}`, grpc.credentials.createInsecure());
  const same = (bytes: Buffer): Buffer => bytes;
  await repeat(target, 4, async () => {
    const code = await new Promise<string>((resolve) => {
      const options = { deadline: Date.now() + GRPC_TIMEOUT_MS };
      client.makeUnaryRequest(GRPC_METHOD, same, same, message, options, (error) => resolve(grpc.status[error?.code ?? 0] ?? '?'));
    });
    target.count(`gRPC 8 MB: ${code}`);
    await sleep(50);
  });
  client.close();
};

const KEY = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';
/** The maximum number of addresses in one call. */
const RANGE = 10_000;

/** Heavy calls with valid credentials. */
const heavyCalls: Probe = async (target) => {
  const info = await target.daemon.ask(
    'getdescriptorinfo',
    'wpkh(tpubD6NzVbkrYhZ4YNXVQbNhMK1WqguFsUXceaVJKbmno2aZ3B6QfbMeraaYvnBSGpV3vxLyTTK9DYT1yoEck4XUScMzXoQ2U2oSmE2JyMedq3H/0/*)',
  );
  const { descriptor: ranged } = info as { readonly descriptor: string };
  const calls: readonly (readonly [string, readonly unknown[]])[] = [
    ['keypoolrefill', [100_000_000]],
    ['decodescript', ['51'.repeat(2_000_000)]],
    ['getdescriptorinfo', [`wsh(multi(1,${Array.from({ length: 20_000 }, () => KEY).join(',')}))`]],
    ['createmultisig', [1, Array.from({ length: 5_000 }, () => KEY)]],
    ['deriveaddresses', [ranged, [0, RANGE]]],
    ['scantxoutset', ['start', [{ desc: ranged, range: RANGE }]]],
    [
      'importmulti',
      [
        Array.from({ length: 2_000 }, () => ({
          scriptPubKey: { address: 'mswsMVsyGMj1FzDMbbxw2QW3KvQAv2FKiy' },
          timestamp: 'now',
          watchonly: true,
        })),
      ],
    ],
    ['listunspent', [0, 9_999_999]],
    ['verifychain', [4, 0]],
  ];
  let next = 0;
  await repeat(target, 2, async () => {
    const [method, params] = calls[next++ % calls.length] as (typeof calls)[number];
    const startMs = performance.now();
    const answer = await attack(target, JSON.stringify({ id: 1, method, params }), { from: INSIDER, path: '/wallet/' });
    const ms = performance.now() - startMs;
    target.count(`heavy: ${method} ${outcomeOf(answer)}`);
    if (ms > 5_000) target.count(`heavy: ${method} took more than 5 s`);
    await sleep(100);
  });
};

function outcomeOf(answer: Answer | undefined): string {
  if (!answer) return 'cut off';
  return answer.status === 200 ? 'answered' : `refused with ${answer.status} ${/"message":"[^"]{0,60}/.exec(answer.text)?.[0] ?? ''}`;
}

export const probes: Readonly<Record<string, Probe>> = {
  invFlood,
  headerFlood,
  randomPeerBytes,
  wrongPasswords,
  manyValues,
  slowBodies,
  slowOceanBodies,
  restFlood,
  oceanFlood,
  grpcFlood,
  heavyCalls,
};
