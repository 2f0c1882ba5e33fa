import type { PaybackLoanRequest, PaybackLoanResponse, TakeLoanRequest, TakeLoanResponse } from '../../../gen/ts/dfi/node/v1/loans.js';
import { BalanceSum, type Balances } from '../../dfi/kernel/amounts.js';
import { getLoanToken } from '../../dfi/loan-tokens/columns.js';
import { type LoanPayments, paybackLoan as payback, paybackLoanV2 } from '../../dfi/loans/payback-transactions.js';
import { takeLoan as loan } from '../../dfi/loans/transactions.js';
import { hasFlag } from '../../dfi/tokens/columns.js';
import { getVault } from '../../dfi/vaults/columns.js';
import { isActive } from '../../params/network.js';
import { formatHash, type Hash256 } from '../../primitives/hash.js';
import type { Handler } from '../../rpc/handler.js';
import type { StateView } from '../../storage/view.js';
import { EMPTY_BYTES } from '../../util/bytes.js';
import { invalidParameter, NodeError } from '../../util/errors.js';
import { withValue } from '../../util/slicer.js';
import { trimBlanks } from '../../util/trim.js';
import { Ownership } from '../../wallet/keys/ownership.js';
import { readGivenBalances } from '../format/account-amounts.js';
import { readInputs } from '../format/inputs.js';
import { parseLooseHash } from '../format/loose-hash.js';
import { isGiven } from '../format/options-object.js';
import { parseNativeOwner } from '../format/owner.js';
import { requireToken } from '../format/token.js';
import { sendFor, spendingWallet } from '../wallet/spend/custom-tx.js';
import { ANY_ACCOUNT, firstPayer, richestAccount } from '../wallet/spend/richest-account.js';
import type { LoansModules } from './modules.js';

function missing(name: string, verb = 'must not be null'): NodeError {
  return invalidParameter(`Invalid parameters, argument "${name}" ${verb}`);
}

/** Vault id, read leniently as by `defid`. @throws {NodeError} `invalid-parameter` if it is missing */
function readVaultId(text: string | undefined): Hash256 {
  if (text === undefined) throw missing('vaultId', 'must be non-null');
  return parseLooseHash(text);
}

export const takeLoan: Handler<LoansModules, TakeLoanRequest, TakeLoanResponse> = (modules, request, call) => {
  const wallet = spendingWallet(modules, call, 'takeloan');
  const { state } = modules.chain;
  const vaultId = readVaultId(request.vaultid);
  const to = request.to === undefined ? EMPTY_BYTES : parseNativeOwner(request.to, modules.chain);
  if (!isGiven(request, 'amounts')) throw missing('amounts');
  const amounts = readGivenBalances(request, 'amounts', request.amounts, '', state);
  const vault = getVault(state, vaultId);
  if (!vault) throw invalidParameter(`Vault <${formatHash(vaultId)}> not found`);
  return sendFor(wallet, call, { definition: loan, body: { vaultId, to, amounts }, auths: [vault.owner], inputs: readInputs(request) });
};

export const paybackLoan: Handler<LoansModules, PaybackLoanRequest, PaybackLoanResponse> = (modules, request, call) => {
  const wallet = spendingWallet(modules, call, 'paybackloan');
  const { state, params, tip } = modules.chain;
  const vaultId = readVaultId(request.vaultid);
  if (request.from === undefined) throw missing('from');
  const hasAmounts = isGiven(request, 'amounts');
  const hasLoans = isGiven(request, 'loans');
  if (hasAmounts && hasLoans) throw missing('amounts" and "loans', 'cannot be set at the same time');
  if (!hasAmounts && !isActive(params, 'fortCanningRoad', tip.height + 1)) throw missing('amounts');
  if (!hasAmounts && !hasLoans) throw missing('amounts" and "loans', 'cannot be empty at the same time');
  const amounts = hasAmounts ? readGivenBalances(request, 'amounts', request.amounts, '', state) : [];
  const loans = hasLoans ? readPayments(request, state) : [];
  // With payments by loan, `defid` selects the first account that can pay any part of them, even if another account has to pay the rest.
  const choose = hasAmounts ? () => richestAccount(wallet, amounts, call) : () => firstPayer(wallet, sumOf(loans), call);
  const { from: text } = request;
  return withValue(text === ANY_ACCOUNT ? choose() : parseNativeOwner(text, modules.chain), (from) => {
    if (wallet.ownershipOf(from) === Ownership.None) throw invalidParameter(`Address (${text}) is not owned by the wallet`);
    const common = { auths: [from], inputs: readInputs(request) };
    if (hasAmounts) return sendFor(wallet, call, { definition: payback, body: { vaultId, from, amounts }, ...common });
    return sendFor(wallet, call, { definition: paybackLoanV2, body: { vaultId, from, loans }, ...common });
  });
};

/** Payments by loan token; the last entry of a token counts. @throws {NodeError} `invalid-parameter` for values of a wrong JSON type too */
function readPayments(request: Pick<PaybackLoanRequest, 'loans'>, state: StateView): readonly LoanPayments[] {
  const found = new Map<number, Balances>();
  try {
    for (const payment of request.loans) {
      found.set(
        requireBorrowed(state, trimBlanks(payment.dtoken ?? '')),
        readGivenBalances(payment, 'amounts', payment.amounts, '', state),
      );
    }
  } catch (error) {
    if (error instanceof NodeError && error.kind === 'json-type') throw invalidParameter(error.message, { cause: error });
    throw error;
  }
  return [...found].sort(([a], [b]) => a - b).map(([loanToken, paid]) => ({ loanToken, paid }));
}

/** Id of the loan token that a text names. @throws {NodeError} `invalid-parameter` */
function requireBorrowed(state: StateView, text: string): number {
  const { id, token } = requireToken(state, text);
  if (!hasFlag(token, 'loanToken')) throw invalidParameter(`Token ${text} is not a loan token!`);
  if (!getLoanToken(state, id)) throw invalidParameter(`Can't find ${text} loan token!`);
  return id;
}

/** Sum of all payments. An amount that would make it exceed 63 bits is left out, together with the following amounts for the same loan. */
function sumOf(loans: readonly LoanPayments[]): Balances {
  const sum = new BalanceSum();
  for (const { paid } of loans) paid.every((amount) => sum.addOrZero(amount));
  return sum.list();
}
