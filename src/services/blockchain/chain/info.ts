import type {
  BackgroundValidation,
  Bip9Softfork,
  GetBlockchainInfoRequest,
  GetBlockchainInfoResponse,
  Softfork,
} from '../../../../gen/ts/dfi/blockchain/v1/blockchain.js';
import type { BlockIndexEntry } from '../../../chain/block-index.js';
import { difficultyOf } from '../../../consensus/pos/target.js';
import { deploymentSince, deploymentStatistics, deploymentStatus } from '../../../consensus/versionbits.js';
import { type Deployment, isActive, type NetworkParams } from '../../../params/network.js';
import { NEVER, type Upgrade } from '../../../params/upgrades.js';
import { formatHash } from '../../../primitives/hash.js';
import type { Handler } from '../../../rpc/handler.js';
import { cacheJson } from '../../../rpc/write.js';
import { formatHex256 } from '../../format/numbers.js';
import type { BlockchainModules } from '../modules.js';

type Modules = {
  readonly chain: Pick<
    BlockchainModules['chain'],
    | 'params'
    | 'tip'
    | 'bestHeader'
    | 'isInitialDownload'
    | 'verificationProgress'
    | 'sizeOnDisk'
    | 'pruning'
    | 'isPruned'
    | 'lowestStored'
    | 'history'
  >;
  readonly warnings: BlockchainModules['warnings'];
};

/** Upgrades in the order in which they are shown, with their names. */
const SHOWN_UPGRADES: readonly (readonly [name: string, upgrade: Upgrade])[] = [
  ['amk', 'amk'],
  ['bayfront', 'bayfront'],
  ['clarkequay', 'clarkeQuay'],
  ['dakota', 'dakota'],
  ['dakotacrescent', 'dakotaCrescent'],
  ['eunos', 'eunos'],
  ['eunospaya', 'eunosPaya'],
  ['fortcanning', 'fortCanning'],
  ['fortcanningmuseum', 'fortCanningMuseum'],
  ['fortcanningpark', 'fortCanningPark'],
  ['fortcanninghill', 'fortCanningHill'],
  ['fortcanningroad', 'fortCanningRoad'],
  ['fortcanningcrunch', 'fortCanningCrunch'],
  ['fortcanningspring', 'fortCanningSpring'],
  ['fortcanninggreatworld', 'fortCanningGreatWorld'],
  ['fortcanningepilogue', 'fortCanningEpilogue'],
  ['grandcentral', 'grandCentral'],
  ['grandcentralepilogue', 'grandCentralEpilogue'],
];

/** Upgrades that `defid` shows from Metachain on. */
const LATER_UPGRADES: typeof SHOWN_UPGRADES = [
  ['metachain', 'metachain'],
  ['df23upgrade', 'df23'],
  ['df24upgrade', 'df24'],
];

/** Deployments that timed out before this date are not shown. */
const FIRST_TIMEOUT = 1_230_768_000n; // 2009-01-01

export const getBlockchainInfo: Handler<Modules, GetBlockchainInfoRequest, GetBlockchainInfoResponse> = ({ chain, warnings }) => {
  const { tip, params } = chain;
  return {
    chain: params.name,
    blocks: tip.height,
    headers: chain.bestHeader.height,
    bestblockhash: formatHash(tip.hash),
    difficulty: difficultyOf(tip.bits),
    mediantime: tip.medianTimePast(),
    verificationprogress: chain.verificationProgress(),
    initialblockdownload: chain.isInitialDownload(),
    chainwork: formatHex256(tip.chainWork),
    sizeOnDisk: BigInt(chain.sizeOnDisk),
    ...pruningInfo(chain),
    softforks: softforksAt(tip, params),
    warnings: warnings.text,
    backgroundvalidation: validationOf(chain.history),
  };
};

function validationOf({ validation }: Modules['chain']['history']): BackgroundValidation | undefined {
  if (!validation) return undefined;
  const { height, base } = validation;
  return { snapshotheight: base, blocks: height, verificationprogress: base === 0 ? 1 : height / base };
}

function pruningInfo(chain: Modules['chain']) {
  if (!chain.isPruned) return { pruned: false };
  const targetBytes = chain.pruning?.targetBytes ?? 0;
  const automaticPruning = targetBytes > 0;
  return {
    pruned: true,
    pruneheight: chain.lowestStored().height,
    automaticPruning,
    pruneTargetSize: automaticPruning ? BigInt(targetBytes) : undefined,
  };
}

/** Softforks as of the tip of the last call. */
let latest: { readonly tip: BlockIndexEntry; readonly shown: Record<string, Softfork> } | undefined;

function softforksAt(tip: BlockIndexEntry, params: NetworkParams): Record<string, Softfork> {
  if (latest?.tip !== tip) latest = { tip, shown: softforks(tip, params) };
  return latest.shown;
}

function softforks(tip: BlockIndexEntry, params: NetworkParams): Record<string, Softfork> {
  const shown: Record<string, Softfork> = {};
  const later = isActive(params, 'metachain', tip.height) ? LATER_UPGRADES : [];
  for (const [name, upgrade] of [...SHOWN_UPGRADES, ...later]) {
    const height = params.upgrades[upgrade];
    if (height === NEVER) continue;
    shown[name] = cacheJson({ softfork: { $case: 'buried', value: { type: 'buried', active: tip.height + 1 >= height, height } } });
  }
  for (const deployment of params.bip9.deployments) {
    if (deployment.timeout <= FIRST_TIMEOUT) continue;
    shown[deployment.name] = cacheJson({ softfork: { $case: 'bip9', value: bip9(tip, deployment, params) } });
  }
  return shown;
}

function bip9(tip: BlockIndexEntry, deployment: Deployment, params: NetworkParams): Bip9Softfork {
  const status = deploymentStatus(tip, deployment, params);
  const since = deploymentSince(tip, deployment, params);
  const active = status === 'active';
  return {
    type: 'bip9',
    bip9: {
      status,
      bit: status === 'started' ? deployment.bit : undefined,
      starttime: deployment.startTime,
      timeout: deployment.timeout,
      since,
      statistics: status === 'started' ? deploymentStatistics(tip, deployment, params) : undefined,
    },
    height: active ? since : undefined,
    active,
  };
}
