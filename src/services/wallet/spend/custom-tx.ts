import type { NetworkParams } from '../../../params/network.js';
import { formatHash } from '../../../primitives/hash.js';
import type { CallContext } from '../../../rpc/handler.js';
import type { StateView } from '../../../storage/view.js';
import { NodeError } from '../../../util/errors.js';
import type { CustomTxRequest } from '../../../wallet/custom-tx/request.js';
import { sendCustomTx } from '../../../wallet/custom-tx/send.js';
import type { Wallet } from '../../../wallet/wallet.js';
import type { Wallets } from '../../../wallet/wallets/manager.js';
import { walletOf } from '../modules.js';
import { coinSearchFor } from './coin-search.js';

/** Modules for operations that create custom transactions. */
export interface CustomTxModules {
  /** Undefined if wallets are disabled; calls are refused then before they get to such an operation. */
  readonly wallets?: Pick<Wallets, 'find'> | undefined;
  readonly chain: {
    readonly params: NetworkParams;
    readonly state: StateView;
    isInitialDownload(): boolean;
  };
}

/** Signer of changes by the network: a member of the foundation or of governance, who also gets the change output. */
export const BY_MEMBER = { member: 'foundation-or-governance', change: 'first-auth' } as const satisfies Partial<CustomTxRequest<unknown>>;

/**
 * Wallet of a call, checked for creating transactions. Operations call this first:
 * ```ts
 * export const removeOracle: Handler<CustomTxModules, RemoveOracleRequest, RemoveOracleResponse> = (modules, request, call) => {
 *   const wallet = spendingWallet(modules, call);
 *   const body = { oracleId: parseHash(request.oracleid, 'oracleid') };
 *   return sendFor(wallet, call, { definition: oracleRemoval, body, member: 'foundation', inputs: readInputs(request) });
 * };
 * ```
 * @param purpose description of the operation for the error text
 * @throws {NodeError} `initial-download`
 */
export function spendingWallet(modules: CustomTxModules, call: CallContext, purpose = 'create transactions'): Wallet {
  const wallet = walletOf(modules, call);
  if (!modules.chain.isInitialDownload()) return wallet;
  throw new NodeError('initial-download', `Cannot ${purpose} while still in Initial Block Download`);
}

/** Sends the custom transaction of an operation, with the coin search of the call unless the request names one; see `sendCustomTx`. */
export function sendFor<Body>(wallet: Wallet, call: CallContext, request: CustomTxRequest<Body>): { readonly txid: string } {
  return { txid: formatHash(sendCustomTx(wallet, { ...request, coinSearch: request.coinSearch ?? coinSearchFor(wallet, call) })) };
}
