import type {
  CloseVaultRequest,
  CloseVaultResponse,
  CreateVaultRequest,
  CreateVaultResponse,
  DepositToVaultRequest,
  DepositToVaultResponse,
  PaybackWithCollateralRequest,
  PaybackWithCollateralResponse,
  UpdateVaultRequest,
  UpdateVaultResponse,
  WithdrawFromVaultRequest,
  WithdrawFromVaultResponse,
} from '../../../gen/ts/dfi/node/v1/vaults.js';
import type { TokenAmount } from '../../dfi/kernel/amounts.js';
import { byteText } from '../../dfi/kernel/text.js';
import { paybackWithCollateral as collateralPayback } from '../../dfi/loans/payback-transactions.js';
import { depositToVault as deposit, withdrawFromVault as withdrawal } from '../../dfi/vaults/collateral-transactions.js';
import { getVault, type Vault, vaultCreationFee } from '../../dfi/vaults/columns.js';
import { closeVault as closing, createVault as creation, updateVault as update } from '../../dfi/vaults/transactions.js';
import { formatHash, type Hash256 } from '../../primitives/hash.js';
import { rawJson } from '../../rpc/bind.js';
import type { Handler } from '../../rpc/handler.js';
import { parseHash } from '../../rpc/shapes.js';
import type { StateView } from '../../storage/view.js';
import { invalidParameter, NodeError } from '../../util/errors.js';
import { readBalances } from '../format/account-amounts.js';
import { parseDestination } from '../format/destination.js';
import { readInputs } from '../format/inputs.js';
import { parseNativeOwner, parseOwner, refuseEvmOwners } from '../format/owner.js';
import { walletOf } from '../wallet/modules.js';
import { sendFor, spendingWallet } from '../wallet/spend/custom-tx.js';
import type { VaultsModules } from './modules.js';

export const createVault: Handler<VaultsModules, CreateVaultRequest, CreateVaultResponse> = (modules, request, call) => {
  const wallet = spendingWallet(modules, call, 'createvault');
  const { state, params } = modules.chain;
  // `defid` does not check the type of null here and reads it as an empty address.
  const owner = parseNativeOwner(rawJson(request, 'owneraddress') === null ? '' : request.owneraddress, modules.chain);
  const body = { owner, scheme: byteText(request.loanschemeid ?? '') };
  return sendFor(wallet, call, { definition: creation, body, burns: vaultCreationFee(state, params), inputs: readInputs(request) });
};

/** Vault with this id. @throws {NodeError} `not-found` */
function requireVault(view: StateView, vaultId: Hash256): Vault {
  const vault = getVault(view, vaultId);
  if (!vault) throw new NodeError('not-found', `Vault <${formatHash(vaultId)}> not found`);
  return vault;
}

/** Vault that is not under liquidation. @throws {NodeError} `not-found` or `verify-rejected` */
function requireOpenVault(view: StateView, vaultId: Hash256): Vault {
  const vault = requireVault(view, vaultId);
  if (vault.isUnderLiquidation) throw new NodeError('verify-rejected', 'Vault is under liquidation.');
  return vault;
}

export const closeVault: Handler<VaultsModules, CloseVaultRequest, CloseVaultResponse> = (modules, request, call) => {
  const wallet = spendingWallet(modules, call, 'closevault');
  const { state } = modules.chain;
  const vaultId = parseHash(request.vaultid, 'vaultId');
  const { owner } = requireOpenVault(state, vaultId);
  const body = { vaultId, to: parseNativeOwner(request.to, modules.chain) };
  return sendFor(wallet, call, { definition: closing, body, auths: [owner], inputs: readInputs(request) });
};

export const updateVault: Handler<VaultsModules, UpdateVaultRequest, UpdateVaultResponse> = (modules, request, call) => {
  const wallet = spendingWallet(modules, call, 'update vault');
  const { state } = modules.chain;
  const vaultId = parseHash(request.vaultid, 'vaultId');
  const vault = requireOpenVault(state, vaultId);
  const { owneraddress: address, loanschemeid: scheme } = request;
  if (address === undefined && scheme === undefined) {
    throw invalidParameter('At least ownerAddress OR loanSchemeId must be set');
  }
  if (address !== undefined && !parseDestination(address, modules.chain)) {
    throw new NodeError('invalid-address', 'Error: Invalid owner address');
  }
  const owner = address === undefined ? vault.owner : parseOwner(address, modules.chain);
  // Rules accept EVM owners, so the vault may have one already.
  refuseEvmOwners(modules.chain, [owner]);
  const body = { vaultId, owner, scheme: scheme === undefined ? vault.scheme : byteText(scheme) };
  return sendFor(wallet, call, { definition: update, body, auths: [vault.owner], inputs: readInputs(request) });
};

/** Amount of a single token. @throws {NodeError} */
function readAmount(text: string, view: StateView): TokenAmount {
  const [amount = { tokenId: 0, amount: 0n }] = readBalances(text, 'amount', view);
  return amount;
}

export const depositToVault: Handler<VaultsModules, DepositToVaultRequest, DepositToVaultResponse> = (modules, request, call) => {
  const wallet = spendingWallet(modules, call, 'upddeposittovaultate vault');
  const { state } = modules.chain;
  const vaultId = parseHash(request.vaultid, 'vaultId');
  const from = parseNativeOwner(request.from, modules.chain);
  const body = { vaultId, from, amount: readAmount(request.amount, state) };
  return sendFor(wallet, call, { definition: deposit, body, auths: [from], inputs: readInputs(request) });
};

export const withdrawFromVault: Handler<VaultsModules, WithdrawFromVaultRequest, WithdrawFromVaultResponse> = (modules, request, call) => {
  const wallet = spendingWallet(modules, call, 'withdrawfromvault');
  const { state } = modules.chain;
  const vaultId = parseHash(request.vaultid, 'vaultId');
  const to = parseNativeOwner(request.to, modules.chain);
  const body = { vaultId, to, amount: readAmount(request.amount, state) };
  const { owner } = requireVault(state, vaultId);
  return sendFor(wallet, call, { definition: withdrawal, body, auths: [owner], inputs: readInputs(request) });
};

export const paybackWithCollateral: Handler<VaultsModules, PaybackWithCollateralRequest, PaybackWithCollateralResponse> = (
  modules,
  request,
  call,
) => {
  // `defid` does not refuse this operation during the initial block download, unlike all others that create transactions.
  const wallet = walletOf(modules, call);
  const vaultId = parseHash(request.vaultid, 'vaultId');
  const { owner } = requireVault(modules.chain.state, vaultId);
  return sendFor(wallet, call, { definition: collateralPayback, body: { vaultId }, auths: [owner] });
};
