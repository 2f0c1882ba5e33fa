import type {
  ExecuteSmartContractRequest,
  ExecuteSmartContractResponse,
  FutureSwapRequest,
  FutureSwapResponse,
  WithdrawFutureSwapRequest,
  WithdrawFutureSwapResponse,
} from '../../../../gen/ts/dfi/accounts/v1/accounts.js';
import { utxosToAccount as deposit } from '../../../dfi/accounts/transactions.js';
import { smartContract } from '../../../dfi/futures/smart-contract.js';
import { futureSwap as swap } from '../../../dfi/futures/transactions.js';
import type { TokenAmount } from '../../../dfi/kernel/amounts.js';
import { CONTRACT } from '../../../dfi/kernel/contract-addresses.js';
import { findTokenByText } from '../../../dfi/tokens/queries.js';
import { rawJson } from '../../../rpc/bind.js';
import type { CallContext, Handler } from '../../../rpc/handler.js';
import { asString } from '../../../rpc/scalars.js';
import { destinationOf, scriptOf } from '../../../script/address.js';
import { invalidParameter, NodeError } from '../../../util/errors.js';
import type { JsonValue } from '../../../util/json.js';
import type { Wallet } from '../../../wallet/wallet.js';
import { readInputs } from '../../format/inputs.js';
import { refuseEvmOwners } from '../../format/owner.js';
import { readTokenAmount } from '../../format/token-amounts.js';
import { tokenNames } from '../../format/token-names.js';
import { requireAddress } from '../../wallet/format/parse.js';
import { sendFor, spendingWallet } from '../../wallet/spend/custom-tx.js';
import type { TransferModules } from '../modules.js';

/** Names of the only contract, in operations and in transactions. */
const SWAP_CALL = 'dbtcdfiswap';
const SWAP_NAME = 'DFIP2201';

/** @see docs/protocol/accounts.md 6.5, docs/protocol/oracles-governance.md 6.8 */
export const executeSmartContract: Handler<TransferModules, ExecuteSmartContractRequest, ExecuteSmartContractResponse> = (
  modules,
  request,
  call,
) => {
  const wallet = spendingWallet(modules, call);
  if (request.name !== SWAP_CALL) throw invalidParameter('Specified smart contract not found');
  const { chain } = modules;
  const amount = readAmount(asString(givenAmount(request)), 'amount', modules);
  if (amount.tokenId === 0) return fundContract(wallet, call, amount, modules);
  const { address } = request;
  if (address === undefined) throw invalidParameter(`BTC source address must be provided for ${SWAP_NAME}`);
  const owner = scriptOf(requireAddress(address, chain, 'Invalid address'));
  refuseEvmOwners(chain, [owner]);
  return sendFor(wallet, call, {
    definition: smartContract,
    body: { name: SWAP_NAME, accounts: [{ owner, balances: [amount] }] },
    auths: [owner],
    inputs: readInputs(request),
  });
};

function givenAmount(request: { readonly amount: string }): JsonValue {
  const json = rawJson(request, 'amount');
  return json === undefined ? request.amount : json;
}

function readAmount(value: JsonValue, label: string, { chain }: TransferModules): TokenAmount {
  const { amount, token } = readTokenAmount(value, label, tokenNames(chain.state));
  return { tokenId: token, amount };
}

/** The contract is funded from the foundation's address. */
function fundContract(wallet: Wallet, call: CallContext, amount: TokenAmount, { chain }: TransferModules) {
  const payer = chain.params.scripts.foundationShare;
  return sendFor(wallet, call, {
    definition: deposit,
    body: { to: [{ owner: CONTRACT.dfip2201, balances: [amount] }] },
    burns: amount.amount,
    payer,
    change: destinationOf(payer) ?? 'sole-auth',
  });
}

/** @see docs/protocol/accounts.md 6.5 */
export const futureSwap: Handler<TransferModules, FutureSwapRequest, FutureSwapResponse> = (modules, request, call) =>
  sendSwap(modules, request, call, false);

/** @see docs/protocol/accounts.md 6.5 */
export const withdrawFutureSwap: Handler<TransferModules, WithdrawFutureSwapRequest, WithdrawFutureSwapResponse> = (
  modules,
  request,
  call,
) => sendSwap(modules, request, call, true);

function sendSwap(modules: TransferModules, request: FutureSwapRequest | WithdrawFutureSwapRequest, call: CallContext, withdraw: boolean) {
  const wallet = spendingWallet(modules, call);
  const { chain } = modules;
  const owner = scriptOf(requireAddress(request.address, chain, 'Invalid address'));
  const source = readAmount(givenAmount(request), '', modules);
  if (!withdraw) refuseEvmOwners(chain, [owner]);
  const { destination: name } = request;
  const found = name === undefined ? undefined : findTokenByText(chain.state, name);
  if (name !== undefined && !found) throw new NodeError('invalid-address', 'Destination token not found');
  refuseEvmOwners(chain, [owner]);
  const body = { owner, source, destination: found?.id ?? 0, withdraw };
  return sendFor(wallet, call, { definition: swap, body, auths: [owner], inputs: readInputs(request) });
}
