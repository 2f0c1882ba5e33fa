import type { Draw, Makers } from './draw.js';

const TIMELOCKS = ['NONE', 'FIVEYEARTIMELOCK', 'TENYEARTIMELOCK', 'SIXYEARTIMELOCK'];

/** Operations of masternodes: their life, and proposals with the votes about them. */
export const MASTERNODES: Makers = {
  creategovcfp: {
    weight: 2,
    make: (d) => [
      {
        title: d.pick([`cfp ${d.random.below(99)}`, 'x'.repeat(128), 'x'.repeat(129), ' ']),
        context: d.pick(['c', 'c', 'x'.repeat(512), 'x'.repeat(513)]),
        ...(d.chance(20) ? { contextHash: d.pick(['h', 'x'.repeat(512), 'x'.repeat(513)]) } : {}),
        amount: d.pick(['1', '100', '0.1', '1000', '0.00000001', '500000']),
        ...(d.chance(90) ? { cycles: d.pick([1, 1, 2, 2, 3, 100, 101, 0]) } : {}),
        payoutAddress: d.address(),
      },
    ],
  },
  creategovvoc: {
    weight: 2,
    make: (d) => [{ title: `voc ${d.random.below(99)}`, context: 'c', ...(d.chance(60) ? { emergency: d.chance(60) } : {}) }],
  },
  votegov: {
    weight: 6,
    make: (d) => {
      const voter = voterOf(d);
      return d.values.proposals.length === 0 || voter === undefined ? undefined : [proposalOf(d), voter, decisionOf(d)];
    },
  },
  votegovbatch: {
    weight: 2,
    make: (d) => {
      if (d.values.proposals.length === 0 || d.values.voters.length === 0) return undefined;
      return [Array.from({ length: 1 + d.random.below(3) }, () => [proposalOf(d), voterOf(d), decisionOf(d)]), 0];
    },
  },
  createmasternode: {
    weight: 2,
    make: (d) => [d.address(), ...(d.chance(70) ? [d.address()] : ['']), ...(d.chance(50) ? [[], d.pick(TIMELOCKS)] : [])],
  },
  updatemasternode: {
    weight: 3,
    make: (d) => [
      d.pick(d.values.masternodes),
      {
        ...(d.chance(50) ? { ownerAddress: d.address() } : {}),
        ...(d.chance(50) ? { operatorAddress: d.address() } : {}),
        ...(d.chance(50) ? { rewardAddress: d.chance(80) ? d.address() : '' } : {}),
      },
    ],
  },
  resignmasternode: { weight: 1, make: (d) => [d.pick(d.values.masternodes)] },
};

/** One of the newest proposals, most of the time. */
function proposalOf(d: Draw): string {
  return d.pick(d.values.proposals);
}

/** A masternode that has minted, most of the time. */
function voterOf(d: Draw): string | undefined {
  return d.values.voters.length > 0 && d.chance(85) ? d.pick(d.values.voters) : d.pick(d.values.masternodes);
}

function decisionOf(d: Draw): string {
  return d.chance(5) ? d.pick(['neutral', 'Yes', '']) : d.pick(['yes', 'yes', 'no']);
}
