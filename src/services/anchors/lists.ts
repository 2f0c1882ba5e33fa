import type {
  AnchorAuth,
  AnchorRewardConfirm,
  BitcoinAnchor,
  SpvListAnchorAuthsRequest,
  SpvListAnchorAuthsResponse,
  SpvListAnchorRewardConfirmsRequest,
  SpvListAnchorRewardConfirmsResponse,
  SpvListAnchorRewardsRequest,
  SpvListAnchorRewardsResponse,
  SpvListAnchorsPendingRequest,
  SpvListAnchorsPendingResponse,
  SpvListAnchorsRequest,
  SpvListAnchorsResponse,
  SpvListAnchorsUnrewardedRequest,
  SpvListAnchorsUnrewardedResponse,
} from '../../../gen/ts/dfi/node/v1/anchors.js';
import type { PlacedAnchor } from '../../anchors/anchor.js';
import type { CollectedAuth } from '../../anchors/auth-pool.js';
import type { BitcoinAnchors } from '../../anchors/bitcoin-anchors.js';
import type { CollectedConfirm } from '../../anchors/confirm-pool.js';
import { readTeamData } from '../../anchors/team-data.js';
import { anchorRewards } from '../../dfi/anchors/columns.js';
import { masternodeByOperator } from '../../dfi/masternodes/columns.js';
import { formatHash, NULL_HASH } from '../../primitives/hash.js';
import type { Handler } from '../../rpc/handler.js';
import { equalBytes, toHex } from '../../util/bytes.js';
import { grouped } from '../../util/grouped.js';
import { keyAddress, rewardAddress } from '../format/masternode.js';
import { type AnchorsModules, requireBitcoin } from './modules.js';

const ANY = -1;

export const spvListAnchors: Handler<AnchorsModules, SpvListAnchorsRequest, SpvListAnchorsResponse> = (modules, request) => {
  requireBitcoin(modules);
  const { inBitcoin } = modules.anchors;
  if (!inBitcoin) return { anchors: [] };
  const { minbtcheight = ANY, maxbtcheight = ANY, minconfs = ANY, maxconfs = ANY, startbtcheight = ANY, limit = 0 } = request;
  const anchors: BitcoinAnchor[] = [];
  let active = inBitcoin.top;
  for (const placed of inBitcoin.all().toReversed()) {
    const { btcHeight } = placed;
    const confirmations = inBitcoin.confirmations(placed);
    if ((maxbtcheight >= 0 && btcHeight > maxbtcheight) || (minconfs >= 0 && confirmations < minconfs)) continue;
    if ((minbtcheight >= 0 && btcHeight < minbtcheight) || (maxconfs >= 0 && confirmations > maxconfs)) break;
    if (startbtcheight >= 0 && btcHeight < startbtcheight) break;
    const isActive = active !== undefined && equalBytes(active.txid, placed.txid);
    if (active && isActive) active = inBitcoin.before(active);
    anchors.push({ ...describe(placed, inBitcoin, modules), active: isActive });
    if (anchors.length === limit) break;
  }
  return { anchors };
};

export const spvListAnchorsPending: Handler<AnchorsModules, SpvListAnchorsPendingRequest, SpvListAnchorsPendingResponse> = (modules) => {
  requireBitcoin(modules);
  const { inBitcoin } = modules.anchors;
  return { anchors: inBitcoin?.pending().map((placed) => describe(placed, inBitcoin, modules)) ?? [] };
};

export const spvListAnchorsUnrewarded: Handler<AnchorsModules, SpvListAnchorsUnrewardedRequest, SpvListAnchorsUnrewardedResponse> = (
  modules,
) => {
  const { inBitcoin } = modules.anchors;
  return { anchors: inBitcoin?.unrewarded().map((placed) => describe(placed, inBitcoin, modules)) ?? [] };
};

function describe(placed: PlacedAnchor, inBitcoin: BitcoinAnchors, { chain }: AnchorsModules): BitcoinAnchor {
  const { anchor, txid, btcHeight } = placed;
  const creation = readTeamData(anchor.nextTeam)?.creation;
  return {
    btcblockheight: btcHeight,
    btcblockhash: formatHash(inBitcoin.blockHash(placed) ?? NULL_HASH),
    btctxhash: formatHash(txid),
    previousanchor: formatHash(anchor.previousAnchor),
    defiblockheight: anchor.height,
    defiblockhash: formatHash(anchor.blockHash),
    rewardaddress: rewardAddress(anchor, chain.params.address),
    confirmations: inBitcoin.confirmations(placed),
    signatures: anchor.signatures.length,
    anchorcreationheight: creation,
  };
}

export const spvListAnchorRewards: Handler<AnchorsModules, SpvListAnchorRewardsRequest, SpvListAnchorRewardsResponse> = ({ chain }) => ({
  rewards: [...chain.state.entries(anchorRewards)].map(([txid, reward]) => ({
    anchortxhash: formatHash(txid),
    rewardtxhash: formatHash(reward),
  })),
});

export const spvListAnchorAuths: Handler<AnchorsModules, SpvListAnchorAuthsRequest, SpvListAnchorAuthsResponse> = ({ anchors, chain }) => ({
  auths: anchors.auths.groups().map((group) => describeAuths(group, chain)),
});

/** @param group signatures of one anchor */
function describeAuths(group: readonly CollectedAuth[], { state, params }: AnchorsModules['chain']): AnchorAuth {
  const { auth } = group[0] as CollectedAuth;
  const signees = group.toReversed().flatMap(({ signer }) => {
    const operated = masternodeByOperator(state, signer);
    return operated ? [keyAddress(operated.node.operatorType, signer, params.address)] : [];
  });
  return {
    previousanchor: formatHash(auth.previousAnchor),
    blockheight: auth.height,
    blockhash: formatHash(auth.blockHash),
    creationheight: readTeamData(auth.nextTeam)?.creation ?? 0,
    signers: group.length,
    signees,
  };
}

export const spvListAnchorRewardConfirms: Handler<
  AnchorsModules,
  SpvListAnchorRewardConfirmsRequest,
  SpvListAnchorRewardConfirmsResponse
> = ({ anchors, chain }) => {
  const groups = grouped(anchors.confirms.all(), ({ signed }) => toHex(signed));
  return { confirms: groups.map((group) => describeConfirms(group, chain)) };
};

/** @param group signatures of the reward of one anchor */
function describeConfirms(group: readonly CollectedConfirm[], chain: AnchorsModules['chain']): AnchorRewardConfirm {
  const { confirm, signed } = group[0] as CollectedConfirm;
  return {
    btctxheight: confirm.btcTxHeight,
    btctxhash: formatHash(confirm.btcTxHash),
    anchorheight: confirm.anchorHeight,
    dfiblockhash: formatHash(confirm.blockHash),
    prevanchorheight: confirm.previousAnchorHeight,
    rewardaddress: rewardAddress(confirm, chain.params.address),
    confirmsignhash: formatHash(signed),
    signers: group.length,
  };
}
