import type {
  DumpStateRequest,
  DumpStateResponse,
  LoadStateRequest,
  LoadStateResponse,
  RevertRequest,
  RevertResponse,
  SnapshotRequest,
  SnapshotResponse,
} from '../../../gen/ts/dfi/dev/v1/dev.js';
import { requireDevNetwork } from '../../devnet/dev-network.js';
import { formatHash } from '../../primitives/hash.js';
import type { Handler } from '../../rpc/handler.js';
import type { DevModules } from './modules.js';

export const snapshot: Handler<DevModules, SnapshotRequest, SnapshotResponse> = ({ devNetwork }) => ({
  id: requireDevNetwork(devNetwork).snapshots.take(),
});

export const revert: Handler<DevModules, RevertRequest, RevertResponse> = ({ devNetwork }, { id }) => {
  const network = requireDevNetwork(devNetwork);
  network.snapshots.revert(id);
  return { height: network.tip.height, blockhash: formatHash(network.tip.hash) };
};

export const dumpState: Handler<DevModules, DumpStateRequest, DumpStateResponse> = async ({ devNetwork }, _, { signal }) => ({
  state: await requireDevNetwork(devNetwork).dump.dump(signal),
});

export const loadState: Handler<DevModules, LoadStateRequest, LoadStateResponse> = ({ devNetwork }, { state }) => {
  const network = requireDevNetwork(devNetwork);
  network.dump.load(state);
  return { height: network.tip.height, blockhash: formatHash(network.tip.hash) };
};
