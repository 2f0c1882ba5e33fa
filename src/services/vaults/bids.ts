import type { PlaceAuctionBidRequest, PlaceAuctionBidResponse } from '../../../gen/ts/dfi/node/v1/auctions.js';
import type { TokenAmount } from '../../dfi/amounts.js';
import { settleRewards } from '../../dfi/rewards.js';
import { accountOwners, balanceOf } from '../../dfi/state/accounts.js';
import { auctionBid } from '../../dfi/tx/auctions.js';
import type { Handler } from '../../rpc/handler.js';
import { parseHash } from '../../rpc/shapes.js';
import { Overlay } from '../../storage/overlay.js';
import { NodeError } from '../../util/errors.js';
import { Ownership } from '../../wallet/ownership.js';
import type { Wallet } from '../../wallet/wallet.js';
import { readBalances } from '../format/account-amounts.js';
import { readInputs } from '../format/inputs.js';
import { parseOwner } from '../format/owner.js';
import { sendFor, spendingWallet } from '../wallet/custom-tx.js';
import type { VaultsModules } from './modules.js';

/** Stands for whichever account of the wallet has enough. */
const ANY_ACCOUNT = '*';

export const placeAuctionBid: Handler<VaultsModules, PlaceAuctionBidRequest, PlaceAuctionBidResponse> = (modules, request, call) => {
  const wallet = spendingWallet(modules, call, 'make auction bid');
  const { chain } = modules;
  const vaultId = parseHash(request.vaultid, 'vaultId');
  const index = request.index >>> 0;
  const [amount = { tokenId: 0, amount: 0n }] = readBalances(request.amount, 'amount', chain.state);
  const { from: text } = request;
  const from = text === ANY_ACCOUNT ? richestAccount(modules, wallet, amount) : parseOwner(text, chain.params);
  return sendFor(wallet, { definition: auctionBid, body: { vaultId, index, from, amount }, auths: [from], inputs: readInputs(request) });
};

/** The account of the wallet that has the most of a token. @throws {NodeError} if that is not enough */
function richestAccount({ chain }: VaultsModules, wallet: Wallet, { tokenId, amount }: TokenAmount): Uint8Array {
  const view = new Overlay(chain.state);
  let richest: { readonly owner: Uint8Array; readonly balance: bigint } | undefined;
  for (const owner of [...accountOwners(view)]) {
    if (wallet.ownershipOf(owner) !== Ownership.Spendable) continue;
    settleRewards(view, owner, { height: chain.tip.height + 1, params: chain.params });
    const balance = balanceOf(view, owner, tokenId);
    if (!richest || balance > richest.balance) richest = { owner, balance };
  }
  if (richest && richest.balance >= amount) return richest.owner;
  throw new NodeError('invalid-request', 'Not enough tokens on account, call sendtokenstoaddress to increase it.\n');
}
