import type { VaultsServiceServer } from '../../../gen/ts/dfi/node/v1/vaults.js';
import type { Handlers } from '../../rpc/handler.js';
import { listAuctionHistory, listAuctions } from './auctions.js';
import { placeAuctionBid } from './bids.js';
import type { VaultsModules } from './modules.js';

export type { VaultsModules } from './modules.js';

export const vaultsHandlers = {
  placeAuctionBid,
  listAuctions,
  listAuctionHistory,
} satisfies Handlers<VaultsServiceServer, VaultsModules>;
