import type { SetBalanceRequest, SetBalanceResponse, SetPriceRequest, SetPriceResponse } from '../../../gen/ts/dfi/dev/v1/dev.js';
import { requireDevNetwork } from '../../devnet/dev-network.js';
import { toWei } from '../../dfi/kernel/evm-numbers.js';
import { wordBytes } from '../../evm/words.js';
import { formatHash } from '../../primitives/hash.js';
import type { Handler } from '../../rpc/handler.js';
import { parseAmountText } from '../../rpc/shapes.js';
import { erc55Of } from '../../script/erc55.js';
import { invalidParameter } from '../../util/errors.js';
import { parseOwner } from '../format/owner.js';
import { requireToken } from '../format/token.js';
import type { DevModules } from './modules.js';

export const setBalance: Handler<DevModules, SetBalanceRequest, SetBalanceResponse> = async (
  { chain, devNetwork },
  request,
  { signal },
) => {
  const network = requireDevNetwork(devNetwork);
  const owner = parseOwner(request.address, chain);
  const at = request.amount.lastIndexOf('@');
  const amount = parseAmountText(at < 0 ? request.amount : request.amount.slice(0, at));
  const { id: tokenId } = requireToken(chain.state, at < 0 ? 'DFI' : request.amount.slice(at + 1));
  const address = erc55Of(owner);
  if (address && tokenId !== 0) throw invalidParameter('only the DFI of an address of the EVM can be set');
  const hash = await network.change(
    [address ? { kind: 'evm-balance', address, balance: wordBytes(toWei(amount)) } : { kind: 'balance', owner, tokenId, amount }],
    signal,
  );
  return { blockhash: formatHash(hash) };
};

export const setPrice: Handler<DevModules, SetPriceRequest, SetPriceResponse> = async (
  { devNetwork },
  { token, currency, price },
  call,
) => {
  const hash = await requireDevNetwork(devNetwork).change([{ kind: 'price', token, currency, price }], call.signal);
  return { blockhash: formatHash(hash) };
};
