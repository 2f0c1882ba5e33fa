import { COIN } from '../primitives/amount.js';
import { fromHex } from '../util/bytes.js';
import { FORKED_TEST_CHECKPOINTS, parseCheckpoints, TEST_CHECKPOINTS } from './checkpoints.js';
import { buildGenesis, type GenesisData } from './genesis.js';
import { type AddressParams, type NetworkParams, P2P_PORTS } from './network.js';
import {
  ANCHOR_SUBSIDY,
  DEFAULT_MAX_TIP_AGE,
  GOVERNANCE,
  LIVE_BURIED,
  LIVE_DEPLOYMENTS,
  LIVE_POS,
  LIVE_SUBSIDY,
  SECONDS_PER_DAY,
  type SpecialAddresses,
  specialScripts,
} from './shared.js';
import type { UpgradeHeights } from './upgrade-heights.js';
import { NEVER } from './upgrades.js';

export type TestnetName = 'test' | 'devnet' | 'changi';

const ADDRESS: AddressParams = {
  pubKeyHash: 0x0f,
  scriptHash: 0x80,
  secretKey: 0xef,
  extPublicKey: fromHex('043587cf'),
  extSecretKey: fromHex('04358394'),
  bech32Prefix: 'tf',
};

const UPGRADE_HEIGHTS: UpgradeHeights = {
  amk: 150,
  bayfront: 3000,
  bayfrontMarina: 90_470,
  bayfrontGardens: 101_342,
  clarkeQuay: 155_000,
  dakota: 220_680,
  dakotaCrescent: 287_700,
  eunos: 354_950,
  eunosKampung: 354_950,
  eunosPaya: 463_300,
  fortCanning: 686_200,
  fortCanningMuseum: 724_000,
  fortCanningPark: 828_800,
  fortCanningHill: 828_900,
  fortCanningRoad: 893_700,
  fortCanningCrunch: 1_011_600,
  fortCanningSpring: 1_086_000,
  fortCanningGreatWorld: 1_150_000,
  fortCanningEpilogue: 1_150_010,
  grandCentral: 1_150_020,
  grandCentralEpilogue: 1_150_030,
  metachain: 1_150_040,
  df23: 1_507_200,
  df24: 1_810_800,
};

/** Upgrade heights of changi and devnet, which keep a history that the test network abandoned. */
const FORKED_HEIGHTS: UpgradeHeights = {
  ...UPGRADE_HEIGHTS,
  fortCanningGreatWorld: 1_223_000,
  fortCanningEpilogue: 1_244_000,
  grandCentral: 1_366_000,
  grandCentralEpilogue: 1_438_200,
  metachain: 1_586_750,
};

/** Parameters that differ between the three networks. */
type Distinct = Pick<NetworkParams, 'p2pMagic' | 'evmChainId' | 'dnsSeeds' | 'fixedSeeds' | 'chainTxData' | 'checkpoints' | 'upgrades'>;

const NO_TX_DATA = { time: 0, txCount: 0, txRate: 0 };
const TEST_DNS_SEEDS = ['testnet-seed.mydefichain.com', 'seeder-testnet3.defichain-status.com'];
const TEST_MAGIC = '0b110907';
/** Fixed seeds of changi and devnet, both with the port of changi. */
const FORKED_FIXED_SEEDS = ['35.187.53.161:20555', '34.89.0.103:20555'];

const DISTINCT: Readonly<Record<TestnetName, Distinct>> = {
  test: {
    p2pMagic: fromHex(TEST_MAGIC),
    evmChainId: 1131,
    dnsSeeds: TEST_DNS_SEEDS,
    fixedSeeds: ['54.251.116.73:18555', '3.125.203.204:18555', '45.79.125.250:18555', '172.105.7.208:18555', '45.56.72.201:18555'],
    chainTxData: { time: 1_611_229_441, txCount: 178_351, txRate: 0.03842042178237066 },
    checkpoints: parseCheckpoints(TEST_CHECKPOINTS),
    upgrades: UPGRADE_HEIGHTS,
  },
  devnet: {
    p2pMagic: fromHex('0c101008'),
    evmChainId: 1132,
    dnsSeeds: ['35.187.53.161', '34.89.47.54'],
    fixedSeeds: FORKED_FIXED_SEEDS,
    chainTxData: NO_TX_DATA,
    checkpoints: parseCheckpoints(FORKED_TEST_CHECKPOINTS),
    upgrades: { ...FORKED_HEIGHTS, df23: NEVER, df24: NEVER },
  },
  changi: {
    p2pMagic: fromHex('0d111109'),
    evmChainId: 1133,
    dnsSeeds: ['35.187.53.161'],
    fixedSeeds: FORKED_FIXED_SEEDS,
    chainTxData: NO_TX_DATA,
    checkpoints: parseCheckpoints(FORKED_TEST_CHECKPOINTS),
    upgrades: { ...FORKED_HEIGHTS, df23: 1_985_600, df24: 2_241_000 },
  },
};

const MASTERNODE = {
  activationDelay: 10,
  newActivationDelay: 1008,
  resignDelay: 60,
  newResignDelay: 2016,
  creationFee: 10n * COIN,
  collateral: 1_000_000n * COIN,
  collateralDakota: 20_000n * COIN,
} as const;

const GENESIS: GenesisData = {
  time: 1_586_099_762,
  bits: 0x1d00ffff,
  creationFee: MASTERNODE.creationFee,
  collateral: MASTERNODE.collateral,
  distribution: [
    ['te7wgg1X9HDJvMbrP2S51uz2Gxm2LPW4Gr', 100_000_000n * COIN],
    ['tmYVkwmcv73Hth7hhHz15mx5K8mzC1hSef', 100_000_000n * COIN],
    ['tahuMwb9eX83eJhf2vXL6NPzABy3Ca8DHi', 100_000_000n * COIN],
  ],
  masternodes: [
    { ownerAddress: '7LMorkhKTDjbES6DfRxX2RiNMbeemUkxmp', operatorAddress: '7KEu9JMKCx6aJ9wyg138W3p42rjg19DR5D' },
    { ownerAddress: '7E8Cjn9cqEwnrc3E4zN6c5xKxDSGAyiVUM', operatorAddress: '78MWNEcAAJxihddCw1UnZD8T7fMWmUuBro' },
    { ownerAddress: '7GxxMCh7sJsvRK4GXLX5Eyh9B9EteXzuum', operatorAddress: '7MYdTGv3bv3z65ai6y5J1NFiARg8PYu4hK' },
    { ownerAddress: '7BQZ67KKYWSmVRukgv57m4HorjbGh7NWrQ', operatorAddress: '7GULFtS6LuJfJEikByKKg8psscg84jnfHs' },
  ],
};

const FOUNDATION = '7Q2nZCcKnxiRiHSNQtLB27RA5efxm2cE7w';

const SPECIAL: SpecialAddresses = {
  foundationShare: FOUNDATION,
  foundationMembers: [FOUNDATION],
  accountDestruction: ['trnZD2qPU1c3WryBi8sWX16mEaq9WkGHeg', '75jrurn8tkDLhZ3YPyzhk6D9kc1a4hBrmM'],
  burn: '7DefichainBurnAddressXXXXXXXdMUE5n',
  retiredBurn: '7DefichainDSTBurnAddressXXXXXzS4Hi',
  unusedEmission: '7HYC4WVAjJ5BGVobwbGTEzWJU8tzY3Kcjq',
};

/**
 * The public test networks: one set of rules and one genesis block, with different heights and ports (docs/protocol/chain.md 1).
 * @param bootstrap join the test network's peers to fetch the history that devnet and changi share with it
 */
export function testnet(name: TestnetName, bootstrap = false): NetworkParams {
  const genesis = buildGenesis(GENESIS, ADDRESS);
  const distinct = DISTINCT[name];
  return {
    name,
    ...distinct,
    defidFileMagic: distinct.p2pMagic,
    p2pPort: P2P_PORTS[name],
    ...(bootstrap && name !== 'test' ? bootstrapNetwork(distinct) : {}),
    address: ADDRESS,
    txFormat: { tokenIds: true },
    requireStandard: false,
    mintWithoutPeers: true,
    pruneAfterHeight: 1000,
    minimumChainWork: 0n,
    assumeValid: undefined,
    buried: LIVE_BURIED,
    bip9: { window: 10, threshold: 8, deployments: LIVE_DEPLOYMENTS },
    isTestnet: true,
    isRegtest: false,
    subsidy: LIVE_SUBSIDY,
    pos: LIVE_POS,
    masternode: { ...MASTERNODE, genesis: genesis.masternodes },
    anchor: {
      ...ANCHOR_SUBSIDY,
      teamSize: 5,
      frequency: 15,
      timeDepth: 10_800,
      additionalTimeDepth: 3600,
      teamChange: 120,
      address: 'mpAkq2LyaUvKrJm2agbswrkn3QG9febnqL',
      minConfirmations: 1,
      quorum: undefined,
    },
    token: { creationFee: 100n * COIN, collateral: COIN, mintAsOnMain: true },
    vault: { creationFee: COIN, skipCollateralCheck: false },
    governance: { ...GOVERNANCE, vocFee: 50n * COIN, votingPeriod: 70_000, emergencyPeriod: 8640 },
    blocksPerDay: SECONDS_PER_DAY / LIVE_POS.targetSpacing,
    mocknet: false,
    scripts: specialScripts(SPECIAL, ADDRESS),
    genesis: genesis.block,
    maxTipAge: DEFAULT_MAX_TIP_AGE,
  };
}

function bootstrapNetwork({ dnsSeeds }: Distinct): Partial<NetworkParams> {
  const { p2pMagic } = DISTINCT.test;
  return { p2pMagic, p2pPort: P2P_PORTS.test, dnsSeeds: [...TEST_DNS_SEEDS.slice(0, 1), ...dnsSeeds] };
}
