import { COIN } from '../primitives/amount.js';
import type { AddressPrefixes } from '../script/address.js';
import { scriptOfAddress } from './genesis.js';
import type { Deployment, GovernanceParams, NetworkParams, PosParams, SpecialScripts, SubsidyParams } from './network.js';

// Values shared by several networks.

/** 20 bits of zeros, then ones. */
export const DIFF_LIMIT = 2n ** 236n - 1n;
/** The limit in compact form. */
export const DIFF_LIMIT_BITS = 0x1e0fffff;
export const SECONDS_PER_DAY = 86_400;

/** Age of the tip in seconds above which the node is in initial block download. */
export const DEFAULT_MAX_TIP_AGE = 36_000;

/** Emission from Eunos on, common to all networks; units as in {@link SubsidyParams}. */
export const EMISSION = {
  reducedBase: 40_504_000_000n,
  reductionPeriod: 32_690,
  reductionAmount: 1658n,
  shares: {
    masternode: 3333n,
    communityDevelopment: 491n,
    anchor: 2n,
    incentive: 2545n,
    loan: 2468n,
    options: 988n,
    unallocated: 173n,
  },
} as const;

/** Emission schedule of all networks except regtest. */
export const LIVE_SUBSIDY: SubsidyParams = {
  ...EMISSION,
  base: 200n * COIN,
  halvingInterval: 210_000,
  halves: false,
  legacy: { incentive: 22_500_000n, anchor: 50_000n, foundation: 9_950_000n },
  foundationPercent: 10n,
};

export const LIVE_POS: PosParams = {
  diffLimit: DIFF_LIMIT,
  targetTimespan: 300,
  targetTimespanV2: 30_240,
  targetSpacing: 30,
  stakeMinAge: 0,
  stakeMaxAge: 14 * SECONDS_PER_DAY,
  noRetargeting: false,
  dummy: false,
};

export const LIVE_BURIED: NetworkParams['buried'] = { bip34: 0, bip65: 0, bip66: 0, csv: 1, segwit: 0 };

/** Deployments whose signalling period has passed: they failed. */
export const LIVE_DEPLOYMENTS: readonly Deployment[] = [{ name: 'testdummy', bit: 28, startTime: 1_199_145_601n, timeout: 1_230_767_999n }];

/** Governance values common to all networks. */
export const GOVERNANCE = {
  cfpFeeShare: COIN / 100n,
  cfpMinimumFee: 10n * COIN,
  cfpApproval: COIN / 2n,
  vocEmergencyFee: 10_000n * COIN,
  vocApproval: 66_670_000n,
  quorum: COIN / 100n,
  feeBurnShare: COIN / 2n,
} as const satisfies Partial<GovernanceParams>;

/** Reward of anchors before Dakota, the same everywhere. */
export const ANCHOR_SUBSIDY = { subsidy: 0n, subsidyIncreaseValue: 5n * COIN, subsidyIncreasePeriod: 60 } as const;

/** Special scripts by their addresses. */
export interface SpecialAddresses {
  readonly foundationShare: string;
  readonly foundationMembers: readonly string[];
  readonly accountDestruction: readonly string[];
  readonly burn: string;
  readonly retiredBurn: string;
  readonly unusedEmission: string;
}

export function specialScripts(addresses: SpecialAddresses, prefixes: AddressPrefixes): SpecialScripts {
  const script = (text: string) => scriptOfAddress(text, prefixes);
  return {
    foundationShare: script(addresses.foundationShare),
    foundationMembers: addresses.foundationMembers.map(script),
    accountDestruction: addresses.accountDestruction.map(script),
    burn: script(addresses.burn),
    retiredBurn: script(addresses.retiredBurn),
    unusedEmission: script(addresses.unusedEmission),
  };
}
