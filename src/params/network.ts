import type { Block } from '../primitives/block.js';
import type { Hash256 } from '../primitives/hash.js';
import type { TxFormat } from '../primitives/transaction.js';
import { NEVER, UNSET, type Upgrade } from './upgrades.js';

export type NetworkName = 'main' | 'test' | 'devnet' | 'changi' | 'regtest';

/** Default ports for peers. Directories and the ports of the other listeners are in `config/networks.ts`. */
export const P2P_PORTS: Readonly<Record<NetworkName, number>> = { main: 8555, test: 18555, devnet: 21555, changi: 20555, regtest: 19555 };

/** Parameters of a network. Heights are block heights, amounts satoshis, times seconds. */
export interface NetworkParams {
  readonly name: NetworkName;
  readonly p2pMagic: Uint8Array;
  /** First 4 bytes of records in the block files of `defid`. They differ from those of messages on the main network, and with -devnet-bootstrap. */
  readonly defidFileMagic: Uint8Array;
  /** Default port of a peer address without port. */
  readonly p2pPort: number;
  readonly evmChainId: number;
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
  readonly anchor: AnchorParams;
  readonly token: TokenParams;
  readonly vault: VaultParams;
  readonly governance: GovernanceParams;
  /** 86400 / target spacing, for rules that count in days. */
  readonly blocksPerDay: number;
  /** `-mocknet`: blocks on demand, so the node is never in initial block download. */
  readonly mocknet: boolean;
  readonly scripts: SpecialScripts;
  readonly genesis: Block;
  /** Age of the tip in seconds above which the node is in initial block download. */
  readonly maxTipAge: number;
  /** `-dexstats`: swap totals are kept as attributes, for information only. */
  readonly keepsSwapTotals?: boolean;
  /** `-negativeinterest`: the reduction of loans by negative interest is kept as attributes too. */
  readonly keepsNegativeInterest?: boolean;
  /** `-dev`: transactions may have the reserved form of a signature by which a sender without a known key is impersonated. */
  readonly allowsImpersonation?: boolean;
  /** A transaction whose type must succeed, but that failed in a valid block. */
  readonly toleratedFailure?: { readonly height: number; readonly txid: Hash256 };
}

/** Soft fork by version bits (BIP9). Times are seconds since 1970, compared with the median time past. */
export interface Deployment {
  readonly name: string;
  readonly bit: number;
  /** Time from which blocks may signal. */
  readonly startTime: bigint;
  /** Time at which the deployment fails if it is not locked in. */
  readonly timeout: bigint;
}

/** Version bytes of Base58 addresses, private keys and extended keys, and the prefix of Bech32 addresses. */
export interface AddressParams {
  readonly pubKeyHash: number;
  readonly scriptHash: number;
  readonly secretKey: number;
  /** 4 bytes each. */
  readonly extPublicKey: Uint8Array;
  readonly extSecretKey: Uint8Array;
  readonly bech32Prefix: string;
}

/** Emission. Amounts are satoshis per block, intervals and periods blocks. */
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

/** Proof of stake. Timespans, spacing and ages are seconds. */
export interface PosParams {
  /** Largest target. */
  readonly diffLimit: bigint;
  readonly targetTimespan: number;
  readonly targetTimespanV2: number;
  readonly targetSpacing: number;
  readonly stakeMinAge: number;
  readonly stakeMaxAge: number;
  readonly noRetargeting: boolean;
  /** `-mocknet`: every block carries these bits. */
  readonly fixedBits?: number;
  /** Regtest `-dummypos`: no proof of stake is checked and no block is counted for its minter. */
  readonly dummy: boolean;
}

/** Masternodes. Delays are blocks, the new ones from Eunos on; fee and collaterals are satoshis. */
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

/** A masternode of the genesis block; `id` is the txid of its transaction. */
export interface GenesisMasternode {
  readonly id: Hash256;
  readonly ownerAddress: string;
  readonly operatorAddress: string;
  /** Published private keys, on regtest only, in WIF. */
  readonly ownerKey?: string;
  readonly operatorKey?: string;
}

/** Anchoring of blocks in Bitcoin. Depths are seconds, periods blocks. */
export interface AnchorParams {
  readonly teamSize: number;
  /** Blocks from one anchored height to the next. */
  readonly frequency: number;
  readonly timeDepth: number;
  readonly additionalTimeDepth: number;
  readonly teamChange: number;
  /** Bitcoin address that anchors pay to. */
  readonly address: string;
  /** Required Bitcoin confirmations of an anchor. */
  readonly minConfirmations: number;
  /** Required signatures of an anchor; undefined for two thirds of the team plus one. */
  readonly quorum: number | undefined;
  /** Reward before Dakota: base, and increase per period without an anchor. */
  readonly subsidy: bigint;
  readonly subsidyIncreaseValue: bigint;
  readonly subsidyIncreasePeriod: number;
}

/** Token creation. Fee and collateral are satoshis. */
export interface TokenParams {
  readonly creationFee: bigint;
  readonly collateral: bigint;
  /** Regtest `-regtest-minttoken-simulate-mainnet`: the permission to mint tokens is checked as on main. */
  readonly mintAsOnMain: boolean;
}

/** Vaults. The creation fee is satoshis. */
export interface VaultParams {
  readonly creationFee: bigint;
  /** Regtest `-regtest-skip-loan-collateral-validation`. */
  readonly skipCollateralCheck: boolean;
}

/** Defaults of on-chain governance. Shares are fractions of COIN, fees satoshis, periods blocks. */
export interface GovernanceParams {
  readonly cfpFeeShare: bigint;
  readonly cfpMinimumFee: bigint;
  readonly cfpApproval: bigint;
  readonly vocFee: bigint;
  readonly vocEmergencyFee: bigint;
  readonly vocApproval: bigint;
  readonly quorum: bigint;
  readonly feeBurnShare: bigint;
  readonly votingPeriod: number;
  readonly emergencyPeriod: number;
}

/** Output scripts with special rules (docs/protocol/chain.md 1.7). */
export interface SpecialScripts {
  readonly foundationShare: Uint8Array;
  readonly foundationMembers: readonly Uint8Array[];
  /** Owners whose balances are destroyed at Eunos. */
  readonly accountDestruction: readonly Uint8Array[];
  readonly burn: Uint8Array;
  readonly retiredBurn: Uint8Array;
  readonly unusedEmission: Uint8Array;
}

/** True from the upgrade's height on. */
export function isActive(params: Pick<NetworkParams, 'upgrades'>, upgrade: Upgrade, height: number): boolean {
  return height >= params.upgrades[upgrade];
}

/**
 * True on networks with a height for Metachain. The releases of `defid` that have one know EVM addresses at any height; a regtest chain
 * without one is treated as by the releases before.
 */
export function knowsEvm({ upgrades }: Pick<NetworkParams, 'upgrades'>): boolean {
  return upgrades.metachain < UNSET;
}

/**
 * True where messages may have the members that `defid` added with Metachain: from its height on. A regtest chain without it but with a later
 * upgrade, as tests of `defid` 4.2.5 make them, has them at all heights.
 */
export function hasMetachainMembers(params: Pick<NetworkParams, 'upgrades'>, height: number): boolean {
  return isActive(params, 'metachain', height) || (!knowsEvm(params) && params.upgrades.df23 < UNSET);
}

/** False if segwit is disabled altogether: witnesses are not verified, committed to or relayed then. */
export function knowsWitness({ buried }: Pick<NetworkParams, 'buried'>): boolean {
  return buried.segwit !== NEVER;
}
