import { COIN } from '../../primitives/amount.js';
import type { Hash256 } from '../../primitives/hash.js';
import { commitTransaction } from '../spend/commit.js';
import type { Wallet } from '../wallet.js';
import { buildCustomTx } from './build.js';
import { CoinReservation } from './coin-reservation.js';
import type { CustomTxRequest } from './request.js';
import { sign } from './sign.js';
import { testExecution } from './test-execution.js';

/** No fee above this is taken for meant, whatever the size: 0.1 DFI. */
const ABSURD_FEE = COIN / 10n;

/**
 * Makes, tries, signs and sends the custom transaction that an operation asks for. Where one of these fails, nothing was sent, and
 * the coins are as free as before; only a transaction that shows owners may stay, if the pool refuses the one that it was for.
 * @returns its txid
 * @throws {NodeError} in the words of docs/protocol/accounts.md 6.2 and 6.4
 */
export function sendCustomTx<Body>(wallet: Wallet, request: CustomTxRequest<Body>): Hash256 {
  const aside = new CoinReservation(wallet.outputLocks);
  try {
    const { tx, auth } = buildCustomTx(wallet, request, aside);
    if (!request.signsFirst) testExecution(wallet, request.definition, tx, auth);
    const signed = sign(wallet, tx, auth);
    if (request.signsFirst) testExecution(wallet, request.definition, signed, auth);
    request.onTried?.();
    for (const each of auth ? [auth, signed] : [signed]) commitTransaction(wallet, each, { mustBeAccepted: { absurdFee: ABSURD_FEE } });
    return signed.txid;
  } finally {
    aside.release();
  }
}
