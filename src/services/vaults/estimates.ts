import type {
  EstimateCollateralRequest,
  EstimateCollateralResponse,
  EstimateLoanRequest,
  EstimateLoanResponse,
  EstimateVaultRequest,
  EstimateVaultResponse,
} from '../../../gen/ts/dfi/node/v1/vaults.js';
import { BalanceSum, type Balances, type TokenAmount } from '../../dfi/kernel/amounts.js';
import { divideAmounts, multiplyAmounts } from '../../dfi/kernel/math.js';
import { TxRejected } from '../../dfi/kernel/rejected.js';
import { byteText } from '../../dfi/kernel/text.js';
import { type CollateralToken, getCollateralToken, getLoanToken } from '../../dfi/loan-tokens/columns.js';
import { preciseRatio, vaultAssets } from '../../dfi/loans/ratio.js';
import { getLoanScheme } from '../../dfi/loans/scheme-columns.js';
import type { PricePair } from '../../dfi/oracles/columns.js';
import { ACTIVE_PRICE, isLive, requireFixedPrice, requireValue } from '../../dfi/oracles/fixed-prices.js';
import { tokenBySymbol } from '../../dfi/tokens/columns.js';
import { collateralOf, getVault } from '../../dfi/vaults/columns.js';
import { COIN, formatAmount } from '../../primitives/amount.js';
import { formatHash } from '../../primitives/hash.js';
import { rawJson } from '../../rpc/bind.js';
import type { Handler } from '../../rpc/handler.js';
import { parseAmountArgument, parseHash } from '../../rpc/shapes.js';
import type { StateView } from '../../storage/view.js';
import { compareUtf8 } from '../../util/bytes.js';
import { type ErrorKind, invalidParameter, NodeError } from '../../util/errors.js';
import { JsonObject } from '../../util/json.js';
import { readGivenBalances } from '../format/account-amounts.js';
import { formatTokenAmount } from '../format/amounts.js';
import type { VaultsModules } from './modules.js';
import { vaultState } from './state.js';
import { shownRatio } from './vault-format.js';

type Modules = Pick<VaultsModules, 'chain'>;

export const estimateVault: Handler<Modules, EstimateVaultRequest, EstimateVaultResponse> = ({ chain }, request) => {
  const { state, tip } = chain;
  const collaterals = readGivenBalances(request, 'collateralamounts', request.collateralamounts, '', state);
  const loans = readGivenBalances(request, 'loanamounts', request.loanamounts, '', state);
  let totalCollaterals = 0n;
  for (const { tokenId, amount } of collaterals) {
    const token = requireCollateral(state, tokenId, tip.height, `Token with id (${tokenId})`);
    totalCollaterals += multiplyAmounts(token.factor, worthOf(state, amount, token.pair));
  }
  const totalLoans = loans.reduce((sum, loan) => sum + loanValue(state, loan), 0n);
  const assets = { totalCollaterals: BigInt.asUintN(64, totalCollaterals), totalLoans: BigInt.asUintN(64, totalLoans) };
  return {
    collateralvalue: assets.totalCollaterals,
    loanvalue: assets.totalLoans,
    informativeratio: preciseRatio(assets),
    collateralratio: shownRatio(assets),
  };
};

/** Collateral token in force at a height. @param name name for the error text @throws {NodeError} `database` */
function requireCollateral(view: StateView, tokenId: number, height: number, name: string): CollateralToken {
  const token = getCollateralToken(view, tokenId, height);
  if (!token || token.factor === 0n) throw new NodeError('database', `${name} is not a valid collateral!`);
  return token;
}

/** Runs a rule and converts its rejection into an error of the given kind. */
function withErrorKind<T>(kind: ErrorKind, rule: () => T): T {
  try {
    return rule();
  } catch (error) {
    if (error instanceof TxRejected) throw new NodeError(kind, error.message, { cause: error });
    throw error;
  }
}

function worthOf(view: StateView, amount: bigint, pair: PricePair): bigint {
  return withErrorKind('database', () => requireValue(view, amount, pair));
}

function loanValue(view: StateView, { tokenId, amount }: TokenAmount): bigint {
  const token = getLoanToken(view, tokenId);
  if (!token) throw invalidParameter(`Token with id (${tokenId}) is not a loan token!`);
  return worthOf(view, amount, token.pair);
}

/** Active price. @throws {NodeError} if it is not live */
function livePrice(view: StateView, pair: PricePair, symbol: string): bigint {
  const price = withErrorKind('database', () => requireFixedPrice(view, pair));
  if (!isLive(view, price)) throw new NodeError('misc', `No live fixed price for ${symbol}`);
  return price.active;
}

/** Id of the token with this symbol. @throws {NodeError} `record-not-found` */
function requireSymbol(view: StateView, symbol: string): number {
  const found = tokenBySymbol(view, byteText(symbol));
  if (!found) throw new NodeError('record-not-found', `Token ${symbol} does not exist!`);
  return found.id;
}

interface SharesRequest {
  readonly tokens: Readonly<Record<string, bigint>>;
}

/** Shares by symbol. Each is read when it is needed, because the tokens before it are checked first. */
type Shares = Iterable<readonly [symbol: string, share: bigint]>;

/** Shares in the order of the request; of equal symbols the first counts each time. */
function* givenShares(request: SharesRequest): Shares {
  const json = rawJson(request, 'tokens');
  if (!(json instanceof JsonObject)) yield* Object.entries(request.tokens);
  else for (const [symbol] of json.entries) yield [symbol, parseAmountArgument(json.get(symbol) ?? null)];
}

/** Shares bytewise by symbol, of equal symbols the last; all DFI if the argument is missing. */
function* sortedShares(request: SharesRequest): Shares {
  const json = rawJson(request, 'tokens');
  if (json instanceof JsonObject) {
    for (const [symbol, share] of bySymbol(new Map(json.entries))) yield [symbol, parseAmountArgument(share)];
    return;
  }
  const given = bySymbol(new Map(Object.entries(request.tokens)));
  yield* given.length > 0 ? given : [['DFI', COIN] as const];
}

function bySymbol<T>(shares: ReadonlyMap<string, T>): (readonly [string, T])[] {
  return [...shares].sort(([a], [b]) => compareUtf8(a, b));
}

/** Checks the sum of shares. @throws {NodeError} unless it is 1 */
function requireWhole(total: bigint, what: string): void {
  if (total === COIN) return;
  throw new NodeError('misc', `total split between ${what} tokens = ${formatAmount(total)} vs expected ${formatAmount(COIN)}`);
}

export const estimateLoan: Handler<Modules, EstimateLoanRequest, EstimateLoanResponse> = ({ chain }, request) => {
  const { state, params, tip } = chain;
  const vaultId = parseHash(request.vaultid, 'vaultId');
  const vault = getVault(state, vaultId);
  if (!vault) throw new NodeError('record-not-found', `Vault <${formatHash(vaultId)}> not found.`);
  if (vaultState({ view: state, height: tip.height, params }, vaultId, vault) === 'inLiquidation') {
    throw new NodeError('misc', `Vault <${formatHash(vaultId)}> is in liquidation.`);
  }
  const ratio = request.targetratio ?? BigInt(getLoanScheme(state, vault.scheme)?.ratio ?? 0);
  const collateral = collateralOf(state, vaultId);
  if (!collateral) throw new NodeError('misc', 'Cannot estimate loan without collaterals.');
  const context = { view: state, height: tip.height + 1, params };
  const { totalCollaterals } = withErrorKind('misc', () => vaultAssets(context, vaultId, collateral, ACTIVE_PRICE));
  const amounts = new BalanceSum();
  let total = 0n;
  for (const [symbol, share] of givenShares(request)) {
    const tokenId = requireSymbol(state, symbol);
    const token = getLoanToken(state, tokenId);
    if (!token) throw new NodeError('database', `(${symbol}) is not a loan token!`);
    const loan = divideAmounts(multiplyAmounts(totalCollaterals, share), livePrice(state, token.pair, symbol));
    amounts.addOrZero({ tokenId, amount: multiplyAmounts(divideAmounts(loan, BigInt.asUintN(32, ratio)), 100n) });
    total += share;
  }
  requireWhole(total, 'loan');
  return { amounts: amounts.list().map((amount) => formatTokenAmount(state, amount)) };
};

export const estimateCollateral: Handler<Modules, EstimateCollateralRequest, EstimateCollateralResponse> = ({ chain }, request) => {
  const { state, tip } = chain;
  const loans: Balances = readGivenBalances(request, 'loanamounts', request.loanamounts, '', state);
  const ratio = BigInt(request.targetratio);
  const totalLoans = loans.reduce((sum, loan) => sum + loanValue(state, loan), 0n);
  const amounts = new BalanceSum();
  let total = 0n;
  for (const [symbol, share] of sortedShares(request)) {
    const tokenId = requireSymbol(state, symbol);
    const token = requireCollateral(state, tokenId, tip.height, `(${symbol})`);
    const price = livePrice(state, token.pair, symbol);
    const least = divideAmounts(multiplyAmounts(divideAmounts(multiplyAmounts(totalLoans, share), price), ratio), 100n);
    amounts.addOrZero({ tokenId, amount: divideAmounts(least, token.factor) });
    total += share;
  }
  requireWhole(total, 'collateral');
  return { amounts: amounts.list().map((amount) => formatTokenAmount(state, amount)) };
};
