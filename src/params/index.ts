import type { Checkpoint } from './checkpoints.js';
import { scriptOfAddress } from './genesis.js';
import { mainnet } from './mainnet.js';
import type { Deployment, NetworkName, NetworkParams } from './network.js';
import { type RegtestOptions, regtest } from './regtest.js';
import { DIFF_LIMIT_BITS, SECONDS_PER_DAY } from './shared.js';
import { testnet } from './testnet.js';
import { activationHeight, type HeightOverrides, withHeights } from './upgrade-heights.js';

/** Network parameters that command-line options may change. Those of regtest have no effect elsewhere. */
export interface NetworkOptions extends RegtestOptions {
  readonly network: NetworkName;
  /** Heights by upgrade, -1 for never; regtest and mocknet only. */
  readonly upgradeHeights?: HeightOverrides;
  /** -1 for never; regtest and mocknet only. */
  readonly segwitHeight?: number;
  /** Seconds. */
  readonly maxTipAge?: number;
  readonly keepsSwapTotals?: boolean;
  readonly keepsNegativeInterest?: boolean;
  /** `deployment:start:end`; regtest only. */
  readonly vbParams?: readonly string[];
  /** Checkpoints instead of the network's table. */
  readonly checkpoints?: readonly Checkpoint[];
  /** `-mocknet`: a private copy of a network, with blocks on demand. */
  readonly mocknet?: Mocknet | undefined;
  /** Devnet and changi: fetch history from the test network's peers. */
  readonly bootstrap?: boolean;
}

export interface Mocknet {
  /** Seconds; 30 by default. */
  readonly blockTime?: number;
  /** Address of an additional foundation member; empty for none. */
  readonly foundationMember?: string;
}

const MOCKNET_BLOCK_TIME = 30;

/**
 * Parameters of a network with the given options.
 * @throws {Error} with the text for the user, if a height, deployment or address is malformed
 */
export function networkParams(options: NetworkOptions): NetworkParams {
  let params = baseParams(options);
  if (options.mocknet && !params.isRegtest) params = withMocknet(params, options.mocknet);
  if (params.isRegtest || params.mocknet) params = withMovedHeights(params, options);
  if (params.isRegtest && options.vbParams) params = withDeployments(params, options.vbParams);
  if (options.checkpoints) params = { ...params, checkpoints: options.checkpoints };
  if (options.keepsSwapTotals) params = { ...params, keepsSwapTotals: true };
  if (options.keepsNegativeInterest) params = { ...params, keepsNegativeInterest: true };
  return options.maxTipAge === undefined ? params : { ...params, maxTipAge: options.maxTipAge };
}

function baseParams(options: NetworkOptions): NetworkParams {
  switch (options.network) {
    case 'main':
      return mainnet();
    case 'regtest':
      return regtest(options);
    default:
      // A private copy has no peers.
      return testnet(options.network, options.bootstrap && !options.mocknet);
  }
}

function withMocknet(
  params: NetworkParams,
  { blockTime: targetSpacing = MOCKNET_BLOCK_TIME, foundationMember = '' }: Mocknet,
): NetworkParams {
  const pos = { ...params.pos, targetSpacing, targetTimespanV2: 10 * targetSpacing, fixedBits: DIFF_LIMIT_BITS };
  const member = foundationMember === '' ? [] : [scriptOfAddress(foundationMember, params.address)];
  const scripts = { ...params.scripts, foundationMembers: [...params.scripts.foundationMembers, ...member] };
  const blocksPerDay = Math.floor(SECONDS_PER_DAY / targetSpacing);
  return { ...params, pos, scripts, mocknet: true, mintWithoutPeers: true, blocksPerDay };
}

function withMovedHeights(params: NetworkParams, { segwitHeight, upgradeHeights = {} }: NetworkOptions): NetworkParams {
  const segwit = segwitHeight === undefined ? params.buried.segwit : activationHeight(segwitHeight, 'Segwit', '-segwitheight');
  return { ...params, buried: { ...params.buried, segwit }, upgrades: withHeights(params.upgrades, upgradeHeights) };
}

function withDeployments(params: NetworkParams, texts: readonly string[]): NetworkParams {
  const deployments = texts.reduce(withDeployment, params.bip9.deployments);
  return { ...params, bip9: { ...params.bip9, deployments } };
}

const INTEGER = /^-?\d{1,19}$/;

function withDeployment(deployments: readonly Deployment[], text: string): readonly Deployment[] {
  const parts = text.split(':');
  if (parts.length !== 3) throw new Error('Version bits parameters malformed, expecting deployment:start:end');
  const [name = '', start = '', end = ''] = parts;
  if (!INTEGER.test(start)) throw new Error(`Invalid nStartTime (${start})`);
  if (!INTEGER.test(end)) throw new Error(`Invalid nTimeout (${end})`);
  if (!deployments.some((deployment) => deployment.name === name)) throw new Error(`Invalid deployment (${name})`);
  const changed = { startTime: BigInt(start), timeout: BigInt(end) };
  return deployments.map((deployment) => (deployment.name === name ? { ...deployment, ...changed } : deployment));
}
