import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { addCommunityBalance, communityBalance } from '../../../../src/dfi/accounts/community-columns.js';
import { burnHistory } from '../../../../src/dfi/accounts/history-columns.js';
import { masternodes } from '../../../../src/dfi/masternodes/columns.js';
import { cycleEndHeight, type Proposal, type ProposalTerms, proposals, tally } from '../../../../src/dfi/proposals/columns.js';
import { proposalCycles } from '../../../../src/dfi/proposals/event.js';
import { createCfp, createVoc, vote } from '../../../../src/dfi/proposals/transactions.js';
import type { Hash256 } from '../../../../src/primitives/hash.js';
import { EMPTY_BYTES } from '../../../../src/util/bytes.js';
import { DfiFixture, GRAND_CENTRAL, heights, script } from '../fixture.js';
import { COIN, governed, id, node, set } from '../governance-fixture.js';

const payee = script(1);

const cfp: ProposalTerms = {
  type: 1,
  address: payee,
  amount: 100n * COIN,
  cycles: 2,
  title: 'a title',
  context: 'a link',
  contextHash: '',
  options: 0,
};
const voc: ProposalTerms = { ...cfp, type: 2, address: EMPTY_BYTES, amount: 0n, cycles: 1 };

function propose(fixture: DfiFixture, terms: ProposalTerms, value = 10n * COIN): Hash256 {
  assert.equal(fixture.failure(terms.type === 1 ? createCfp : createVoc, terms, { value }), undefined);
  const found = [...fixture.view.entries(proposals)].map(([each]) => each);
  return found[0] as Hash256;
}

function cast(fixture: DfiFixture, proposalId: Hash256, votes: Readonly<Record<number, number>>): void {
  for (const [n, choice] of Object.entries(votes)) {
    const body = { proposalId, masternodeId: id(Number(n)), vote: choice };
    assert.equal(fixture.failure(vote, body, { from: [script(Number(n) + 10)] }), undefined);
  }
}

function stored(fixture: DfiFixture, proposalId: Hash256): Proposal {
  return fixture.view.get(proposals, proposalId) as Proposal;
}

describe('proposals', () => {
  const cases: readonly (readonly [name: string, terms: ProposalTerms, value: bigint, expected: string | undefined])[] = [
    ['as it should be', cfp, 10n * COIN, undefined],
    ['of confidence', voc, 5n * COIN, undefined],
    ['in an emergency', { ...voc, options: 1 }, 10_000n * COIN, undefined],
    ['of another payee', { ...cfp, address: script(2) }, 10n * COIN, 'tx must have at least one input from proposal account'],
    ['of confidence with an amount', { ...voc, amount: 1n }, 5n * COIN, 'proposal amount in vote of confidence'],
    ['of confidence with an address', { ...voc, address: payee }, 5n * COIN, 'vote of confidence address should be empty'],
    ['of confidence in two cycles', { ...voc, cycles: 2 }, 5n * COIN, 'proposal cycles should be 1'],
    ['of an unknown type', { ...cfp, type: 3 }, 10n * COIN, 'unsupported proposal type'],
    ['too cheap', cfp, 10n * COIN - 1n, 'malformed tx vouts (wrong creation fee)'],
    ['too dear', cfp, 10n * COIN + 1n, 'malformed tx vouts (wrong creation fee)'],
    ['of more than 1000 DFI', { ...cfp, amount: 1001n * COIN }, 1_001_000_000n, undefined],
    ['for all money', { ...cfp, amount: 1_200_000_000n * COIN }, 12_000_000n * COIN, 'proposal wants to gain all money'],
    ['without title', { ...cfp, title: '' }, 10n * COIN, 'proposal title must not be empty'],
    ['with a long title', { ...cfp, title: 'a'.repeat(128) }, 10n * COIN, undefined],
    ['with too long a title', { ...cfp, title: 'a'.repeat(129) }, 10n * COIN, 'proposal title cannot be more than 128 bytes'],
    ['without context', { ...cfp, context: '' }, 10n * COIN, 'proposal context must not be empty'],
    ['with too long a context', { ...cfp, context: 'a'.repeat(513) }, 10n * COIN, 'proposal context cannot be more than 512 bytes'],
    ['with too long a hash', { ...cfp, contextHash: 'a'.repeat(513) }, 10n * COIN, 'proposal context hash cannot be more than 512 bytes'],
    ['without cycles', { ...cfp, cycles: 0 }, 10n * COIN, 'proposal cycles can be between 1 and 100'],
    ['with a hundred cycles', { ...cfp, cycles: 100 }, 10n * COIN, undefined],
    ['with more', { ...cfp, cycles: 101 }, 10n * COIN, 'proposal cycles can be between 1 and 100'],
    ['an emergency in two cycles', { ...voc, cycles: 2, options: 1 }, 10_000n * COIN, 'emergency proposal cycles must be 1'],
    ['money in an emergency', { ...cfp, cycles: 1, options: 1 }, 10n * COIN, 'only vote of confidence allowed with emergency option'],
  ];
  for (const [name, terms, value, expected] of cases) {
    test(name, () => {
      assert.equal(governed().failure(createCfp, terms, { value, from: [payee] }), expected && `CreateCfpTx: ${expected}`);
    });
  }

  test('need Grand Central and governance', () => {
    const early = governed({ ...GRAND_CENTRAL, grandCentral: 101 });
    assert.equal(early.failure(createVoc, voc, { value: 5n * COIN }), 'CreateVocTx: called before GrandCentral height');
    const off = new DfiFixture(heights(GRAND_CENTRAL));
    const refused = 'CreateVocTx: Cannot create tx, on-chain governance is not enabled';
    assert.equal(off.failure(createVoc, voc, { value: 5n * COIN }), refused);
  });

  test('end at multiples of the voting period, emergencies after their own period', () => {
    const fixture = governed();
    const regular = stored(fixture, propose(fixture, cfp));
    // Created at 100: the first cycle starts at the multiple at 140.
    assert.deepEqual([regular.votingPeriod, cycleEndHeight(regular), regular.endHeight], [70, 210, 280]);
    const urgent = governed();
    const emergency = stored(urgent, propose(urgent, { ...voc, options: 1 }, 10_000n * COIN));
    assert.deepEqual([emergency.votingPeriod, cycleEndHeight(emergency), emergency.quorum], [50, 150, 1000n]);
  });
});

test('heights of long periods wrap around', () => {
  const fixture = governed();
  const longest = 0xffff_ffff;
  set(fixture, 'gov/proposals/voting_period', { kind: 'u32', value: longest });
  set(fixture, 'gov/proposals/voc_emergency_period', { kind: 'u32', value: longest });
  assert.equal(stored(fixture, propose(fixture, cfp)).endHeight, 0xffff_fffd);
  const urgent = { ...voc, options: 1 };
  assert.equal(fixture.failure(createVoc, urgent, { value: 10_000n * COIN }), undefined);
  const ends = [...fixture.view.entries(proposals)].map(([, { endHeight }]) => endHeight);
  assert.deepEqual(ends.sort(), [0xffff_fffd, 99].sort());
});

test('without a burnt part of the fee there is no burn record', () => {
  const burns = (share: bigint) => {
    const fixture = governed();
    set(fixture, 'gov/proposals/fee_burn_pct', { kind: 'amount', value: share });
    propose(fixture, cfp);
    fixture.history.write(fixture.view);
    return [...fixture.view.entries(burnHistory)].length;
  };
  assert.deepEqual([burns(1n), burns(0n)], [1, 0]);
});

describe('votes', () => {
  const refusal = (fixture: DfiFixture, masternodeId: Hash256, choice = 1, from = script(11)) => {
    const [proposalId = id(9)] = [...fixture.view.entries(proposals)].map(([each]) => each);
    return fixture.failure(vote, { proposalId, masternodeId, vote: choice }, { from: [from] });
  };

  test('need a masternode that minted', () => {
    const fixture = governed();
    const name = `masternode <${'01'.repeat(32)}>`;
    assert.equal(refusal(fixture, id(1)), `VoteTx: proposal <${'09'.repeat(32)}> does not exist`);
    propose(fixture, cfp);
    assert.equal(refusal(fixture, id(9)), `VoteTx: masternode <${'09'.repeat(32)}> does not exist`);
    assert.equal(refusal(fixture, id(1), 1, script(12)), 'VoteTx: tx must have at least one input from the owner');
    assert.equal(refusal(fixture, id(1), 4), 'VoteTx: unsupported vote type');
    assert.equal(refusal(fixture, id(1), 0), 'VoteTx: unsupported vote type');
    fixture.view.put(masternodes, id(1), node(1, 0));
    assert.equal(refusal(fixture, id(1)), `VoteTx: ${name} does not mine at least one block`);
    fixture.view.put(masternodes, id(1), { ...node(1), resignHeight: 99 });
    assert.equal(refusal(fixture, id(1)), `VoteTx: ${name} is not active`);
    fixture.view.put(masternodes, id(1), node(1));
    assert.equal(refusal(fixture, id(1)), undefined);
  });

  test('are rejected after the end of the proposal', () => {
    const fixture = governed();
    propose(fixture, { ...cfp, cycles: 1 });
    fixture.runEvent(proposalCycles, 210);
    assert.match(refusal(fixture, id(1)) ?? '', /is not in voting period$/);
  });
});

describe('the end of a cycle', () => {
  /** Status and cycle after the first cycle. */
  const outcome = (votes: Readonly<Record<number, number>>, terms = cfp, given = GRAND_CENTRAL): number[] => {
    const fixture = governed(given);
    const proposalId = propose(fixture, terms, terms.type === 1 ? 10n * COIN : 5n * COIN);
    cast(fixture, proposalId, votes);
    fixture.runEvent(proposalCycles, 209);
    assert.equal(stored(fixture, proposalId).status, 1);
    fixture.runEvent(proposalCycles, 210);
    const { status, cycle } = stored(fixture, proposalId);
    return [status, cycle];
  };

  test('rejects a proposal without votes', () => assert.deepEqual(outcome({}), [2, 1]));
  test('continues with a majority', () => assert.deepEqual(outcome({ 1: 1, 2: 1, 3: 2 }), [1, 2]));
  test('rejects a tie', () => assert.deepEqual(outcome({ 1: 1, 2: 2 }), [2, 1]));
  test('completes the last cycle', () => assert.deepEqual(outcome({ 1: 1 }, { ...cfp, cycles: 1 }), [3, 1]));
  test('needs two thirds for a vote of confidence', () => {
    assert.deepEqual(outcome({ 1: 1, 2: 1, 3: 2 }, voc), [2, 1]);
    assert.deepEqual(outcome({ 1: 1, 2: 1, 3: 1, 4: 2 }, voc), [3, 1]);
  });
  test('counts neutral votes against a proposal until Metachain', () => {
    const metachain = { ...GRAND_CENTRAL, metachain: 0 };
    assert.deepEqual(outcome({ 1: 1, 2: 3 }), [2, 1]);
    assert.deepEqual(outcome({ 1: 1, 2: 3 }, cfp, metachain), [1, 2]);
    assert.deepEqual(outcome({ 1: 3 }, cfp, metachain), [2, 1]);
  });

  test('ignores votes of masternodes that resigned', () => {
    const fixture = governed();
    const proposalId = propose(fixture, cfp);
    cast(fixture, proposalId, { 1: 1, 2: 2, 3: 2 });
    for (const n of [2, 3]) fixture.view.put(masternodes, id(n), { ...node(n), resignHeight: 120 });
    fixture.runEvent(proposalCycles, 210);
    assert.equal(stored(fixture, proposalId).status, 1);
  });

  test('is postponed while there is no masternode', () => {
    const fixture = governed(GRAND_CENTRAL, 0);
    const proposalId = propose(fixture, cfp);
    fixture.runEvent(proposalCycles, 210);
    assert.equal(stored(fixture, proposalId).status, 1);
  });

  test('needs more than the quorum', () => {
    const fixture = governed();
    set(fixture, 'gov/proposals/quorum', { kind: 'amount', value: 50_000_000n });
    const proposalId = propose(fixture, cfp);
    cast(fixture, proposalId, { 1: 1, 2: 1 });
    fixture.runEvent(proposalCycles, 210);
    assert.equal(stored(fixture, proposalId).status, 2);
  });

  test('uses new thresholds for the next cycle', () => {
    const fixture = governed();
    const proposalId = propose(fixture, cfp);
    cast(fixture, proposalId, { 1: 1 });
    set(fixture, 'gov/proposals/cfp_approval_threshold', { kind: 'amount', value: 75_000_000n });
    fixture.runEvent(proposalCycles, 210);
    assert.deepEqual([stored(fixture, proposalId).approvalThreshold, stored(fixture, proposalId).quorum], [7500n, 100n]);
  });

  test('pays each cycle while the community funds suffice', () => {
    const fixture = governed();
    set(fixture, 'params/feature/gov-payout', { kind: 'bool', value: true });
    addCommunityBalance(fixture.view, 'communityDevelopment', 150n * COIN);
    const proposalId = propose(fixture, cfp);
    cast(fixture, proposalId, { 1: 1 });
    fixture.runEvent(proposalCycles, 210);
    assert.deepEqual([fixture.balance(payee), communityBalance(fixture.view, 'communityDevelopment')], [100n * COIN, 50n * COIN]);
    cast(fixture, proposalId, { 1: 1 });
    fixture.runEvent(proposalCycles, 280);
    assert.equal(stored(fixture, proposalId).status, 3);
    assert.deepEqual([fixture.balance(payee), communityBalance(fixture.view, 'communityDevelopment')], [100n * COIN, 50n * COIN]);
  });

  test('pays half of the fee to the voters, and burns an indivisible remainder', () => {
    const fixture = governed();
    set(fixture, 'gov/proposals/fee_redistribution', { kind: 'bool', value: true });
    const proposalId = propose(fixture, cfp);
    fixture.view.put(masternodes, id(2), { ...node(2), rewardType: 1, rewardKey: new Uint8Array(20).fill(50) });
    cast(fixture, proposalId, { 1: 1, 2: 2, 3: 3 });
    fixture.runEvent(proposalCycles, 210);
    const each = 166_666_666n;
    assert.deepEqual([fixture.balance(script(11)), fixture.balance(script(12)), fixture.balance(script(13))], [each, 0n, each]);
    assert.equal(fixture.balance(fixture.params.scripts.burn), 5n * COIN - 3n * each);
  });

  test('is restored by an undo of its block', () => {
    const fixture = governed();
    set(fixture, 'params/feature/gov-payout', { kind: 'bool', value: true });
    set(fixture, 'gov/proposals/fee_redistribution', { kind: 'bool', value: true });
    addCommunityBalance(fixture.view, 'communityDevelopment', 500n * COIN);
    const before = [...fixture.view.entries(proposals)].length;
    const undoAll = fixture.branch();
    const proposalId = propose(fixture, cfp);
    cast(fixture, proposalId, { 1: 1, 2: 1 });
    const undoEnd = fixture.branch();
    fixture.runEvent(proposalCycles, 210);
    assert.deepEqual([stored(fixture, proposalId).cycle, fixture.balance(payee)], [2, 100n * COIN]);
    undoEnd();
    assert.deepEqual([stored(fixture, proposalId).cycle, fixture.balance(payee), fixture.balance(script(11))], [1, 0n, 0n]);
    assert.equal(communityBalance(fixture.view, 'communityDevelopment'), 500n * COIN);
    fixture.runEvent(proposalCycles, 210);
    assert.equal(stored(fixture, proposalId).cycle, 2);
    undoAll();
    assert.equal([...fixture.view.entries(proposals)].length, before);
  });
});

test('shares are counted in single precision and rounded half up', () => {
  assert.deepEqual([tally(0, 4), tally(1, 3), tally(2, 3), tally(1, 4), tally(1, 20_000), tally(1, 20_001)], [0, 3333, 6667, 2500, 1, 0]);
});
