import type {
  AdvanceTimeRequest,
  AdvanceTimeResponse,
  SetNextBlockTimeRequest,
  SetNextBlockTimeResponse,
  SetTimeRequest,
  SetTimeResponse,
} from '../../../gen/ts/dfi/dev/v1/dev.js';
import { requireDevNetwork } from '../../devnet/dev-network.js';
import type { Handler } from '../../rpc/handler.js';
import type { DevModules } from './modules.js';

export const setTime: Handler<DevModules, SetTimeRequest, SetTimeResponse> = ({ devNetwork }, request) => {
  const { time } = requireDevNetwork(devNetwork);
  time.set(Number(request.time));
  return { time: BigInt(time.now()) };
};

export const advanceTime: Handler<DevModules, AdvanceTimeRequest, AdvanceTimeResponse> = ({ devNetwork }, { seconds }) => {
  const { time } = requireDevNetwork(devNetwork);
  time.advance(Number(seconds));
  return { time: BigInt(time.now()) };
};

export const setNextBlockTime: Handler<DevModules, SetNextBlockTimeRequest, SetNextBlockTimeResponse> = ({ devNetwork }, { time }) => {
  requireDevNetwork(devNetwork).time.setNext(Number(time));
  return {};
};
