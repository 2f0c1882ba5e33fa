import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { masternodes } from '../../../src/dfi/masternodes/columns.js';
import { proposals, proposalVotes } from '../../../src/dfi/proposals/columns.js';
import { openProposal } from '../../../src/dfi/proposals/cycles.js';
import { formatHash, type Hash256 } from '../../../src/primitives/hash.js';
import { proposalsHandlers } from '../../../src/services/proposals/index.js';
import { Overlay } from '../../../src/storage/overlay.js';
import { EMPTY_BYTES } from '../../../src/util/bytes.js';
import { masternodeOf } from '../../masternode.js';
import { DfiFixture, GRAND_CENTRAL, heights, script } from '../../unit/dfi/fixture.js';
import { asker } from '../state-asker.js';

const COIN = 100_000_000n;
const id = (n: number): Hash256 => new Uint8Array(32).fill(n);
const shown = (n: number): string => formatHash(id(n));

/** Proposals 1 (fund, two cycles), 2 (confidence) and 3 (confidence, emergency); masternodes 1 to 4, of which 4 never minted. */
function node() {
  const fixture = new DfiFixture(heights(GRAND_CENTRAL));
  const { params } = fixture;
  for (let n = 1; n <= 4; n++) {
    const key = new Uint8Array(20).fill(n);
    const keys = { ownerKey: key, ownerType: 4, operatorKey: key, operatorType: 4, rewardKey: key };
    fixture.view.put(masternodes, id(n), masternodeOf({ ...keys, mintedBlocks: n === 4 ? 0 : 1, creationHeight: 0, version: 0 }));
  }
  const money = { type: 1, address: script(1), amount: COIN, cycles: 2, title: 'T', context: 'C', contextHash: '', options: 0 };
  const confidence = { ...money, type: 2, address: EMPTY_BYTES, amount: 0n, cycles: 1 };
  openProposal(fixture.view, { id: id(1), terms: money, fee: 10n * COIN, height: 100 }, params);
  openProposal(fixture.view, { id: id(2), terms: confidence, fee: 5n * COIN, height: 100 }, params);
  openProposal(fixture.view, { id: id(3), terms: { ...confidence, options: 1 }, fee: 5n * COIN, height: 100 }, params);
  for (const [n, vote] of [
    [1, 1],
    [2, 2],
    [3, 3],
    [4, 1],
  ] as const) {
    fixture.view.put(proposalVotes, { proposalId: id(1), cycle: 1, masternodeId: id(n) }, vote);
  }
  const snapshot = () => Object.assign(new Overlay(fixture.view), { close() {} });
  const chain = { params, state: fixture.view, snapshot, tip: { height: 110 }, isInitialDownload: () => false };
  const ask = asker(proposalsHandlers, {
    chain: chain as never,
    wallets: undefined,
    acceptsNeutralVotes: undefined,
    stopping: new AbortController().signal,
  });
  const list = async (...args: readonly unknown[]) => {
    const text = await ask('listgovproposals', args);
    return text.startsWith('[') ? (JSON.parse(text) as { proposalId: string }[]).map(({ proposalId }) => proposalId) : text;
  };
  return { fixture, ask, list };
}

test('getgovproposal counts valid votes', async () => {
  const { ask } = node();
  assert.equal(
    await ask('getgovproposal', [shown(1)]),
    `{"proposalId":"${shown(1)}","creationHeight":100,"title":"T","context":"C","contextHash":"","status":"Voting",` +
      '"type":"CommunityFundProposal","amount":1.00000000,"payoutAddress":"bcrt1qqyqszqgpqyqszqgpqyqszqgpqyqszqgpvxat9t",' +
      '"currentCycle":1,"totalCycles":2,"cycleEndHeight":210,"proposalEndHeight":280,"votingPeriod":70,"quorum":"1.00%",' +
      '"approvalThreshold":"50.00%","votesPossible":3,"votesPresent":3,"votesPresentPct":"100.00%","votesYes":1,' +
      '"votesYesPct":"33.33%","votesNo":1,"votesNeutral":1,"votesInvalid":1,"feeRedistributionPerVote":1.66666666,' +
      '"feeRedistributionTotal":4.99999998,"fee":10.00000000}',
  );
  const urgent = JSON.parse(await ask('getgovproposal', [shown(3)])) as Record<string, unknown>;
  assert.deepEqual([urgent.options, 'amount' in urgent, 'votesYes' in urgent, urgent.quorum], [['emergency'], false, false, '10.00%']);
  assert.equal(await ask('getgovproposal', [shown(9)]), `-8 Proposal <${shown(9)}> does not exist`);
  assert.equal(await ask('getgovproposal', ['9']), "-8 proposalId must be of length 64 (not 1, for '9')");
});

describe('listgovproposals', () => {
  test('selects by type, status and cycle, as arguments or as an object', async () => {
    const { list, fixture } = node();
    assert.deepEqual(await list(), [shown(1), shown(2), shown(3)]);
    assert.deepEqual(await list('cfp'), [shown(1)]);
    assert.deepEqual(await list({ type: 'voc', status: 'voting' }), [shown(2), shown(3)]);
    assert.deepEqual(await list('all', 'rejected'), []);
    assert.equal(await list('some'), '-8 type supports cfp/voc/all');
    assert.equal(await list('all', 'some'), '-8 status supports voting/rejected/completed/all');
    // Cycles end at 150 and at 210.
    assert.deepEqual([await list('all', 'all', 1), await list('all', 'all', 2)], [[shown(3)], [shown(1), shown(2)]]);
    assert.deepEqual(await list('all', 'all', -1), [shown(3)]);
    assert.equal(await list('all', 'all', 3), '-8 Could not find cycle');
    assert.match(String(await list('all', 'all', -2)), /^-8 Incorrect cycle value/);
    // A string is never read as an object, whatever its content.
    assert.equal(await list('{"type":"voc"}'), '-8 type supports cfp/voc/all');
    assert.equal(await list({ cycle: '1' }), '-1 JSON value is not an integer as expected');
    assert.equal(await list({ pagination: 5 }), '-1 JSON value is not an object as expected');
    fixture.view.delete(proposals, id(3));
    assert.deepEqual(await list('all', 'all', -1), []);
  });

  test('ignores a first argument that is no text, and all after an object with members', async () => {
    const { list } = node();
    const all = [shown(1), shown(2), shown(3)];
    for (const first of [0, true, null, {}, []]) assert.deepEqual(await list(first), all);
    assert.equal(await list(['x']), '-3 Expected type string, got array');
    assert.equal(await list(['x'], 5), '-3 Expected type string, got array');
    assert.equal(await list(0, 'a'), '-8 status supports voting/rejected/completed/all');
    assert.equal(await list({}, 'a'), '-8 status supports voting/rejected/completed/all');
    assert.equal(await list({}, 5), '-1 JSON value is not a string as expected');
    assert.deepEqual(await list({ status: 'all' }, 'a', 'b', 'c'), all);
    assert.equal(await list({ type: 5 }), '-1 JSON value is not a string as expected');
    assert.equal(await list({ type: null }), '-1 JSON value is not a string as expected');
    assert.equal(await list('all', null), '-1 JSON value is not a string as expected');
    assert.equal(await list('all', 'all', null), '-1 JSON value is not an integer as expected');
    assert.equal(await list('all', 'all', 0, null), '-1 JSON value is not an object as expected');
    assert.deepEqual(await list({ pagination: null }), all);
  });

  test('shows pages', async () => {
    const { list } = node();
    for (const page of [{ including_start: false }, { start: '00'.repeat(32) }]) {
      assert.deepEqual(await list({ pagination: page }), [shown(2), shown(3)]);
      assert.deepEqual(await list({ cycle: 2, pagination: page }), [shown(2)]);
    }
    assert.equal(await list({ pagination: { limit: 'x', start: 'y' } }), '-1 JSON value is not an integer as expected');
    assert.deepEqual(await list({ pagination: { limit: 2 } }), [shown(1), shown(2)]);
    assert.deepEqual(await list({ pagination: { start: shown(1) } }), [shown(2), shown(3)]);
    assert.deepEqual(await list('all', 'all', 0, { start: shown(2), including_start: true, limit: 0 }), [shown(2), shown(3)]);
    assert.deepEqual(await list({ type: 'voc', pagination: { start: shown(1) } }), []);
  });
});

describe('listgovproposalvotes', () => {
  const voters = (text: string) => (JSON.parse(text) as { masternodeId: string }[]).map(({ masternodeId }) => masternodeId);

  test('lists the valid votes, or the others', async () => {
    const { ask } = node();
    const all = [shown(1), 'all'];
    assert.deepEqual(voters(await ask('listgovproposalvotes', all)), [shown(1), shown(2), shown(3)]);
    assert.deepEqual(voters(await ask('listgovproposalvotes', [...all, 0, {}, false, false])), [shown(4)]);
    assert.deepEqual(voters(await ask('listgovproposalvotes', [...all, 0, { start: 0, limit: 1 }])), [shown(2)]);
    const object = { proposalId: shown(1), masternode: 'all', pagination: { start: 1, including_start: true, limit: 1 } };
    assert.deepEqual(voters(await ask('listgovproposalvotes', [object])), [shown(2)]);
    assert.deepEqual(voters(await ask('listgovproposalvotes', [{ ...object, pagination: { limit: 0 } }])), [shown(1), shown(2), shown(3)]);
    assert.deepEqual(voters(await ask('listgovproposalvotes', [{ ...object, pagination: {}, valid: false }])), [shown(4)]);
    assert.deepEqual(voters(await ask('listgovproposalvotes', [...all, 0, {}, null, 5])), [shown(4)]);
    assert.deepEqual(voters(await ask('listgovproposalvotes', [{ ...object, pagination: {}, aggregate: 'x', valid: 0 }, 5])), [shown(4)]);
    assert.deepEqual(voters(await ask('listgovproposalvotes', [{ ...object, pagination: { start: -1 } }])), [shown(1), shown(2), shown(3)]);
    assert.equal(await ask('listgovproposalvotes', [{ ...object, pagination: { start: -2 } }]), '[]');
    assert.equal(await ask('listgovproposalvotes', [[shown(1)]]), '-3 Expected type string, got array');
    assert.equal(await ask('listgovproposalvotes', [shown(1), null]), '-1 JSON value is not a string as expected');
    const text = JSON.stringify({ aggregate: false });
    assert.equal(await ask('listgovproposalvotes', [text]), `-8 proposalId must be of length 64 (not 19, for '${text}')`);
    assert.deepEqual(voters(await ask('listgovproposalvotes', [shown(1), shown(2), -1])), [shown(2)]);
    assert.equal(await ask('listgovproposalvotes', [...all, 2]), '[]');
    assert.equal(await ask('listgovproposalvotes', [...all, -2]), '-8 Incorrect cycle value');
    assert.equal(
      await ask('listgovproposalvotes', [shown(1), shown(3)]),
      `[{"proposalId":"${shown(1)}","masternodeId":"${shown(3)}","cycle":1,"vote":"NEUTRAL","valid":true}]`,
    );
  });

  test('shows no proposal in a list of votes on all of them, whose limit has 64 bits', async () => {
    const { ask } = node();
    const votes = await ask('listgovproposalvotes', [{ aggregate: false, pagination: { limit: 2 ** 32 + 1 } }]);
    assert.deepEqual(voters(votes), [shown(1), shown(2), shown(3)]);
    assert.ok(votes.startsWith(`[{"proposalId":"${'0'.repeat(64)}","masternodeId":"${shown(1)}","cycle":1,`));
  });

  test('counts them by proposal', async () => {
    const { ask } = node();
    const counts = `[{"proposalId":"${shown(1)}","total":3,"yes":1,"neutral":1,"no":1}]`;
    assert.equal(await ask('listgovproposalvotes', []), counts);
    assert.equal(await ask('listgovproposalvotes', [{}]), counts);
    assert.equal(await ask('listgovproposalvotes', [shown(1), 'all', 0, {}, true]), counts);
  });
});
