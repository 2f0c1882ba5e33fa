import { PAYS_EVM_ADDRESS } from '../../mempool/policy.js';
import { ABSURD_FEE } from '../../mempool/submit.js';
import type { Hash256 } from '../../primitives/hash.js';
import { makeTransaction } from '../../primitives/transaction.js';
import { NodeError } from '../../util/errors.js';
import { commitTransaction } from '../spend/commit.js';
import type { Wallet } from '../wallet.js';
import { buildCustomTx } from './build.js';
import { CoinReservation } from './coin-reservation.js';
import type { CustomTxRequest } from './request.js';
import { sign } from './sign.js';
import { testExecution } from './test-execution.js';

/**
 * Builds, test-executes, signs and sends the custom transaction that an operation requests. If a step fails, nothing was sent and the
 * reserved coins are released; but an auto-auth transaction that was accepted stays, even if the mempool rejects the one it is for.
 * @returns its txid
 * @throws {NodeError} with the texts of docs/protocol/accounts.md 6.2 and 6.4
 * @throws {WalletNotWritten} before anything is sent
 */
export function sendCustomTx<Body>(wallet: Wallet, request: CustomTxRequest<Body>): Hash256 {
  const reservation = new CoinReservation(wallet.outputLocks);
  try {
    const { draft, auth, isTestOnly } = buildCustomTx(wallet, request, reservation);
    const signed = request.signsFirst && !isTestOnly ? sign(wallet, draft, auth) : undefined;
    const trial = signed ?? makeTransaction(draft, wallet.deps.chain.params.txFormat);
    testExecution(wallet, request.definition, trial, auth);
    if (isTestOnly) throw new NodeError('verify-rejected', PAYS_EVM_ADDRESS);
    const tx = signed ?? sign(wallet, draft, auth);
    for (const each of auth ? [auth, tx] : [tx]) commitTransaction(wallet, each, { mustBeAccepted: { absurdFee: ABSURD_FEE } });
    return tx.txid;
  } finally {
    reservation.release();
  }
}
