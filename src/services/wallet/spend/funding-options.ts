import type { TransactionFields } from '../../../primitives/transaction.js';
import { requestJsonObject } from '../../../rpc/bind.js';
import { requireKind } from '../../../rpc/kinds.js';
import { decodeDestination } from '../../../script/address.js';
import { invalidParameter, NodeError } from '../../../util/errors.js';
import { parseAddressType } from '../../../wallet/keys/address-type.js';
import { BuildFailed, type Built } from '../../../wallet/spend/build-request.js';
import { type FundOptions, fundTransaction } from '../../../wallet/spend/fund.js';
import type { Wallet } from '../../../wallet/wallet.js';
import { requireConfirmTarget, requireEstimateMode } from '../../format/fee-options.js';
import { isNullMember, isNullObject, requireOptions } from '../../format/options-object.js';
import { includesWatched } from '../format/parse.js';

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
  refuseNullMembers(request);
  const options = readOptions(wallet, request);
  if (tx.vout.length === 0) throw invalidParameter('TX must have at least one output');
  const { changePosition = 0 } = options;
  if (changePosition < 0 || changePosition > tx.vout.length) throw invalidParameter('changePosition out of bounds');
  const payers = readPayers(request.subtractfeefromoutputs, tx.vout.length);
  try {
    return fundTransaction(wallet, tx, { ...options, payers });
  } catch (error) {
    if (!(error instanceof BuildFailed)) throw error;
    wallet.commit();
    throw new NodeError('wallet', error.message);
  }
}

/** Refuses members that are null: `defid` reads each member that is present. */
function refuseNullMembers(request: object): void {
  for (const [name, kind] of Object.entries(KINDS)) {
    if (!isNullMember(request, name)) continue;
    if (kind === 'any') throw new NodeError('type', 'Amount is not a number or string');
    throw new NodeError('json-type', `JSON value is not ${NULL_TEXTS[kind]} as expected`);
  }
}

const NULL_TEXTS = { string: 'a string', number: 'an integer', bool: 'a boolean', array: 'an array' } as const;

function readOptions(wallet: Wallet, request: FundingRequest): Omit<FundOptions, 'payers'> {
  const { changeaddress } = request;
  const changeDestination = changeaddress === undefined ? undefined : decodeDestination(changeaddress, wallet.deps.chain.params.address);
  if (changeaddress !== undefined && !changeDestination) {
    throw new NodeError('invalid-address', 'changeAddress must be a valid defi address');
  }
  const position = request.changeposition;
  const typeText = request.changeType;
  if (typeText !== undefined && changeDestination) throw invalidParameter('Cannot specify both changeAddress and address_type options');
  const changeType = typeText === undefined ? undefined : parseAddressType(typeText);
  if (typeText !== undefined && !changeType) throw new NodeError('invalid-address', `Unknown change type '${typeText}'`);
  const spendWatched = includesWatched(wallet, request.includewatching);
  const locksCoins = request.lockunspents ?? false;
  const { feerate: feeRate, replaceable } = request;
  const { confTarget } = request;
  if (confTarget !== undefined && feeRate !== undefined) throw invalidParameter('Cannot specify both conf_target and feeRate');
  const confirmTarget = confTarget === undefined ? undefined : requireConfirmTarget(confTarget);
  const { estimateMode } = request;
  if (estimateMode !== undefined && feeRate !== undefined) throw invalidParameter('Cannot specify both estimate_mode and feeRate');
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

function readPayers(indexes: readonly number[], outputs: number): Set<number> {
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
