import type {
  ConfirmedAnchor as AnchorMessage,
  GetAnchorTeamsRequest,
  GetAnchorTeamsResponse,
  ListAnchorsRequest,
  ListAnchorsResponse,
} from '../../../../gen/ts/dfi/node/v1/masternodes.js';
import { anchorConfirms, anchorRewards, type ConfirmedAnchor, confirmHash, type Team } from '../../../dfi/anchors/columns.js';
import { teamsAt } from '../../../dfi/anchors/teams.js';
import { masternodeByOperator } from '../../../dfi/masternodes/columns.js';
import type { NetworkParams } from '../../../params/network.js';
import { formatHash, type Hash256 } from '../../../primitives/hash.js';
import type { Handler } from '../../../rpc/handler.js';
import { compareParts } from '../../../rpc/page-list.js';
import { type NeededElements, neededElements } from '../../../rpc/page-range.js';
import { mapInSlices, withValue } from '../../../util/slicer.js';
import { keyAddress, rewardAddress } from '../../format/masternode.js';
import type { NodeModules } from '../modules.js';

type Modules = { readonly chain: Pick<NodeModules['chain'], 'params' | 'state' | 'tip'> };

export const getAnchorTeams: Handler<Modules, GetAnchorTeamsRequest, GetAnchorTeamsResponse> = ({ chain }, { blockheight }) => {
  const teams = teamsAt(chain.state, blockheight ?? chain.tip.height, chain.params);
  return { auth: operatorAddresses(teams?.auth ?? [], chain), confirm: operatorAddresses(teams?.confirm ?? [], chain) };
};

/** Addresses of the team's operators. Keys that no longer operate a masternode are left out, as their address type is unknown. */
function operatorAddresses(team: Team, { state, params }: Modules['chain']): string[] {
  return team.flatMap((key) => {
    const operated = masternodeByOperator(state, key);
    return operated ? [keyAddress(operated.node.operatorType, key, params.address)] : [];
  });
}

/** Sorted by rising anchor height, pages from the newest anchor down. */
export const listAnchors: Handler<Modules, ListAnchorsRequest, ListAnchorsResponse> = ({ chain: { state, params } }, request, call) => {
  const all = [...state.entries(anchorConfirms)].map(([, anchor]) => anchor);
  const needed = neededElements(request);
  const anchors = needed ? newestAnchors(all, needed) : all.sort((a, b) => a.anchorHeight - b.anchorHeight);
  // Addresses and hashes of all anchors take more than a turn of the event loop; the state is read in one.
  const rewards = state.getMany(
    anchorRewards,
    anchors.map(({ btcTxHash }) => btcTxHash),
  );
  const paid = anchors.map((anchor, i) => ({ anchor, reward: rewards[i] }));
  const shown = mapInSlices(paid, ({ anchor, reward }) => formatAnchor(anchor, reward, params), call);
  return withValue(shown, (list) => ({ anchors: list }));
};

/** The anchors of a page: by falling height, then by the hash of the Bitcoin transaction. */
function newestAnchors(all: readonly ConfirmedAnchor[], { after, count }: NeededElements): ConfirmedAnchor[] {
  const [height = '', hash = ''] = after ?? [];
  const isBehind = ({ anchorHeight, btcTxHash }: ConfirmedAnchor): boolean =>
    anchorHeight < Number(height) || (anchorHeight === Number(height) && compareParts(formatHash(btcTxHash), hash) > 0);
  const rest = after ? all.filter(isBehind) : [...all];
  return rest
    .sort((a, b) => b.anchorHeight - a.anchorHeight || compareParts(formatHash(a.btcTxHash), formatHash(b.btcTxHash)))
    .slice(0, count);
}

function formatAnchor(anchor: ConfirmedAnchor, reward: Hash256 | undefined, params: NetworkParams): AnchorMessage {
  return {
    anchorheight: anchor.anchorHeight,
    anchorhash: formatHash(anchor.blockHash),
    rewardaddress: rewardAddress(anchor, params.address),
    dfirewardhash: reward ? formatHash(reward) : '',
    btcanchorheight: anchor.btcTxHeight,
    btcanchorhash: formatHash(anchor.btcTxHash),
    confirmsignhash: formatHash(confirmHash(anchor)),
  };
}
