import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Bans } from '../../../../../src/p2p/addresses/bans.js';
import { parseEndpoint } from '../../../../../src/p2p/addresses/ip.js';
import { grantsFor, NO_PERMISSIONS, parseWhitelist } from '../../../../../src/p2p/addresses/permissions.js';
import { BanScores } from '../../../../../src/p2p/net/misbehaviour/ban-score.js';
import { OVERSIZE, SCORES } from '../../../../../src/p2p/net/misbehaviour/scores.js';
import { Peer, type PeerKind } from '../../../../../src/p2p/net/peer.js';
import { PeerTable } from '../../../../../src/p2p/net/peer-table.js';
import { silentLogger } from '../../../../../src/util/logger.js';
import { idleHost } from '../../fake-peer.js';

function setUp(addresses: readonly { readonly ip: string; readonly kind?: PeerKind; readonly noban?: boolean }[]) {
  const table = new PeerTable();
  const bans = new Bans(86_400, () => 1000);
  const gone: number[] = [];
  const peers = addresses.map(({ ip, kind = 'inbound', noban = false }) => {
    const endpoint = parseEndpoint(ip, 8555);
    assert.ok(endpoint);
    const permissions = noban
      ? grantsFor(endpoint.ip, [parseWhitelist('noban@0.0.0.0/0')], undefined, { relay: true, forceRelay: false })
      : NO_PERMISSIONS;
    const id = table.nextId();
    const disconnect = () => void gone.push(id);
    const facts = { id, kind, endpoint, name: ip, boundTo: undefined, permissions, nonce: 1n, connectedMs: 0 };
    const peer = new Peer(facts, { ...idleHost, disconnect });
    table.add({ peer });
    return peer;
  });
  return { peers, bans, gone, scores: new BanScores(100, { table, bans, log: silentLogger }) };
}

test('99 points have no effect, 100 ban the address and end all connections from it', () => {
  const { peers, bans, gone, scores } = setUp([{ ip: '8.8.8.8' }, { ip: '8.8.8.8' }, { ip: '8.8.4.4' }]);
  const [first, , other] = peers;
  assert.ok(first && other);
  scores.add(first, 99, 'test');
  assert.deepEqual(gone, []);
  scores.add(first, 1, 'test');
  assert.deepEqual([...new Set(gone)].sort(), [0, 1]);
  assert.ok(bans.isBanned(first.endpoint.ip) && !bans.isBanned(other.endpoint.ip));
  assert.deepEqual(
    bans.list().map(({ until, reason }) => [until, reason]),
    [[87_400n, 'node misbehaving']],
  );
});

test('a local peer is disconnected and not banned; manual and noban peers are kept', () => {
  const { peers, bans, gone, scores } = setUp([{ ip: '127.0.0.1' }, { ip: '8.8.8.8', kind: 'manual' }, { ip: '8.8.4.4', noban: true }]);
  for (const peer of peers) scores.add(peer, 100, 'test');
  assert.deepEqual(gone, [0]);
  assert.equal(bans.list().length, 0);
});

test('zero points change nothing', () => {
  const { peers, gone, scores } = setUp([{ ip: '8.8.8.8' }]);
  const [peer] = peers;
  assert.ok(peer);
  scores.add(peer, 0, 'test');
  assert.equal(peer.misbehaviour, 0);
  assert.deepEqual(gone, []);
});

test('the table of scores', () => {
  assert.deepEqual(SCORES, {
    duplicateVersion: 1,
    messageBeforeVersion: 1,
    messageBeforeVerack: 1,
    oversizedAnnouncement: 20,
    announcementFlood: 20,
    surplusHeaders: 20,
    unrequestedBlock: 20,
    nonContinuousHeaders: 20,
    unconnectingHeaders: 20,
    blockTransactionsOutOfRange: 100,
    invalidCompactBlock: 100,
    oversizedFilter: 100,
    bloomWithoutService: 100,
    invalidBlock: 100,
    invalidHeader: 100,
    cachedInvalidBlock: 100,
    missingParent: 10,
    invalidTransaction: 100,
  });
  assert.equal(OVERSIZE.locator, 'disconnect');
  assert.equal(OVERSIZE.blockPositions, 'malformed');
});
