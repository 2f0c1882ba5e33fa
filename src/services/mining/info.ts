import type {
  GetMiningInfoRequest,
  GetMiningInfoResponse,
  GetMintingInfoRequest,
  GetMintingInfoResponse,
  LocalMasternode,
  MiningInfo,
} from '../../../gen/ts/dfi/mining/v1/mining.js';
import { stakeWeight, subNodeCount } from '../../consensus/pos/kernel.js';
import { difficultyOf } from '../../consensus/pos/target.js';
import { type IdentifiedMasternode, isActiveMasternode, type Masternode, masternodeState } from '../../dfi/state/masternodes.js';
import { lastBlockTimes, timelockAt } from '../../dfi/state/staking.js';
import { type AddressParams, isActive } from '../../params/network.js';
import { formatHash, type Hash256 } from '../../primitives/hash.js';
import type { Handler } from '../../rpc/handler.js';
import { encodeDestination } from '../../script/address.js';
import { DEFAULT_LOOKUP, hashRate } from './hash-rate.js';
import type { MiningModules } from './modules.js';

type Modules = Pick<MiningModules, 'clock' | 'minter' | 'staker'> & {
  readonly chain: Pick<MiningModules['chain'], 'params' | 'tip' | 'state' | 'entryAt'>;
  readonly mempool: { readonly pool: Pick<MiningModules['mempool']['pool'], 'size'> };
};

export const getMiningInfo: Handler<Modules, GetMiningInfoRequest, GetMiningInfoResponse> = (modules) => ({ info: miningInfo(modules) });

export const getMintingInfo: Handler<Modules, GetMintingInfoRequest, GetMintingInfoResponse> = (modules) => ({ info: miningInfo(modules) });

/** @see spec: rpc-chain 3.2.2 */
function miningInfo(modules: Modules): MiningInfo {
  const { chain, minter, mempool } = modules;
  const { tip, params } = chain;
  const own = minter.masternodes();
  const last = minter.lastAssembled;
  return {
    blocks: tip.height,
    currentblockweight: last && BigInt(last.weight),
    currentblocktx: last && BigInt(last.transactions),
    difficulty: difficultyOf(tip.bits),
    networkhashps: hashRate(tip, DEFAULT_LOOKUP, params),
    pooledtx: BigInt(mempool.pool.size),
    chain: params.name,
    isoperator: own.length > 0,
    timelock: own.map((each) => timelockName(timelockOf(each, modules))).findLast((name) => name !== undefined),
    masternodes: own.map((each) => describe(each, modules)),
    warnings: '',
  };
}

function describe(identified: IdentifiedMasternode, modules: Modules): LocalMasternode {
  const { chain, staker } = modules;
  const { id, node } = identified;
  const { height } = chain.tip;
  const active = isActiveMasternode(chain.state, node, height, chain.params);
  const paya = isActive(chain.params, 'eunosPaya', height);
  const generate = active && staker?.running === true;
  const multipliers = active ? targetMultipliers(identified, modules) : [];
  return {
    id: formatHash(id),
    operator: operatorAddress(node, chain.params.address),
    state: masternodeState(chain.state, node, height, chain.params),
    generate,
    mintedblocks: BigInt(node.mintedBlocks),
    lastblockcreationattempt: (generate && lastAttempt(staker, id)) || '0',
    targetmultipliers: active && paya ? { multipliers } : undefined,
    targetmultiplier: active && !paya ? multipliers[0] : undefined,
  };
}

/** As `YYYY-MM-DDThh:mm:ssZ`; undefined if there was none. */
function lastAttempt(staker: Modules['staker'], masternode: Hash256): string | undefined {
  const seconds = staker?.lastAttempt(masternode);
  return seconds === undefined ? undefined : new Date(seconds * 1000).toISOString().replace('.000', '');
}

const P2PKH = 1;

function operatorAddress({ operatorType, operatorKey }: Masternode, address: AddressParams): string {
  return encodeDestination({ type: operatorType === P2PKH ? 'pkh' : 'wpkh', hash: operatorKey }, address);
}

/** Weeks; 0 below Eunos Paya and where no block tells otherwise. */
function timelockOf(identified: IdentifiedMasternode, { chain }: Modules): number {
  const height = chain.tip.height + 1;
  if (!isActive(chain.params, 'eunosPaya', height)) return 0;
  return timelockAt(chain.state, identified, height, (at) => chain.entryAt(at)?.time, chain.params) ?? 0;
}

function timelockName(weeks: number): string | undefined {
  return weeks === 260 ? '5 years' : weeks === 520 ? '10 years' : undefined;
}

/** How much easier the target is for each sub-node after its wait. */
function targetMultipliers(identified: IdentifiedMasternode, modules: Modules): number[] {
  const { chain, clock } = modules;
  const upTo = chain.tip.height + 1;
  const timelock = timelockOf(identified, modules);
  const times = lastBlockTimes(chain.state, identified, { upTo, timelock, blockTime: (at) => chain.entryAt(at)?.time }, chain.params);
  return times.slice(0, subNodeCount(timelock, upTo, chain.params)).map((time) => Number(stakeWeight(clock.seconds(), time, chain.params)));
}
