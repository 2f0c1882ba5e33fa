import type { PlaceAuctionBidRequest, PlaceAuctionBidResponse } from '../../../gen/ts/dfi/node/v1/auctions.js';
import { auctionBid } from '../../dfi/auctions/transactions.js';
import type { Handler } from '../../rpc/handler.js';
import { parseHash } from '../../rpc/shapes.js';
import { withValue } from '../../util/slicer.js';
import { readBalances } from '../format/account-amounts.js';
import { readInputs } from '../format/inputs.js';
import { parseNativeOwner } from '../format/owner.js';
import { sendFor, spendingWallet } from '../wallet/spend/custom-tx.js';
import { ANY_ACCOUNT, richestAccount } from '../wallet/spend/richest-account.js';
import type { VaultsModules } from './modules.js';

export const placeAuctionBid: Handler<VaultsModules, PlaceAuctionBidRequest, PlaceAuctionBidResponse> = (modules, request, call) => {
  const wallet = spendingWallet(modules, call, 'make auction bid');
  const { chain } = modules;
  const vaultId = parseHash(request.vaultid, 'vaultId');
  const index = request.index >>> 0;
  const [amount = { tokenId: 0, amount: 0n }] = readBalances(request.amount, 'amount', chain.state);
  const { from: text } = request;
  const chosen = text === ANY_ACCOUNT ? richestAccount(wallet, [amount], call) : parseNativeOwner(text, chain);
  return withValue(chosen, (from) =>
    sendFor(wallet, call, {
      definition: auctionBid,
      body: { vaultId, index, from, amount },
      auths: [from],
      inputs: readInputs(request),
    }),
  );
};
