import type { TransactionFields } from '../../../primitives/transaction.js';
import { rawJson, requestJsonObject } from '../../../rpc/bind.js';
import { requireKind } from '../../../rpc/kinds.js';
import { asArray, asInteger, INT32 } from '../../../rpc/scalars.js';
import { invalidParameter, NodeError } from '../../../util/errors.js';
import { BuildFailed, type Built } from '../../../wallet/spend/build-request.js';
import { type FundOptions, fundTransaction } from '../../../wallet/spend/fund.js';
import type { Wallet } from '../../../wallet/wallet.js';
import { parseDestination } from '../../format/destination.js';
import { requireConfirmTarget, requireEstimateMode } from '../../format/fee-options.js';
import { isNullMember, isNullObject, requireOptions } from '../../format/options-object.js';
import { includesWatched, parseKeyAddressType } from '../format/parse.js';

/** Options that all funding operations share. */
export interface FundingRequest {
  readonly changeaddress?: string | undefined;
  readonly changeposition?: number | undefined;
  readonly changeType?: string | undefined;
  readonly includewatching?: boolean | undefined;
  readonly lockunspents?: boolean | undefined;
  readonly feerate?: bigint | undefined;
  readonly subtractfeefromoutputs: readonly number[];
  readonly replaceable?: boolean | undefined;
  readonly confTarget?: number | undefined;
  readonly estimateMode?: string | undefined;
}

const KINDS = {
  changeAddress: 'string',
  changePosition: 'number',
  change_type: 'string',
  includeWatching: 'bool',
  lockUnspents: 'bool',
  // Amounts may be numbers or strings.
  feeRate: 'any',
  subtractFeeFromOutputs: 'array',
  replaceable: 'bool',
  conf_target: 'number',
  estimate_mode: 'string',
} as const;

const NO_OPTIONS: FundingRequest = { subtractfeefromoutputs: [] };

/** Funds a transaction. @throws {NodeError} in the order of docs/protocol/wallet.md 3.0.3 */
export function fundForRequest(wallet: Wallet, tx: TransactionFields, given: FundingRequest): Built<TransactionFields> {
  const request = isNullObject(given) ? NO_OPTIONS : given;
  const object = requestJsonObject(request);
  if (object !== undefined) requireKind(object, 'object');
  requireOptions(request, KINDS);
  const options = readOptions(wallet, request);
  if (tx.vout.length === 0) throw invalidParameter('TX must have at least one output');
  const { changePosition = 0 } = options;
  if (changePosition < 0 || changePosition > tx.vout.length) throw invalidParameter('changePosition out of bounds');
  const payers = readPayers(positionsOf(request), tx.vout.length);
  try {
    return fundTransaction(wallet, tx, { ...options, payers });
  } catch (error) {
    if (!(error instanceof BuildFailed)) throw error;
    wallet.commit();
    throw new NodeError('wallet', error.message);
  }
}

/**
 * Refuses members that are null: `defid` reads each member that is present. The exception is `includeWatching`, where null means the
 * default.
 */
function refuseNull(request: object, ...names: readonly Exclude<keyof typeof KINDS, 'includeWatching'>[]): void {
  for (const name of names) {
    if (!isNullMember(request, name)) continue;
    const kind = KINDS[name];
    if (kind === 'any') throw new NodeError('type', 'Amount is not a number or string');
    throw new NodeError('json-type', `JSON value is not ${NULL_TEXTS[kind]} as expected`);
  }
}

const NULL_TEXTS = { string: 'a string', number: 'an integer', bool: 'a boolean', array: 'an array' } as const;

/** Reads the options one by one, as `defid` does, so that the error of the first wrong one is thrown. */
function readOptions(wallet: Wallet, request: FundingRequest): Omit<FundOptions, 'payers'> {
  refuseNull(request, 'changeAddress');
  const { changeaddress } = request;
  const changeDestination = changeaddress === undefined ? undefined : parseDestination(changeaddress, wallet.deps.chain);
  if (changeaddress !== undefined && !changeDestination) {
    throw new NodeError('invalid-address', 'changeAddress must be a valid defi address');
  }
  refuseNull(request, 'changePosition');
  const position = request.changeposition;
  const typeText = request.changeType;
  const hasType = typeText !== undefined || isNullMember(request, 'change_type');
  if (hasType && changeDestination) throw invalidParameter('Cannot specify both changeAddress and address_type options');
  refuseNull(request, 'change_type');
  const changeType = typeText === undefined ? undefined : parseKeyAddressType(typeText, wallet.deps.chain);
  if (typeText !== undefined && !changeType) throw new NodeError('invalid-address', `Unknown change type '${typeText}'`);
  const spendWatched = includesWatched(wallet, request.includewatching);
  refuseNull(request, 'lockUnspents');
  const locksCoins = request.lockunspents ?? false;
  refuseNull(request, 'feeRate');
  const { feerate: feeRate } = request;
  refuseNull(request, 'subtractFeeFromOutputs', 'replaceable');
  const { replaceable, confTarget } = request;
  const hasTarget = confTarget !== undefined || isNullMember(request, 'conf_target');
  if (hasTarget && feeRate !== undefined) throw invalidParameter('Cannot specify both conf_target and feeRate');
  refuseNull(request, 'conf_target');
  const confirmTarget = confTarget === undefined ? undefined : requireConfirmTarget(confTarget);
  const { estimateMode } = request;
  const hasMode = estimateMode !== undefined || isNullMember(request, 'estimate_mode');
  if (hasMode && feeRate !== undefined) throw invalidParameter('Cannot specify both estimate_mode and feeRate');
  refuseNull(request, 'estimate_mode');
  return {
    changeDestination,
    changePosition: position === -1 ? undefined : position,
    changeType,
    spendWatched,
    locksCoins,
    feeRate,
    isVerbatim: feeRate !== undefined,
    replaceable,
    confirmTarget,
    estimateMode: requireEstimateMode(estimateMode ?? 'UNSET'),
    avoidReuse: false,
  };
}

/** Positions of the outputs that pay the fee, each checked when it is read. */
function* positionsOf(request: FundingRequest): Generator<number> {
  const json = rawJson(request, 'subtractfeefromoutputs') ?? null;
  if (json === null) yield* request.subtractfeefromoutputs;
  else for (const each of asArray(json)) yield Number(asInteger(each, INT32.least, INT32.most));
}

function readPayers(indexes: Iterable<number>, outputs: number): Set<number> {
  const payers = new Set<number>();
  for (const index of indexes) {
    const fault = payers.has(index)
      ? 'duplicated position'
      : index < 0
        ? 'negative position'
        : index >= outputs
          ? 'position too large'
          : undefined;
    if (fault !== undefined) throw invalidParameter(`Invalid parameter, ${fault}: ${index}`);
    payers.add(index);
  }
  return payers;
}
