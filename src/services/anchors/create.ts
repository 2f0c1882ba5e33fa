import type {
  BitcoinInput,
  SpvCreateAnchorRequest,
  SpvCreateAnchorResponse,
  SpvCreateAnchorTemplateRequest,
  SpvCreateAnchorTemplateResponse,
  SpvEstimateAnchorCostRequest,
  SpvEstimateAnchorCostResponse,
} from '../../../gen/ts/dfi/node/v1/anchors.js';
import type { Anchor } from '../../anchors/anchor.js';
import { anchorCost, anchorTemplate, type FundingInput, makeAnchorTransaction, NotEnoughMoney } from '../../anchors/anchor-transaction.js';
import { BITCOIN_REGTEST } from '../../bitcoin/regtest-bitcoin.js';
import { parseWif } from '../../crypto/keys.js';
import { communityBalance } from '../../dfi/accounts/community-columns.js';
import { subsidyOf } from '../../dfi/anchors/reward.js';
import { P2PKH, P2SH, P2WPKH } from '../../dfi/masternodes/columns.js';
import { isActive } from '../../params/network.js';
import { formatHash } from '../../primitives/hash.js';
import type { Handler } from '../../rpc/handler.js';
import { parseHash } from '../../rpc/shapes.js';
import { decodeDestination } from '../../script/address.js';
import { toHex } from '../../util/bytes.js';
import { invalidParameter, NodeError } from '../../util/errors.js';
import { type AnchorsModules, requireBitcoin } from './modules.js';

type Reward = Pick<Anchor, 'rewardKeyId' | 'rewardKeyType'>;

const DEFAULT_FEE_RATE = 1_000n;
/** For an estimate it matters only that there is a key. */
const ANY_REWARD: Reward = { rewardKeyId: new Uint8Array(20), rewardKeyType: P2PKH };

export const spvCreateAnchor: Handler<AnchorsModules, SpvCreateAnchorRequest, SpvCreateAnchorResponse> = (modules, request) => {
  const bitcoin = requireBitcoin(modules);
  requireSynced(modules);
  const { inputs } = request;
  if (inputs.length === 0) throw invalidParameter('Transaction input cannot be empty');
  const read = inputs.map(readInput);
  const reward = readReward(modules, request.rewardaddress);
  const send = request.send ?? true;
  const feeRate = readFeeRate(request.feerate);
  const { params } = modules.chain;
  const anchor = bestAnchor(modules, reward, 'Min anchor quorum was not reached!');
  try {
    const { tx, cost } = makeAnchorTransaction(anchor, read.map(withKey), feeRate, params);
    if (send) bitcoin.send(tx);
    return {
      txhex: toHex(tx.raw),
      txhash: formatHash(tx.txid),
      ...describe(modules, anchor),
      cost,
      ...(send ? { sendresult: 0, sendmessage: '' } : {}),
    };
  } catch (error) {
    if (error instanceof NotEnoughMoney) throw new NodeError('misc', error.message);
    throw error;
  }
};

export const spvCreateAnchorTemplate: Handler<AnchorsModules, SpvCreateAnchorTemplateRequest, SpvCreateAnchorTemplateResponse> = (
  modules,
  { rewardaddress },
) => {
  requireBitcoin(modules);
  requireSynced(modules);
  const { params } = modules.chain;
  const anchor = bestAnchor(modules, readReward(modules, rewardaddress), 'Min anchor quorum was not reached!');
  return { txhex: toHex(anchorTemplate(anchor, params).raw), ...describe(modules, anchor), anchoraddress: params.anchor.address };
};

export const spvEstimateAnchorCost: Handler<AnchorsModules, SpvEstimateAnchorCostRequest, SpvEstimateAnchorCostResponse> = (
  modules,
  { feerate },
) => {
  const feeRate = readFeeRate(feerate);
  const anchor = bestAnchor(modules, ANY_REWARD, "No potential anchor, can't estimate!");
  return { cost: anchorCost(anchor, feeRate, modules.chain.params) };
};

function requireSynced({ chain }: AnchorsModules): void {
  if (chain.isInitialDownload()) {
    throw new NodeError('initial-download', 'Cannot create anchor while still in Initial Block Download');
  }
}

interface ReadInput {
  readonly input: Omit<FundingInput, 'key'>;
  readonly privkey: string;
}

function readInput({ txid, vout, amount, privkey }: BitcoinInput): ReadInput {
  return { input: { prevout: { txid: parseHash(txid, 'txid'), vout }, value: amount }, privkey };
}

/** The text does not repeat the key as `defid` does, because a mistyped key is nearly a key. */
function withKey({ input, privkey }: ReadInput): FundingInput {
  const key = parseWif(privkey, BITCOIN_REGTEST);
  if (!key) throw new NodeError('misc', "spv: Can't parse WIF privkey");
  return { ...input, key };
}

function readReward({ chain: { params, tip } }: AnchorsModules, address: string): Reward {
  const destination = decodeDestination(address, params.address);
  const paysScripts = isActive(params, 'metachain', tip.height);
  if (destination?.type === 'pkh') return { rewardKeyId: destination.hash, rewardKeyType: P2PKH };
  if (destination?.type === 'wpkh') return { rewardKeyId: destination.hash, rewardKeyType: P2WPKH };
  if (destination?.type === 'sh' && paysScripts) return { rewardKeyId: destination.hash, rewardKeyType: P2SH };
  const types = paysScripts ? 'P2PKH or P2SH or P2WPKH' : 'P2PKH or P2WPKH';
  throw invalidParameter(`rewardAddress (${address}) does not refer to a ${types} address`);
}

function readFeeRate(feeRate: bigint = DEFAULT_FEE_RATE): bigint {
  if (feeRate <= 0n) throw invalidParameter('Feerate should be > 0!');
  return feeRate;
}

function bestAnchor({ anchors }: AnchorsModules, reward: Reward, otherwise: string): Anchor {
  const anchor = anchors.best(reward);
  if (!anchor) throw new NodeError('verify-error', otherwise);
  return anchor;
}

/**
 * The anchored block and the reward. `defid` 3.2.8 shows the reward of the time before AMK; from Metachain on it is the one that would be
 * paid.
 */
function describe({ chain, anchors }: AnchorsModules, { blockHash, height }: Anchor) {
  const previousAnchorHeight = anchors.inBitcoin?.top?.anchor.height ?? 0;
  const estimatedreward = isActive(chain.params, 'metachain', chain.tip.height)
    ? communityBalance(chain.state, 'anchor')
    : subsidyOf({ anchorHeight: height, previousAnchorHeight }, chain.params);
  return { defihash: formatHash(blockHash), defiheight: height, estimatedreward };
}
