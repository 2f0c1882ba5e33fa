import { COIN } from '../primitives/amount.js';
import { fromHex } from '../util/bytes.js';
import { buildGenesis, type GenesisData, type GenesisMasternodeData } from './genesis.js';
import { type AddressParams, type NetworkParams, P2P_PORTS, type PosParams, type SubsidyParams } from './network.js';
import {
  ANCHOR_SUBSIDY,
  DEFAULT_MAX_TIP_AGE,
  DIFF_LIMIT,
  EMISSION,
  GOVERNANCE,
  SECONDS_PER_DAY,
  type SpecialAddresses,
  specialScripts,
} from './shared.js';
import { uniformHeights } from './upgrade-heights.js';
import { UNSET } from './upgrades.js';

/** Options that only regtest has. */
export interface RegtestOptions {
  /** The genesis block and emission that the Jellyfish test tools expect. */
  readonly jellyfish?: boolean;
  /** Upgrades that no option moves are active from the first block after genesis. */
  readonly allUpgrades?: boolean;
  /** Senders may be impersonated. */
  readonly impersonation?: boolean;
  /** Proof of stake is not checked. */
  readonly dummyPos?: boolean;
  /** Outputs never carry a token id. */
  readonly noTokens?: boolean;
  /** Main's emission schedule instead of halvings. */
  readonly subsidyTest?: boolean;
  /** Main's spacing and timespans. */
  readonly simulateMainnet?: boolean;
  /** Required signatures of an anchor. */
  readonly anchorQuorum?: number;
  readonly skipLoanCollateralValidation?: boolean;
  readonly mintTokenAsOnMain?: boolean;
}

const FOREVER = 0x7fff_ffff_ffff_ffffn;

const ADDRESS: AddressParams = {
  pubKeyHash: 0x6f,
  scriptHash: 0xc4,
  secretKey: 0xef,
  extPublicKey: fromHex('043587cf'),
  extSecretKey: fromHex('04358394'),
  bech32Prefix: 'bcrt',
};

const MASTERNODE = {
  activationDelay: 10,
  newActivationDelay: 20,
  resignDelay: 10,
  newResignDelay: 40,
  creationFee: COIN,
  collateral: 10n * COIN,
  collateralDakota: 2n * COIN,
} as const;

/** The private keys are published: regtest coins are worth nothing. */
const MASTERNODES: readonly GenesisMasternodeData[] = [
  {
    ownerAddress: 'mwsZw8nF7pKxWH8eoKL9tPxTpaFkz7QeLU',
    operatorAddress: 'mswsMVsyGMj1FzDMbbxw2QW3KvQAv2FKiy',
    ownerKey: 'cRiRQ9cHmy5evDqNDdEV8f6zfbK6epi9Fpz4CRZsmLEmkwy54dWz',
    operatorKey: 'cPGEaz8AGiM71NGMRybbCqFNRcuUhg3uGvyY4TFE1BZC26EW2PkC',
  },
  {
    ownerAddress: 'msER9bmJjyEemRpQoS8YYVL21VyZZrSgQ7',
    operatorAddress: 'mps7BdmwEF2vQ9DREDyNPibqsuSRZ8LuwQ',
    ownerKey: 'cSCmN1tjcR2yR1eaQo9WmjTMR85SjEoNPqMPWGAApQiTLJH8JF7W',
    operatorKey: 'cVNTRYV43guugJoDgaiPZESvNtnfnUW19YEjhybihwDbLKjyrZNV',
  },
  {
    ownerAddress: 'myF3aHuxtEuqqTw44EurtVs6mjyc1QnGUS',
    operatorAddress: 'mtbWisYQmw9wcaecvmExeuixG7rYGqKEU4',
    ownerKey: 'cSXiqwTiYzECugcvCT4PyPKz2yKaTST8HowFVBBjccZCPkX6wsE9',
    operatorKey: 'cPh5YaousYQ92tNd9FkiiS26THjSVBDHUMHZzUiBFbtGNS4Uw9AD',
  },
  {
    ownerAddress: 'mwyaBGGE7ka58F7aavH5hjMVdJENP9ZEVz',
    operatorAddress: 'n1n6Z5Zdoku4oUnrXeQ2feLz3t7jmVLG9t',
    ownerKey: 'cVA52y8ABsUYNuXVJ17d44N1wuSmeyPtke9urw4LchTyKsaGDMbY',
    operatorKey: 'cV9tJBgAnSfFmPaC6fWWvA9StLKkU3DKV7eXJHjWMUENQ8cKJDkL',
  },
  {
    ownerAddress: 'mgsE1SqrcfUhvuYuRjqy6rQCKmcCVKNhMu',
    operatorAddress: 'mzqdipBJcKX9rXXxcxw2kTHC3Xjzd3siKg',
    ownerKey: 'cRJyBuQPuUhYzN5F2Uf35958oK9AzZ5UscRfVmaRr8ktWq6Ac23u',
    operatorKey: 'cQYJ87qk39i3uFsXBZ2EkwdX1h72q1RQcX9V8X7PPydFPgujxrCy',
  },
  {
    ownerAddress: 'mud4VMfbBqXNpbt8ur33KHKx8pk3npSq8c',
    operatorAddress: 'mk5DkY4qcV6CUpuxDVyD3AHzRq5XK9kbRN',
    ownerKey: 'cPjeCNka7omVbKKfywPVQyBig9eopBHy6eJqLzrdJqMP4DXApkcb',
    operatorKey: 'cV6Hjhutf11RvFHaERkp52QNynm2ifNmtUfP8EwRRMg6NaaQsHTe',
  },
  {
    ownerAddress: 'bcrt1qyrfrpadwgw7p5eh3e9h3jmu4kwlz4prx73cqny',
    operatorAddress: 'bcrt1qmfvw3dp3u6fdvqkdc0y3lr0e596le9cf22vtsv',
    ownerKey: 'cR4qgUdPhANDVF3bprcp5N9PNW2zyogDx6DGu2wHh2qtJB1L1vQj',
    operatorKey: 'cVsa2wQvCjZZ54jGteQ8qiQbQLJQmZSBWriYUYyXbcaqUJFqK5HR',
  },
  {
    ownerAddress: 'bcrt1qyeuu9rvq8a67j86pzvh5897afdmdjpyankp4mu',
    operatorAddress: 'bcrt1qurwyhta75n2g75u2u5nds9p6w9v62y8wr40d2r',
    ownerKey: 'cUX8AEUZYsZxNUh5fTS7ZGnF6SPQuTeTDTABGrp5dbPftCga2zcp',
    operatorKey: 'cUp5EVEjuAGpemSuejP36TWWuFKzuCbUJ4QAKJTiSSB2vXzDLsJW',
  },
];

const GENESIS: Omit<GenesisData, 'distribution'> = {
  time: 1_579_045_065,
  bits: 0x207fffff,
  creationFee: MASTERNODE.creationFee,
  collateral: MASTERNODE.collateral,
  masternodes: MASTERNODES,
};

const DISTRIBUTION: GenesisData['distribution'] = [['mud4VMfbBqXNpbt8ur33KHKx8pk3npSq8c', 50n * COIN]];

const JELLYFISH_DISTRIBUTION: GenesisData['distribution'] = [
  ['mwsZw8nF7pKxWH8eoKL9tPxTpaFkz7QeLU', 100_000_000n * COIN],
  ['mswsMVsyGMj1FzDMbbxw2QW3KvQAv2FKiy', 100_000_000n * COIN],
  ['msER9bmJjyEemRpQoS8YYVL21VyZZrSgQ7', 100_000_000n * COIN],
  ['mps7BdmwEF2vQ9DREDyNPibqsuSRZ8LuwQ', 100_000_000n * COIN],
  ['mud4VMfbBqXNpbt8ur33KHKx8pk3npSq8c', 100n * COIN],
];

const SPECIAL: SpecialAddresses = {
  foundationShare: '2NCWAKfEehP3qibkLKYQjXaWMK23k4EDMVS',
  foundationMembers: [
    'mwsZw8nF7pKxWH8eoKL9tPxTpaFkz7QeLU',
    'msER9bmJjyEemRpQoS8YYVL21VyZZrSgQ7',
    'bcrt1qyrfrpadwgw7p5eh3e9h3jmu4kwlz4prx73cqny',
    'bcrt1qyeuu9rvq8a67j86pzvh5897afdmdjpyankp4mu',
  ],
  accountDestruction: ['2MxJf6Ak8MGrLoGdekrU6AusW29szZUFphH', 'mxiaFfAnCoXEUy4RW8NgsQM7yU5YRCiFSh'],
  burn: 'mfburnZSAM7Gs1hpDeNaMotJXSGA7edosG',
  retiredBurn: 'mfdefichainDSTBurnAddressXXXZcE1vs',
  unusedEmission: 'mkzZWPwBVgdnwLSmXKW5SuUFMpm6C5ZPcJ',
};

function subsidy({ jellyfish = false, subsidyTest = false }: RegtestOptions): SubsidyParams {
  return {
    ...EMISSION,
    base: (jellyfish ? 100n : 50n) * COIN,
    halvingInterval: jellyfish ? 210_000 : 150,
    halves: !subsidyTest,
    reductionPeriod: jellyfish ? EMISSION.reductionPeriod : 150,
    legacy: { incentive: 20_000_000n, anchor: 200_000n, foundation: 3_800_000n },
    foundationPercent: 0n,
  };
}

function proofOfStake({ simulateMainnet = false, dummyPos = false }: RegtestOptions): PosParams {
  const twoWeeks = 14 * SECONDS_PER_DAY;
  return {
    diffLimit: DIFF_LIMIT,
    targetTimespan: simulateMainnet ? 300 : twoWeeks,
    targetTimespanV2: simulateMainnet ? 30_240 : twoWeeks,
    targetSpacing: simulateMainnet ? 30 : 600,
    stakeMinAge: 0,
    stakeMaxAge: twoWeeks,
    noRetargeting: true,
    dummy: dummyPos,
  };
}

/** A private chain with blocks on demand (docs/protocol/chain.md 1). Its upgrades are at height 10,000,000 unless options say otherwise. */
export function regtest(options: RegtestOptions = {}): NetworkParams {
  const distribution = options.jellyfish ? JELLYFISH_DISTRIBUTION : DISTRIBUTION;
  const genesis = buildGenesis({ ...GENESIS, distribution }, ADDRESS);
  const pos = proofOfStake(options);
  return {
    name: 'regtest',
    p2pMagic: fromHex('fabfb5da'),
    defidFileMagic: fromHex('fabfb5da'),
    p2pPort: P2P_PORTS.regtest,
    evmChainId: 1133,
    address: ADDRESS,
    txFormat: { tokenIds: !options.noTokens },
    requireStandard: true,
    mintWithoutPeers: true,
    pruneAfterHeight: 1000,
    dnsSeeds: [],
    fixedSeeds: [],
    minimumChainWork: 0n,
    assumeValid: undefined,
    chainTxData: { time: 0, txCount: 0, txRate: 0 },
    checkpoints: [{ height: 0, hash: genesis.block.hash }],
    buried: { bip34: 500, bip65: 1351, bip66: 1251, csv: 432, segwit: 0 },
    bip9: { window: 144, threshold: 108, deployments: [{ name: 'testdummy', bit: 28, startTime: 0n, timeout: FOREVER }] },
    upgrades: uniformHeights(options.allUpgrades ? 1 : UNSET),
    isTestnet: false,
    isRegtest: true,
    subsidy: subsidy(options),
    pos,
    masternode: { ...MASTERNODE, genesis: genesis.masternodes },
    anchor: {
      ...ANCHOR_SUBSIDY,
      teamSize: 3,
      frequency: 15,
      timeDepth: 10_800,
      additionalTimeDepth: 900,
      teamChange: 15,
      address: 'n1h1kShnyiw3qRR6MM1FnwShaNVoVwBTnF',
      minConfirmations: 6,
      quorum: options.anchorQuorum ?? 1,
    },
    token: { creationFee: COIN, collateral: 10n * COIN, mintAsOnMain: options.mintTokenAsOnMain ?? false },
    vault: { creationFee: COIN, skipCollateralCheck: options.skipLoanCollateralValidation ?? false },
    governance: { ...GOVERNANCE, vocFee: 5n * COIN, votingPeriod: 70, emergencyPeriod: 50 },
    blocksPerDay: SECONDS_PER_DAY / pos.targetSpacing,
    mocknet: false,
    scripts: specialScripts(SPECIAL, ADDRESS),
    genesis: genesis.block,
    maxTipAge: DEFAULT_MAX_TIP_AGE,
    ...(options.impersonation ? { allowsImpersonation: true } : {}),
  };
}
