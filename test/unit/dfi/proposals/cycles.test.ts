import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addCommunityBalance, communityBalance } from '../../../../src/dfi/accounts/community-columns.js';
import type { DefinedTx } from '../../../../src/dfi/context/custom-tx.js';
import { dfiColumns } from '../../../../src/dfi/execution/all-columns.js';
import { masternodes } from '../../../../src/dfi/masternodes/columns.js';
import { cycleEnds, ProposalStatus, type ProposalTerms, proposals } from '../../../../src/dfi/proposals/columns.js';
import { proposalCycles } from '../../../../src/dfi/proposals/event.js';
import { createCfp, createVoc, vote } from '../../../../src/dfi/proposals/transactions.js';
import { type Codec, encode, encodeText } from '../../../../src/primitives/codec.js';
import type { Hash256 } from '../../../../src/primitives/hash.js';
import type { Transaction } from '../../../../src/primitives/transaction.js';
import { Overlay } from '../../../../src/storage/overlay.js';
import { EMPTY_BYTES } from '../../../../src/util/bytes.js';
import { fc } from '../../../property.js';
import { type DfiFixture, dataScript, script } from '../fixture.js';
import { COIN, governed, id, node, set } from '../governance-fixture.js';

const FUND = 1_000n * COIN;
const PAYEES = [1, 2].map(script);
const FIRST_HEIGHT = 101;
const terms: ProposalTerms = {
  type: 1,
  address: EMPTY_BYTES,
  amount: 0n,
  cycles: 1,
  title: 'T',
  context: 'C',
  contextHash: '',
  options: 0,
};

interface Step {
  readonly kind: 'ask' | 'question' | 'urgent' | 'vote' | 'resign' | 'fees' | 'payout' | 'quorum' | 'period';
  readonly number: number;
  readonly cycles: number;
  readonly masternode: number;
  readonly choice: number;
  readonly amount: bigint;
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(
    'ask',
    'ask',
    'question',
    'urgent',
    'vote',
    'vote',
    'vote',
    'vote',
    'vote',
    'resign',
    'fees',
    'payout',
    'quorum',
    'period',
  ),
  number: fc.nat(6),
  cycles: fc.integer({ min: 0, max: 3 }),
  masternode: fc.integer({ min: 1, max: 4 }),
  choice: fc.constantFrom(1, 1, 1, 1, 2, 3, 4),
  amount: fc.bigInt(1n, 400n * COIN),
});
// At most 90 transactions: the outpoints that the fixture makes up repeat after 128.
const blocks = fc.array(fc.array(step, { maxLength: 3 }), { minLength: 5, maxLength: 30 });

/** Contents of a block: transactions, and changes that other rules would make. */
type Deed = { readonly tx: Transaction } | { readonly change: (fixture: DfiFixture) => void };

/** Blocks with proposals, each of which can be disconnected. */
class Parliament {
  readonly fixture = governed();
  readonly genesis: string;
  /** Contents of each block, its undo record, and the state after it. */
  readonly chain: { readonly deeds: readonly Deed[]; readonly undo: ReturnType<Overlay['undo']>; readonly digest: string }[] = [];

  constructor() {
    const { fixture } = this;
    set(fixture, 'params/feature/gov-payout', { kind: 'bool', value: true });
    set(fixture, 'gov/proposals/voting_period', { kind: 'u32', value: 4 });
    set(fixture, 'gov/proposals/voc_emergency_period', { kind: 'u32', value: 3 });
    addCommunityBalance(fixture.view, 'communityDevelopment', FUND);
    this.genesis = digest(fixture);
  }

  get height(): number {
    return FIRST_HEIGHT + this.chain.length;
  }

  /** @returns number of its transactions that were applied */
  connect(deeds: readonly Deed[]): number {
    const { fixture, height } = this;
    const below = fixture.view;
    fixture.view = new Overlay(below);
    let applied = 0;
    for (const deed of deeds) {
      if ('change' in deed) deed.change(fixture);
      else if (fixture.apply(deed.tx, height).status === 'applied') applied += 1;
    }
    fixture.runEvent(proposalCycles, height);
    const undo = fixture.view.undo();
    fixture.view.commit();
    fixture.view = below;
    this.chain.push({ deeds, undo, digest: digest(fixture) });
    return applied;
  }

  disconnect(): void {
    const last = this.chain.pop();
    if (last) this.fixture.view.restore(last.undo);
  }

  /** Interprets a step in the current state. */
  deed({ kind, number, cycles, masternode, choice, amount }: Step): Deed {
    const { fixture } = this;
    const payee = PAYEES[number % 2] as Uint8Array;
    switch (kind) {
      case 'ask': {
        const body = { ...terms, address: payee, amount, cycles };
        return { tx: send(fixture, createCfp, body, 10n * COIN, payee) };
      }
      case 'question':
        return { tx: send(fixture, createVoc, { ...terms, type: 2 }, 5n * COIN, payee) };
      case 'urgent':
        return { tx: send(fixture, createVoc, { ...terms, type: 2, options: 1 }, 10_000n * COIN, payee) };
      case 'vote': {
        const known = [...fixture.view.entries(proposals)].map(([each]) => each);
        const proposalId: Hash256 = known[number % Math.max(known.length, 1)] ?? id(9);
        return { tx: send(fixture, vote, { proposalId, masternodeId: id(masternode), vote: choice }, 0n, script(masternode + 10)) };
      }
      case 'resign': {
        // The first masternode stays, so that there is always one that may vote.
        const resignHeight = this.height;
        return { change: ({ view }) => masternode > 2 && view.put(masternodes, id(masternode), { ...node(masternode), resignHeight }) };
      }
      case 'fees':
        return { change: (at) => set(at, 'gov/proposals/fee_redistribution', { kind: 'bool', value: choice === 1 }) };
      case 'payout':
        return { change: (at) => set(at, 'params/feature/gov-payout', { kind: 'bool', value: choice !== 2 }) };
      case 'quorum':
        return { change: (at) => set(at, 'gov/proposals/quorum', { kind: 'amount', value: (BigInt(choice) * COIN) / 5n }) };
      case 'period':
        return { change: (at) => set(at, 'gov/proposals/voting_period', { kind: 'u32', value: 2 + number }) };
    }
  }
}

function send<Body>(fixture: DfiFixture, { type, codec }: DefinedTx<Body>, body: Body, value: bigint, from: Uint8Array): Transaction {
  return fixture.transaction(dataScript(type, encode(codec as Codec<Body>, body)), { value, from: [from] });
}

/** The whole state. */
function digest({ view }: DfiFixture): string {
  return dfiColumns
    .flatMap((column) => [...view.entries(column)].map(([k, v]) => column.name + encodeText(column.key, k) + encodeText(column.value, v)))
    .join('\n');
}

/** Invariants after every block. */
function check({ fixture, height }: Parliament): void {
  const { view } = fixture;
  const paid = PAYEES.reduce((sum, owner) => sum + fixture.balance(owner), 0n);
  assert.equal(paid + communityBalance(view, 'communityDevelopment'), FUND, 'what the fund loses the payees have');
  const ends = [...view.entries(cycleEnds)].map(([{ proposalId }]) => proposalId.toString());
  for (const [proposalId, { status, cycle, cycles, endHeight }] of view.entries(proposals)) {
    const isOpen = status === ProposalStatus.voting;
    assert.ok(cycle >= 1 && cycle <= cycles);
    assert.equal(endHeight >= height, isOpen, 'open until its end, and no longer');
    assert.equal(ends.filter((each) => each === proposalId.toString()).length, isOpen ? cycles : 0);
  }
}

test('blocks with proposals can be disconnected to any height and connected again', () => {
  let applied = 0;
  const met = new Set<string>();
  fc.assert(
    fc.property(blocks, fc.nat(), (steps, cut) => {
      const parliament = new Parliament();
      for (const each of steps) {
        applied += parliament.connect(each.map((one) => parliament.deed(one)));
        check(parliament);
      }
      const { fixture, chain } = parliament;
      for (const [, { status, cycle }] of fixture.view.entries(proposals)) met.add(`${status} in cycle ${cycle}`);
      if (communityBalance(fixture.view, 'communityDevelopment') < FUND) met.add('payout');
      if (fixture.balance(script(11)) > 0n) met.add('fee paid back');
      const connected = [...chain];
      const height = cut % (chain.length + 1);
      while (chain.length > height) {
        parliament.disconnect();
        assert.equal(digest(fixture), chain.at(-1)?.digest ?? parliament.genesis, `after ${chain.length} blocks`);
      }
      for (const [i, { deeds, digest: wanted }] of connected.entries()) {
        if (i < height) continue;
        parliament.connect(deeds);
        assert.equal(digest(fixture), wanted, `block ${i} again`);
      }
      while (chain.length > 0) parliament.disconnect();
      assert.equal(digest(fixture), parliament.genesis);
    }),
    { numRuns: 60 },
  );
  // Open, rejected and completed proposals, in the first cycle and in later ones.
  for (const what of ['1 in cycle 1', '1 in cycle 2', '2 in cycle 1', '2 in cycle 2', '3 in cycle 1', '3 in cycle 2'])
    assert.ok(met.has(what), what);
  assert.ok(applied > 300 && met.has('payout') && met.has('fee paid back'), `${applied} transactions took effect`);
});
