import type {
  GetAnchorTeamsRequest,
  GetAnchorTeamsResponse,
  ListAnchorsRequest,
  ListAnchorsResponse,
} from '../../../../gen/ts/dfi/node/v1/masternodes.js';
import { anchorConfirms, anchorRewards, confirmHash, type Team } from '../../../dfi/anchors/columns.js';
import { teamsAt } from '../../../dfi/anchors/teams.js';
import { masternodeByOperator } from '../../../dfi/masternodes/columns.js';
import { formatHash } from '../../../primitives/hash.js';
import type { Handler } from '../../../rpc/handler.js';
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

/** Sorted by rising anchor height. */
export const listAnchors: Handler<Modules, ListAnchorsRequest, ListAnchorsResponse> = ({ chain: { state, params } }) => {
  const anchors = [...state.entries(anchorConfirms)].map(([, anchor]) => anchor).sort((a, b) => a.anchorHeight - b.anchorHeight);
  return {
    anchors: anchors.map((anchor) => {
      const reward = state.get(anchorRewards, anchor.btcTxHash);
      return {
        anchorheight: anchor.anchorHeight,
        anchorhash: formatHash(anchor.blockHash),
        rewardaddress: rewardAddress(anchor, params.address),
        dfirewardhash: reward ? formatHash(reward) : '',
        btcanchorheight: anchor.btcTxHeight,
        btcanchorhash: formatHash(anchor.btcTxHash),
        confirmsignhash: formatHash(confirmHash(anchor)),
      };
    }),
  };
};
