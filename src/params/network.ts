import type { Block } from '../primitives/block.js';
import type { Hash256 } from '../primitives/hash.js';
import type { TxFormat } from '../primitives/transaction.js';
import type { Upgrade } from './upgrades.js';

export type NetworkName = 'main' | 'test' | 'devnet' | 'changi' | 'regtest';

/** Everything that tells one network from another. Heights are block heights, amounts satoshis, times seconds. */
export interface NetworkParams {
  readonly name: NetworkName;
  /** Sub-directory of the data directory; empty on main. */
  readonly directory: string;
  readonly p2pMagic: Uint8Array;
  readonly p2pPort: number;
  readonly rpcPort: number;
  readonly address: AddressParams;
  readonly txFormat: TxFormat;
  readonly requireStandard: boolean;
  readonly mintWithoutPeers: boolean;
  readonly pruneAfterHeight: number;
  readonly dnsSeeds: readonly string[];
  readonly fixedSeeds: readonly string[];
  readonly minimumChainWork: bigint;
  readonly assumeValid: Hash256 | undefined;
  readonly chainTxData: { readonly time: number; readonly txCount: number; readonly txRate: number };
  readonly checkpoints: readonly { readonly height: number; readonly hash: Hash256 }[];
  readonly buried: {
    readonly bip34: number;
    readonly bip65: number;
    readonly bip66: number;
    readonly csv: number;
    readonly segwit: number;
  };
  readonly bip9: { readonly window: number; readonly threshold: number; readonly deployments: readonly Deployment[] };
  readonly upgrades: Readonly<Record<Upgrade, number>>;
  /** test, changi and devnet: some delays and retargeting differ. Regtest is none of them. */
  readonly isTestnet: boolean;
  readonly isRegtest: boolean;
  readonly subsidy: SubsidyParams;
  readonly pos: PosParams;
  readonly masternode: MasternodeParams;
  readonly scripts: SpecialScripts;
  readonly genesis: Block;
  /** Seconds without a new tip after which a node counts as syncing. */
  readonly maxTipAge: number;
}

export interface Deployment {
  readonly name: string;
  readonly bit: number;
  /** Median time from which blocks may signal. */
  readonly startTime: bigint;
  readonly timeout: bigint;
}

export interface AddressParams {
  readonly pubKeyHash: number;
  readonly scriptHash: number;
  readonly secretKey: number;
  /** 4 bytes each. */
  readonly extPublicKey: Uint8Array;
  readonly extSecretKey: Uint8Array;
  readonly bech32Prefix: string;
}

export interface SubsidyParams {
  readonly base: bigint;
  readonly halvingInterval: number;
  /** Regtest without `-subsidytest` halves at every height instead of following the emission schedule. */
  readonly halves: boolean;
  readonly reducedBase: bigint;
  readonly reductionPeriod: number;
  /** Per 100,000. */
  readonly reductionAmount: bigint;
  /** Shares of the reward from Eunos on, per 10,000. */
  readonly shares: Readonly<
    Record<'masternode' | 'communityDevelopment' | 'anchor' | 'incentive' | 'loan' | 'options' | 'unallocated', bigint>
  >;
  /** Shares from AMK up to Eunos, as fractions of COIN. */
  readonly legacy: Readonly<Record<'incentive' | 'anchor' | 'foundation', bigint>>;
  /** Before AMK the minter gives this percentage to the foundation. */
  readonly foundationPercent: bigint;
}

export interface PosParams {
  /** Largest target. */
  readonly diffLimit: bigint;
  readonly targetTimespan: number;
  readonly targetTimespanV2: number;
  readonly targetSpacing: number;
  readonly stakeMinAge: number;
  readonly stakeMaxAge: number;
  readonly noRetargeting: boolean;
  /** Regtest `-dummypos`: no proof of stake is checked and no block is counted for its minter. */
  readonly dummy: boolean;
}

export interface MasternodeParams {
  readonly activationDelay: number;
  readonly newActivationDelay: number;
  readonly resignDelay: number;
  readonly newResignDelay: number;
  readonly creationFee: bigint;
  readonly collateral: bigint;
  readonly collateralDakota: bigint;
  /** Genesis masternodes, in order. */
  readonly genesis: readonly GenesisMasternode[];
}

export interface GenesisMasternode {
  readonly id: Hash256;
  readonly ownerAddress: string;
  readonly operatorAddress: string;
  /** Published private keys of regtest, in WIF. */
  readonly ownerKey?: string;
  readonly operatorKey?: string;
}

export interface SpecialScripts {
  readonly foundationShare: Uint8Array;
  readonly foundationMembers: readonly Uint8Array[];
  readonly accountDestruction: readonly Uint8Array[];
  readonly burn: Uint8Array;
  readonly retiredBurn: Uint8Array;
  readonly unusedEmission: Uint8Array;
}

/** True from the upgrade's height on. */
export function isActive(params: NetworkParams, upgrade: Upgrade, height: number): boolean {
  return height >= params.upgrades[upgrade];
}
