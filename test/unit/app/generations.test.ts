import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generations } from '../../../src/app/generations.js';

const QUIET = { count: 8, active: true, offset: 0, services: 1n, localChanges: 0, proxy: undefined as object | undefined };

const changes: readonly (readonly [string, Partial<typeof QUIET>])[] = [
  ['a peer connects', { count: 9 }],
  ['the network is switched off', { active: false }],
  ['the time of the network differs', { offset: 3 }],
  ['blocks below a snapshot are stored', { services: 9n }],
  ['an address of ours is known', { localChanges: 1 }],
  ['the Tor service starts', { proxy: {} }],
];
for (const [name, change] of changes) {
  test(`the generation of the network is another when ${name}`, () => {
    const now = { ...QUIET };
    const peers = {
      get count() {
        return now.count;
      },
      get active() {
        return now.active;
      },
      timeOffset: () => now.offset,
      options: {
        get services() {
          return now.services;
        },
      },
      local: {
        get changes() {
          return now.localChanges;
        },
      },
      networks: { proxyOf: () => now.proxy },
    };
    const { network } = generations({ network: { peers } } as never, { seconds: () => 0 });
    const before = network();
    assert.equal(network(), before);
    Object.assign(now, change);
    const after = network();
    assert.notEqual(after, before);
    assert.equal(network(), after);
  });
}
