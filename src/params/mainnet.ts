import { COIN } from '../primitives/amount.js';
import { parseHash256 } from '../primitives/hash.js';
import { fromHex } from '../util/bytes.js';
import { MAIN_CHECKPOINTS, parseCheckpoints } from './checkpoints.js';
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

const ADDRESS: AddressParams = {
  pubKeyHash: 0x12,
  scriptHash: 0x5a,
  secretKey: 0x80,
  extPublicKey: fromHex('0488b21e'),
  extSecretKey: fromHex('0488ade4'),
  bech32Prefix: 'df',
};

const UPGRADE_HEIGHTS: UpgradeHeights = {
  amk: 356_500,
  bayfront: 405_000,
  bayfrontMarina: 465_150,
  bayfrontGardens: 488_300,
  clarkeQuay: 595_738,
  dakota: 678_000,
  dakotaCrescent: 733_000,
  eunos: 894_000,
  eunosKampung: 895_743,
  eunosPaya: 1_072_000,
  fortCanning: 1_367_000,
  fortCanningMuseum: 1_430_640,
  fortCanningPark: 1_503_143,
  fortCanningHill: 1_604_999,
  fortCanningRoad: 1_786_000,
  fortCanningCrunch: 1_936_000,
  fortCanningSpring: 2_033_000,
  fortCanningGreatWorld: 2_212_000,
  fortCanningEpilogue: 2_257_500,
  grandCentral: 2_479_000,
  grandCentralEpilogue: 2_574_000,
  metachain: 3_462_000,
  df23: 4_006_000,
  df24: 4_463_000,
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
  time: 1_587_883_831,
  bits: 0x1d00ffff,
  creationFee: MASTERNODE.creationFee,
  collateral: MASTERNODE.collateral,
  distribution: [
    ['8ZWWN1nX8drxJBSMG1VS9jH4ciBSvA9nxp', 58_800_000n * COIN],
    ['8aGPBahDX4oAXx9okpGRzHPS3Td1pZaLgU', 44_100_000n * COIN],
    ['8RGSkdaft9EmSXXp6b2UFojwttfJ5BY29r', 11_760_000n * COIN],
    ['8L7qGjjHRa3Agks6incPomWCfLSMPYipmU', 11_760_000n * COIN],
    ['dcZ3NXrpbNWvx1rhiGvXStM6EQtHLc44c9', 29_400_000n * COIN],
    ['dMty9CfknKEaXqJuSgYkvvyF6UB6ffrZXG', 14_700_000n * COIN],
    ['dZcY1ZNm5bkquz2J74smKqokuPoVpPvGWu', 64_680_000n * COIN],
    ['dP8dvN5pnwbsxFcfN9DyqPVZi1fVHicDd2', 235_200_000n * COIN],
    ['dMs1xeSGZbGnTJWqTwjR4mcjp2egpEXG6M', 117_600_000n * COIN],
  ],
  masternodes: [
    { ownerAddress: '8PuErAcazqccCVzRcc8vJ3wFaZGm4vFbLe', operatorAddress: '8J846CKFF83Jcj5m4EReJmxiaJ6Jy1Y6Ea' },
    { ownerAddress: '8RPZm7SVUNhGN1RgGY3R92rvRkZBwETrCX', operatorAddress: '8bzHwhaF2MaVs4owRvpWtZQVug3mKuJji2' },
    { ownerAddress: '8KRsoeCRKHUFFmAGGJbRBAgraXiUPUVuXn', operatorAddress: '8cHaEaqRsz7fgW1eAjeroB5Bau5NfJNbtk' },
  ],
};

const SPECIAL: SpecialAddresses = {
  foundationShare: 'dZcHjYhKtEM88TtZLjp314H2xZjkztXtRc',
  foundationMembers: ['dJEbxbfufyPF14SC93yxiquECEfq4YSd9L', '8bL7jZe2Nk5EhqFA6yuf8HPre3M6eewkqj', '8UhqhhiwtUuEqCD7HsekUsgYRuz115eLiQ'],
  accountDestruction: ['dJEbxbfufyPF14SC93yxiquECEfq4YSd9L', '8UAhRuUFCyFUHEPD7qvtj8Zy2HxF5HH5nb'],
  burn: '8defichainBurnAddressXXXXXXXdRQkSm',
  retiredBurn: '8defichainDSTBurnAddressXXXXaCAuTq',
  unusedEmission: 'df1qlwvtdrh4a4zln3k56rqnx8chu8t0sqx36syaea',
};

/** The main network (docs/protocol/chain.md 1). */
export function mainnet(): NetworkParams {
  const genesis = buildGenesis(GENESIS, ADDRESS);
  return {
    name: 'main',
    p2pMagic: fromHex('e2aac1e1'),
    defidFileMagic: fromHex('f9beb4d9'),
    p2pPort: P2P_PORTS.main,
    evmChainId: 1130,
    address: ADDRESS,
    txFormat: { tokenIds: true },
    requireStandard: true,
    mintWithoutPeers: false,
    pruneAfterHeight: 100_000,
    dnsSeeds: ['seed.defichain.io', 'seed.mydeficha.in'],
    fixedSeeds: [
      '18.198.89.109:8555',
      '3.67.62.149:8555',
      '13.53.74.153:8555',
      '13.48.219.32:8555',
      '52.76.182.139:8555',
      '18.138.191.151:8555',
      '172.105.66.203:8555',
      '172.104.63.159:8555',
      '178.79.170.28:8555',
      '45.33.76.249:8555',
    ],
    minimumChainWork: 0x3f2949bfe4efc275390cn,
    assumeValid: parseHash256('9b257cb88630e422902ef2b17a3627ae2f786a5923df9c3bda4226f9551b1ea8'),
    chainTxData: { time: 1_611_229_003, txCount: 1_091_894, txRate: 0.1841462153145931 },
    checkpoints: parseCheckpoints(MAIN_CHECKPOINTS),
    buried: LIVE_BURIED,
    bip9: { window: 10, threshold: 9, deployments: LIVE_DEPLOYMENTS },
    upgrades: UPGRADE_HEIGHTS,
    isTestnet: false,
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
      address: '1FtZwEZKknoquUb6DyQHFZ6g6oomXJYEcb',
      minConfirmations: 6,
      quorum: undefined,
    },
    token: { creationFee: 100n * COIN, collateral: COIN, mintAsOnMain: true },
    vault: { creationFee: 2n * COIN, skipCollateralCheck: false },
    governance: { ...GOVERNANCE, vocFee: 100n * COIN, votingPeriod: 130_000, emergencyPeriod: 8640 },
    blocksPerDay: SECONDS_PER_DAY / LIVE_POS.targetSpacing,
    mocknet: false,
    scripts: specialScripts(SPECIAL, ADDRESS),
    genesis: genesis.block,
    maxTipAge: DEFAULT_MAX_TIP_AGE,
    toleratedFailure: { height: 471_222, txid: parseHash256('0ab0b76352e2d865761f4c53037041f33e1200183d55cdf6b09500d6f16b7329') },
  };
}
