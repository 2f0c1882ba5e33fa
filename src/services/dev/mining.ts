import type {
  MineRequest,
  MineResponse,
  SetAutomineRequest,
  SetAutomineResponse,
  SetIntervalMiningRequest,
  SetIntervalMiningResponse,
} from '../../../gen/ts/dfi/dev/v1/dev.js';
import { requireDevNetwork } from '../../devnet/dev-network.js';
import { formatHash } from '../../primitives/hash.js';
import type { Handler } from '../../rpc/handler.js';
import { scriptOf } from '../../script/address.js';
import { NodeError } from '../../util/errors.js';
import { parseDestination } from '../format/destination.js';
import type { DevModules } from './modules.js';

export const mine: Handler<DevModules, MineRequest, MineResponse> = async ({ chain, devNetwork }, request, { signal }) => {
  const network = requireDevNetwork(devNetwork);
  const { blocks = 1, interval = 1, address } = request;
  const destination = address === undefined ? undefined : parseDestination(address, chain);
  if (address !== undefined && !destination) throw new NodeError('invalid-address', 'Error: Invalid address');
  const scriptPubKey = destination && scriptOf(destination);
  const hashes = await network.mine({ count: blocks, interval, scriptPubKey, signal });
  return { blockhashes: hashes.map(formatHash) };
};

export const setAutomine: Handler<DevModules, SetAutomineRequest, SetAutomineResponse> = ({ devNetwork }, { enabled }) => {
  requireDevNetwork(devNetwork).mining.mode = enabled ? 'tx' : 'off';
  return {};
};

export const setIntervalMining: Handler<DevModules, SetIntervalMiningRequest, SetIntervalMiningResponse> = ({ devNetwork }, request) => {
  requireDevNetwork(devNetwork).setMiningInterval(request.seconds);
  return {};
};
