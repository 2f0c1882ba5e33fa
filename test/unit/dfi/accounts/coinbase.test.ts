import assert from 'node:assert/strict';
import { test } from 'node:test';
import { creditCommunity } from '../../../../src/dfi/accounts/coinbase.js';
import { balanceOf } from '../../../../src/dfi/accounts/columns.js';
import { COMMUNITY, type CommunityAccount, communityBalance } from '../../../../src/dfi/accounts/community-columns.js';
import { attributes } from '../../../../src/dfi/attributes/attributes.js';
import { attributeAt } from '../../../../src/dfi/attributes/path.js';
import { networkParams } from '../../../../src/params/index.js';
import type { NetworkParams } from '../../../../src/params/network.js';
import { MemoryStore } from '../../../../src/storage/memory.js';
import { Overlay } from '../../../../src/storage/overlay.js';

/** Regtest with the emission of main, for familiar amounts: 50 DFI, and from Eunos on the schedule of main. */
const params: NetworkParams = networkParams({
  network: 'regtest',
  subsidyTest: true,
  upgradeHeights: { amk: 10, eunos: 20, fortCanning: 30, grandCentral: 40 },
});

type Credits = Partial<Record<CommunityAccount | 'foundation' | 'unused', bigint>>;

/** Community and account credits of one block. */
function credits(height: number, features: readonly string[] = []): Credits {
  const view = new Overlay(new MemoryStore());
  for (const feature of features) view.put(attributes, attributeAt(`v0/params/feature/${feature}`), { kind: 'bool', value: true });
  creditCommunity(view, height, params);
  const all: Record<string, bigint> = {};
  for (const account of Object.keys(COMMUNITY) as CommunityAccount[]) all[account] = communityBalance(view, account);
  all.foundation = balanceOf(view, params.scripts.foundationShare, 0);
  all.unused = balanceOf(view, params.scripts.unusedEmission, 0);
  return Object.fromEntries(Object.entries(all).filter(([, amount]) => amount > 0n));
}

const beforeEunos = { anchor: 10_000_000n, incentive: 1_000_000_000n };
const anchor = 8_100_800n;
const incentive = 10_308_268_000n;
const cases: readonly {
  readonly name: string;
  readonly height: number;
  readonly features?: readonly string[];
  readonly expected: Credits;
}[] = [
  { name: 'nothing before AMK', height: 9, expected: {} },
  { name: 'the first shares at AMK', height: 10, expected: beforeEunos },
  { name: 'same shares one block before Eunos', height: 19, expected: beforeEunos },
  { name: 'loans and options are burnt from Eunos on', height: 20, expected: { anchor, incentive, unallocated: 14_698_901_600n } },
  { name: 'the same one block before Fort Canning', height: 29, expected: { anchor, incentive, unallocated: 14_698_901_600n } },
  {
    name: 'loans have a community account from Fort Canning on',
    height: 30,
    expected: { anchor, incentive, loan: 9_996_387_200n, unallocated: 4_702_514_400n },
  },
  {
    name: 'the coinbase pays the foundation up to Grand Central',
    height: 39,
    expected: { anchor, incentive, loan: 9_996_387_200n, unallocated: 4_702_514_400n },
  },
  {
    name: 'the foundation account is credited from Grand Central on',
    height: 40,
    expected: { anchor, incentive, loan: 9_996_387_200n, unallocated: 4_702_514_400n, foundation: 1_988_746_400n },
  },
  {
    name: 'the community account is credited instead while governance is on',
    height: 40,
    features: ['gov'],
    expected: { anchor, incentive, loan: 9_996_387_200n, unallocated: 4_702_514_400n, communityDevelopment: 1_988_746_400n },
  },
  {
    name: 'unused shares are credited to an account while that attribute is on',
    height: 40,
    features: ['emission-unused-fund'],
    expected: { anchor, incentive, loan: 9_996_387_200n, unused: 4_702_514_400n, foundation: 1_988_746_400n },
  },
];

for (const { name, height, features, expected } of cases) {
  test(`shares of the block reward: ${name}`, () => assert.deepEqual(credits(height, features), expected));
}
