import type { NetworkParams } from '../../params/network.js';
import { formatHash } from '../../primitives/hash.js';
import type { CallContext } from '../../rpc/handler.js';
import type { StateView } from '../../storage/view.js';
import { NodeError } from '../../util/errors.js';
import type { CustomTxRequest } from '../../wallet/custom-tx/request.js';
import { sendCustomTx } from '../../wallet/custom-tx/send.js';
import type { Wallets } from '../../wallet/manager.js';
import type { Wallet } from '../../wallet/wallet.js';
import { coinSearchFor } from './coin-search.js';

/** What an operation that makes custom transactions needs of the node. */
export interface CustomTxModules {
  /** Undefined where wallets are switched off; then no call comes through to such an operation. */
  readonly wallets?: Pick<Wallets, 'find'> | undefined;
  readonly chain: {
    readonly params: NetworkParams;
    readonly state: StateView;
    isInitialDownload(): boolean;
  };
}

/**
 * The wallet that a call is for, ready to make transactions. An operation asks for it first:
 * ```ts
 * export const removeOracle: Handler<CustomTxModules, RemoveOracleRequest, RemoveOracleResponse> = (modules, request, call) => {
 *   const wallet = spendingWallet(modules, call);
 *   const body = { oracleId: parseHash(request.oracleid, 'oracleid') };
 *   return sendFor(wallet, call, { definition: oracleRemoval, body, member: 'foundation', inputs: readInputs(request) });
 * };
 * ```
 * @param what it wants to do, as the error calls it
 * @throws {NodeError} `initial-download`
 */
export function spendingWallet({ wallets, chain }: CustomTxModules, call: CallContext, what = 'create transactions'): Wallet {
  if (!wallets) throw new NodeError('method-not-found', 'Method not found');
  const wallet = wallets.find(call.wallet);
  if (chain.isInitialDownload()) throw new NodeError('initial-download', `Cannot ${what} while still in Initial Block Download`);
  return wallet;
}

/** Sends the custom transaction that an operation asks for; see `sendCustomTx`. */
export function sendFor<Body>(wallet: Wallet, call: CallContext, request: CustomTxRequest<Body>): { readonly txid: string } {
  return { txid: formatHash(sendCustomTx(wallet, { ...request, coinSearch: coinSearchFor(wallet, call) })) };
}
