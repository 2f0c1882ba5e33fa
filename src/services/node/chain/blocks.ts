import type {
  GenerateToAddressRequest,
  GenerateToAddressResponse,
  InvalidateBlockRequest,
  InvalidateBlockResponse,
  ReconsiderBlockRequest,
  ReconsiderBlockResponse,
  SetInterruptBlockRequest,
  SetInterruptBlockResponse,
  SetMockCheckpointRequest,
  SetMockCheckpointResponse,
} from '../../../../gen/ts/dfi/node/v1/chain.js';
import { BlockInvalid } from '../../../consensus/errors.js';
import { RejectCode } from '../../../mempool/reject.js';
import { describeRejection, showsRejectCodes } from '../../../mempool/submit.js';
import type { Handler } from '../../../rpc/handler.js';
import { parseHash } from '../../../rpc/shapes.js';
import { scriptOf } from '../../../script/address.js';
import { NodeError } from '../../../util/errors.js';
import { requireBlockEntry } from '../../format/blocks.js';
import { parseDestination } from '../../format/destination.js';
import { requireActivated } from '../../format/verdict.js';
import type { NodeModules } from '../modules.js';

type Modules = Pick<NodeModules, 'chain' | 'minter'>;

/** @see docs/protocol/chain.md 3.8 */
export const generateToAddress: Handler<Modules, GenerateToAddressRequest, GenerateToAddressResponse> = async (
  { chain, minter },
  request,
  { signal },
) => {
  const { nblocks, maxtries = -1, address } = request;
  const destination = parseDestination(address, chain);
  if (!destination) throw new NodeError('invalid-address', 'Error: Invalid address');
  return { minted: await minter.mintTo(scriptOf(destination), nblocks, maxtries, signal) };
};

export const invalidateBlock: Handler<Modules, InvalidateBlockRequest, InvalidateBlockResponse> = ({ chain }, { blockhash }) => {
  const entry = requireBlockEntry(chain, parseHash(blockhash, 'blockhash'));
  // The blocks above would be disconnected down to the first missing one, where block processing would halt.
  if (chain.isActive(entry) && entry.height < chain.lowestStored().height)
    throw new NodeError('database', 'Cannot invalidate a block whose data is pruned');
  try {
    requireActivated(chain, chain.invalidate(entry));
  } catch (error) {
    if (!(error instanceof BlockInvalid)) throw error;
    // `defid` gives no reason for a block at or below a checkpoint.
    throw new NodeError('database', describeRejection({ reason: '', debug: '', code: RejectCode.CHECKPOINT }, showsRejectCodes(chain)), {
      cause: error,
    });
  }
  return {};
};

export const reconsiderBlock: Handler<Modules, ReconsiderBlockRequest, ReconsiderBlockResponse> = ({ chain }, { blockhash }) => {
  requireActivated(chain, chain.reconsider(requireBlockEntry(chain, parseHash(blockhash, 'blockhash'))));
  return {};
};

export const setInterruptBlock: Handler<Modules, SetInterruptBlockRequest, SetInterruptBlockResponse> = ({ chain }, { height }) => {
  const { height: before } = chain.interruption;
  chain.interruption.height = height;
  if (chain.tip.height + 1 === before) chain.reconsider(chain.tip);
  return {};
};

export const setMockCheckpoint: Handler<Modules, SetMockCheckpointRequest, SetMockCheckpointResponse> = (
  { chain },
  { height, blockhash },
) => {
  if (!chain.params.isRegtest) throw new NodeError('misc', 'setmockcheckpoint for regression testing (-regtest mode) only');
  chain.addCheckpoint({ height, hash: parseHash(blockhash, 'blockhash') });
  return {};
};
