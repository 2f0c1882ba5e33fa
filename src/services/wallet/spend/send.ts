import { randomInt } from 'node:crypto';
import type {
  SendManyRequest,
  SendManyResponse,
  SendToAddressRequest,
  SendToAddressResponse,
  SetTxFeeRequest,
  SetTxFeeResponse,
} from '../../../../gen/ts/dfi/wallet/v1/wallet.js';
import { formatAmount } from '../../../primitives/amount.js';
import { formatHash } from '../../../primitives/hash.js';
import { rawJson } from '../../../rpc/bind.js';
import type { Handler } from '../../../rpc/handler.js';
import { scriptOf } from '../../../script/address.js';
import { toHex } from '../../../util/bytes.js';
import { invalidParameter, NodeError } from '../../../util/errors.js';
import type { JsonValue } from '../../../util/json.js';
import { shuffled } from '../../../util/random.js';
import { balancesOf, dfiOf } from '../../../wallet/coins/balances.js';
import { BuildFailed, type BuildOptions, type BuiltTransaction, type Recipient } from '../../../wallet/spend/build-request.js';
import { buildTransaction } from '../../../wallet/spend/builder.js';
import { commitTransaction } from '../../../wallet/spend/commit.js';
import { formatFee } from '../../../wallet/spend/fees.js';
import type { Wallet } from '../../../wallet/wallet.js';
import { amountEntries } from '../../format/account-amounts.js';
import { parseDestination } from '../../format/destination.js';
import { requireConfirmTarget, requireEstimateMode } from '../../format/fee-options.js';
import { parseOwner, refuseEvmOwners } from '../../format/owner.js';
import { textsOf } from '../../format/texts.js';
import { readTokenAmounts } from '../../format/token-amounts.js';
import { type TokenNames, tokenNames } from '../../format/token-names.js';
import { avoidsReuse } from '../format/parse.js';
import { type WalletModules, walletOf } from '../modules.js';
import { coinSearchFor } from './coin-search.js';

/** @see docs/protocol/wallet.md 3.44 */
export const sendToAddress: Handler<WalletModules, SendToAddressRequest, SendToAddressResponse> = (modules, request, call) => {
  const wallet = walletOf(modules, call);
  const { address } = request;
  const destination = parseDestination(address, modules.chain);
  if (!destination) throw new NodeError('invalid-address', 'Invalid address');
  refuseEvmOwners(modules.chain, [scriptOf(destination)]);
  const [tokenId, amount] = readSingleAmount(request, address, tokenNames(modules.chain.state));
  const notes = notesOf({ comment: request.comment, to: request.commentTo });
  const paysFee = tokenId === 0 && (request.subtractfeefromamount ?? false);
  const { replaceable } = request;
  const confirmTarget = request.confTarget === undefined ? undefined : requireConfirmTarget(request.confTarget);
  const estimateMode = requireEstimateMode(request.estimateMode ?? 'UNSET');
  const avoidReuse = avoidsReuse(wallet, request.avoidReuse);
  wallet.keys.requireUnlocked();
  const { trusted } = balancesOf(wallet, { avoidReuse }).mine;
  if (amount > (trusted.get(tokenId) ?? 0n)) throw new NodeError('insufficient-funds', 'Insufficient funds');
  const recipient = { script: scriptOf(destination), amount, tokenId, paysFee };
  // Coins of reused addresses are spent together, so that none are left on them.
  const avoidPartialSpends = avoidReuse || wallet.deps.settings.avoidPartialSpends;
  const coinSearch = coinSearchFor(wallet, call);
  const options = { replaceable, confirmTarget, estimateMode, avoidReuse, avoidPartialSpends, coinSearch };
  const built = build(wallet, [recipient], options, (failure) =>
    paysFee
      ? new NodeError('wallet', failure.message)
      : describeFailure(wallet, { amount: tokenId === 0 ? amount : 0n, avoidReuse }, failure),
  );
  commitTransaction(wallet, built.tx, { notes });
  return { txid: formatHash(built.tx.txid) };
};

interface FailedPayment {
  /** Satoshis of DFI. */
  readonly amount: bigint;
  /** Coins of reused addresses do not count in the balance. */
  readonly avoidReuse: boolean;
}

/** Error for a payment that cannot be built: usually the fee exceeds the balance. */
export function describeFailure(wallet: Wallet, { amount, avoidReuse }: FailedPayment, { message, fee }: BuildFailed): NodeError {
  const tooDear = amount + fee > dfiOf(balancesOf(wallet, { avoidReuse }).mine.trusted);
  return new NodeError('wallet', tooDear ? `Error: This transaction requires a transaction fee of at least ${formatFee(fee)}` : message);
}

/** Amount of a single token. */
function readSingleAmount(request: SendToAddressRequest, label: string, tokens: TokenNames): readonly [number, bigint] {
  const json = rawJson(request, 'amount');
  if (Array.isArray(json)) throw new NodeError('deserialization', `${label}: expected single amount`);
  const [first] = readTokenAmounts(json === undefined ? request.amount : json, label, tokens);
  if (!first) throw new NodeError('type', `${label}: Invalid amount`);
  return first;
}

/** Notes to store with a transaction; empty texts are left out. */
function notesOf(given: Readonly<Record<string, string | undefined>>): Map<string, string> {
  return new Map(Object.entries(given).flatMap(([name, text]) => (text ? [[name, text] as const] : [])));
}

/**
 * Builds and signs a payment; keys made for it are kept even if it fails.
 * @param refuse makes the error for a failure
 */
export function build(
  wallet: Wallet,
  recipients: readonly Recipient[],
  options: BuildOptions,
  refuse: (failure: BuildFailed) => NodeError,
): BuiltTransaction {
  try {
    return buildTransaction(wallet, recipients, options);
  } catch (error) {
    if (!(error instanceof BuildFailed)) throw error;
    // Building may have created keys.
    wallet.commit();
    throw refuse(error);
  }
}

/** @see docs/protocol/wallet.md 3.43 */
export const sendMany: Handler<WalletModules, SendManyRequest, SendManyResponse> = (modules, request, call) => {
  const wallet = walletOf(modules, call);
  // A named argument that is missing reads as null here.
  if (rawJson(request, 'dummy') !== null && request.dummy !== '') throw invalidParameter('Dummy value must be set to ""');
  const amounts = amountEntries(request, 'amounts', request.amounts);
  const notes = notesOf({ comment: request.comment });
  const subtractFrom = textsOf(request, 'subtractfeefrom');
  const { replaceable } = request;
  const confirmTarget = request.confTarget === undefined ? undefined : requireConfirmTarget(request.confTarget);
  const estimateMode = requireEstimateMode(request.estimateMode ?? 'UNSET');
  const recipients = readRecipients(modules, amounts, subtractFrom);
  wallet.keys.requireUnlocked();
  const mixed = shuffled(recipients, (below) => randomInt(below));
  const options = { replaceable, confirmTarget, estimateMode };
  const { tx } = build(wallet, mixed, options, ({ message }) => new NodeError('insufficient-funds', message));
  commitTransaction(wallet, tx, { notes });
  return { txid: formatHash(tx.txid) };
};

function readRecipients(
  { chain }: WalletModules,
  amounts: readonly (readonly [string, JsonValue])[],
  subtractFrom: Iterable<string>,
): Recipient[] {
  const tokens = tokenNames(chain.state);
  const seen = new Set<string>();
  const wanted = amounts.map(([key, value]) => {
    const script = parseOwner(key, chain);
    if (seen.has(toHex(script))) throw new NodeError('deserialization', `${key}: duplicate recipient`);
    seen.add(toHex(script));
    return { script, amounts: readTokenAmounts(value, key, tokens) };
  });
  refuseEvmOwners(
    chain,
    wanted.map(({ script }) => script),
  );
  // Without a recipient, the addresses are not read.
  const payers = new Set(wanted.length > 0 ? Array.from(subtractFrom, (key) => toHex(parseOwner(key, chain))) : []);
  return wanted.flatMap(({ script, amounts: parts }) =>
    [...parts].map(([tokenId, amount]) => ({ script, amount, tokenId, paysFee: tokenId === 0 && payers.has(toHex(script)) })),
  );
}

/** @see docs/protocol/wallet.md 3.47 */
export const setTxFee: Handler<WalletModules, SetTxFeeRequest, SetTxFeeResponse> = (modules, request, call) => {
  const wallet = walletOf(modules, call);
  const { amount } = request;
  const { mempool, settings } = wallet.deps;
  const refuse = (what: string, rate: bigint): NodeError =>
    invalidParameter(`txfee cannot be less than ${what} (${formatAmount(rate)} DFI/kB)`);
  const relay = mempool.policy.minRelayFeeRate;
  if (amount !== 0n && amount < relay) throw refuse('min relay tx fee', relay);
  if (amount !== 0n && amount < settings.minFeeRate) throw refuse('wallet min fee', settings.minFeeRate);
  wallet.setPayFeeRate(amount);
  return { success: true };
};
