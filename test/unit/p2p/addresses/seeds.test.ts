import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AddressBook } from '../../../../src/p2p/addresses/address-book.js';
import { parseIp } from '../../../../src/p2p/addresses/ip.js';
import { findFirstAddresses } from '../../../../src/p2p/addresses/seeds.js';
import { silentLogger } from '../../../../src/util/logger.js';
import { until } from '../../../until.js';
import { endpointOf } from '../fake-peer.js';

const NOW = 1_700_000_000;

test('first addresses: DNS seeds, and the built-in seed nodes if they have none', async () => {
  const asked: string[] = [];
  const connected: string[] = [];
  const run = async (answers: Readonly<Record<string, string>>, fixedSeeds: readonly string[], signal = new AbortController().signal) => {
    const book = new AddressBook({ key: new Uint8Array(32), now: () => NOW, random: () => 0.5 });
    const resolve = async (host: string) => {
      asked.push(host);
      const ip = parseIp(answers[host] ?? '');
      return ip ? [ip] : [];
    };
    const deps = {
      book,
      resolve,
      byProxy: false,
      connectSeed: async (seed: string) => void connected.push(seed),
      log: silentLogger,
      connected: () => 0,
      now: () => NOW,
      random: () => 0.5,
      signal,
    };
    const done = findFirstAddresses({ dnsSeeds: ['a.example', 'b.example'], fixedSeeds, port: 8555, useDns: true, force: false }, deps);
    return { book, done };
  };
  const first = await run({ 'x9.a.example': '60.1.1.1', 'b.example': '61.1.1.1' }, []);
  await first.done;
  assert.deepEqual(asked, ['x9.a.example', 'x9.b.example']);
  assert.deepEqual(connected, ['b.example'], 'addresses without known services are not stored; a node at one of them is asked');
  assert.equal(first.book.find(endpointOf('60.1.1.1'))?.time, NOW - 5 * 86_400);
  assert.equal(first.book.size, 1);
  const stop = new AbortController();
  const second = await run({}, ['62.1.1.1:8555'], stop.signal);
  await until(() => connected.length === 3, 'all asked');
  stop.abort();
  await second.done;
  assert.equal(second.book.size, 0, 'not before a minute');
});
