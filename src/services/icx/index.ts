import type { IcxServiceServer } from '../../../gen/ts/dfi/node/v1/icx.js';
import type { Handlers } from '../../rpc/handler.js';
import { icxClaimDfcHtlc, icxSubmitDfcHtlc, icxSubmitExtHtlc } from './htlcs.js';
import type { IcxModules } from './modules.js';
import { icxCloseOffer, icxCloseOrder, icxCreateOrder, icxMakeOffer } from './orders.js';
import { icxGetOrder, icxListHtlcs, icxListOrders } from './queries.js';

export const icxHandlers = {
  icxClaimDfcHtlc,
  icxCloseOffer,
  icxCloseOrder,
  icxCreateOrder,
  icxGetOrder,
  icxListHtlcs,
  icxListOrders,
  icxMakeOffer,
  icxSubmitDfcHtlc,
  icxSubmitExtHtlc,
} satisfies Handlers<IcxServiceServer, IcxModules>;
