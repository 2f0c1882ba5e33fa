import type { VaultsServiceServer } from '../../../gen/ts/dfi/node/v1/vaults.js';
import type { Handlers } from '../../rpc/handler.js';
import { listAuctionHistory, listAuctions } from './auctions.js';
import { placeAuctionBid } from './bids.js';
import { closeVault, createVault, depositToVault, paybackWithCollateral, updateVault, withdrawFromVault } from './changes.js';
import { estimateCollateral, estimateLoan, estimateVault } from './estimates.js';
import { listVaultHistory } from './history.js';
import type { VaultsModules } from './modules.js';
import { getVault, listVaults } from './vaults.js';

export const vaultsHandlers = {
  getVault,
  listVaults,
  listVaultHistory,
  estimateVault,
  estimateLoan,
  estimateCollateral,
  createVault,
  closeVault,
  updateVault,
  depositToVault,
  withdrawFromVault,
  paybackWithCollateral,
  placeAuctionBid,
  listAuctions,
  listAuctionHistory,
} satisfies Handlers<VaultsServiceServer, VaultsModules>;
