import type {
  GetMiningInfoRequest,
  GetMiningInfoResponse,
  GetMintingInfoRequest,
  GetMintingInfoResponse,
  LocalMasternode,
  MiningInfo,
} from '../../../gen/ts/dfi/mining/v1/mining.js';
import { difficultyOf } from '../../consensus/pos/target.js';
import { type IdentifiedMasternode, isActiveMasternode, masternodeState } from '../../dfi/masternodes/columns.js';
import { isActive } from '../../params/network.js';
import { formatHash, type Hash256 } from '../../primitives/hash.js';
import type { Handler } from '../../rpc/handler.js';
import { keyAddress, targetMultipliers, timelockName, timelockOf } from '../format/masternode.js';
import { DEFAULT_LOOKUP, hashRate } from './hash-rate.js';
import type { MiningModules } from './modules.js';

type Modules = Pick<MiningModules, 'clock' | 'minter' | 'staker' | 'warnings'> & {
  readonly chain: Pick<MiningModules['chain'], 'params' | 'tip' | 'state' | 'entryAt'>;
  readonly mempool: { readonly pool: Pick<MiningModules['mempool']['pool'], 'size'> };
};

export const getMiningInfo: Handler<Modules, GetMiningInfoRequest, GetMiningInfoResponse> = (modules) => ({ info: miningInfo(modules) });

export const getMintingInfo: Handler<Modules, GetMintingInfoRequest, GetMintingInfoResponse> = (modules) => ({ info: miningInfo(modules) });

/** @see docs/protocol/rpc-chain.md 3.2.2 */
function miningInfo(modules: Modules): MiningInfo {
  const { chain, minter, mempool, warnings } = modules;
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
    timelock: own.map((each) => timelockName(timelockOf(each, modules.chain))).findLast((name) => name !== undefined),
    masternodes: own.map((each) => describe(each, modules)),
    warnings: warnings.text,
  };
}

function describe(identified: IdentifiedMasternode, modules: Modules): LocalMasternode {
  const { chain, staker, clock } = modules;
  const { id, node } = identified;
  const { height } = chain.tip;
  const active = isActiveMasternode(chain.state, node, height, chain.params);
  const paya = isActive(chain.params, 'eunosPaya', height);
  const generate = active && staker?.running === true;
  // `defid` leaves out the newest block here, but not in `getmasternode`.
  const multipliers = active ? targetMultipliers(identified, chain, clock.seconds(), height) : [];
  return {
    id: formatHash(id),
    operator: keyAddress(node.operatorType, node.operatorKey, chain.params.address),
    state: masternodeState(chain.state, node, height, chain.params),
    generate,
    mintedblocks: BigInt(node.mintedBlocks),
    lastblockcreationattempt: (generate && lastAttempt(staker, id)) || '0',
    targetmultipliers: active && paya ? { multipliers } : undefined,
    targetmultiplier: active && !paya ? multipliers[0] : undefined,
  };
}

/** Time of the masternode's last attempt as `YYYY-MM-DDThh:mm:ssZ`; undefined if there was none. */
function lastAttempt(staker: Modules['staker'], masternode: Hash256): string | undefined {
  const seconds = staker?.lastAttempt(masternode);
  return seconds === undefined ? undefined : new Date(seconds * 1000).toISOString().replace('.000', '');
}
