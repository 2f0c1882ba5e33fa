import type {
  AccountToAccountRequest,
  AccountToAccountResponse,
  AccountToUtxosRequest,
  AccountToUtxosResponse,
  UtxosToAccountRequest,
  UtxosToAccountResponse,
} from '../../../../gen/ts/dfi/accounts/v1/accounts.js';
import { utxosToAccount as deposit, accountToUtxos as payment, accountToAccount as transfer } from '../../../dfi/accounts/transactions.js';
import { type AccountAmounts, type Balances, sumTransfers } from '../../../dfi/kernel/amounts.js';
import { isActive } from '../../../params/network.js';
import type { TxOut } from '../../../primitives/transaction.js';
import type { CallContext, Handler } from '../../../rpc/handler.js';
import { destinationOf } from '../../../script/address.js';
import { Op } from '../../../script/opcodes.js';
import { invalidParameter, NodeError } from '../../../util/errors.js';
import type { CustomTxRequest } from '../../../wallet/custom-tx/request.js';
import { Ownership } from '../../../wallet/keys/ownership.js';
import type { Wallet } from '../../../wallet/wallet.js';
import { amountEntries, firstOfEachKey, readAccountAmounts } from '../../format/account-amounts.js';
import { readInputs } from '../../format/inputs.js';
import { formatOwner, parseNativeOwner, parseOwner, refuseEvmOwners } from '../../format/owner.js';
import { sendFor, spendingWallet } from '../../wallet/spend/custom-tx.js';
import type { TransferModules } from '../modules.js';

/** Sum of the amounts. @throws {NodeError} if it is empty */
export function requireAmounts(accounts: AccountAmounts, text = 'zero amounts'): Balances {
  const sum = sumTransfers(accounts);
  if (sum.length === 0) throw invalidParameter(text);
  return sum;
}

/**
 * Refuses DFI for accounts outside the wallet. No consensus rule: it protects against sending account DFI to a recipient who
 * expects a UTXO.
 * @throws {NodeError} `invalid-address`
 * @see docs/protocol/accounts.md 6.3
 */
export function requireOwnForDfi(wallet: Wallet, accounts: AccountAmounts): void {
  for (const { owner, balances } of accounts) {
    if (wallet.ownershipOf(owner) === Ownership.Spendable || !balances.some(({ tokenId }) => tokenId === 0)) continue;
    throw new NodeError('invalid-address', `The address (${formatOwner(owner, wallet.deps.chain.params)}) is not your own address`);
  }
}

/** @see docs/protocol/accounts.md 6.5 */
export const accountToAccount: Handler<TransferModules, AccountToAccountRequest, AccountToAccountResponse> = (modules, request, call) => {
  const wallet = spendingWallet(modules, call);
  const { chain } = modules;
  const to = readAccountAmounts(firstOfEachKey(amountEntries(request, 'to', request.to)), chain);
  if (modules.ownAccountsOnly) requireOwnForDfi(wallet, to);
  requireAmounts(to);
  const from = parseOwner(request.from, chain);
  refuseEvmOwners(chain, [from, ...to.map(({ owner }) => owner)]);
  return sendFor(wallet, call, { definition: transfer, body: { from, to }, auths: [from], inputs: readInputs(request) });
};

/** @see docs/protocol/accounts.md 6.5 */
export const accountToUtxos: Handler<TransferModules, AccountToUtxosRequest, AccountToUtxosResponse> = (modules, request, call) => {
  const wallet = spendingWallet(modules, call);
  const { chain } = modules;
  const from = parseNativeOwner(request.from, chain);
  const to = readAccountAmounts(amountEntries(request, 'to', request.to), chain);
  // Outputs to EVM scripts are refused, as their coins would be lost; `defid` creates such transactions, which no node relays.
  refuseEvmOwners(
    chain,
    to.map(({ owner }) => owner),
  );
  const balances = requireAmounts(to);
  const mints = to.flatMap(({ owner, balances: amounts }) =>
    amounts.map(({ tokenId, amount }): TxOut => ({ value: amount, scriptPubKey: owner, tokenId })),
  );
  return sendFor(wallet, call, {
    definition: payment,
    body: (mintingOutputsStart) => ({ from, balances, mintingOutputsStart }),
    auths: [from],
    inputs: readInputs(request),
    mints,
  });
};

/** @see docs/protocol/accounts.md 6.5 */
export const utxosToAccount: Handler<TransferModules, UtxosToAccountRequest, UtxosToAccountResponse> = (modules, request, call) => {
  const wallet = spendingWallet(modules, call);
  const { chain } = modules;
  const to = readAccountAmounts(firstOfEachKey(amountEntries(request, 'amounts', request.amounts)), chain);
  if (modules.ownAccountsOnly) requireOwnForDfi(wallet, to);
  refuseEvmOwners(
    chain,
    to.map(({ owner }) => owner),
  );
  const [first, ...others] = requireAmounts(to);
  const deposited = {
    definition: deposit,
    body: { to },
    burns: first?.amount ?? 0n,
    burnsToken: first?.tokenId ?? 0,
    outputs: others.map(({ tokenId, amount }): TxOut => ({ value: amount, scriptPubKey: Uint8Array.of(Op.RETURN), tokenId })),
  };
  const [sole, another] = to;
  const height = chain.tip.height + 1;
  const prefersOwn = sole && !another && isActive(chain.params, 'metachain', height);
  return prefersOwn && wallet.ownershipOf(sole.owner) === Ownership.Spendable
    ? sendFromOwnerFirst(wallet, call, sole.owner, deposited)
    : sendFor(wallet, call, deposited);
};

/** Pays from the owner's own coins if they suffice, as `defid` does from Metachain on; otherwise from any coins. */
function sendFromOwnerFirst<Body>(
  wallet: Wallet,
  call: CallContext,
  owner: Uint8Array,
  request: CustomTxRequest<Body>,
): { readonly txid: string } {
  const change = destinationOf(owner);
  if (!change) return sendFor(wallet, call, request);
  try {
    return sendFor(wallet, call, { ...request, payer: owner, change });
  } catch (error) {
    if (error instanceof NodeError && error.kind === 'wallet') return sendFor(wallet, call, request);
    throw error;
  }
}
