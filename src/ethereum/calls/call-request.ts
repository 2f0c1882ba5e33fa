import { Code } from '../../evm/code.js';
import type { AccessListItem } from '../../evm/execute.js';
import type { AccountOverride } from '../../evm/state/overridden.js';
import { WordMap } from '../../evm/word-map.js';
import { readWord } from '../../evm/words.js';
import { EMPTY_BYTES, equalBytes } from '../../util/bytes.js';
import type { JsonValue } from '../../util/json.js';
import { eachInSteps, type Steps, type UnitCount } from '../../util/slicer.js';
import { customError } from '../errors.js';
import { type Members, readList, readMap, readMembers, readWhole, type SteppedReader } from '../members.js';
import { parseAddress, parseBytes, parseHash, parseQuantity } from '../values.js';

const CALL = {
  from: parseAddress,
  to: parseAddress,
  gasPrice: parseQuantity,
  maxFeePerGas: parseQuantity,
  maxPriorityFeePerGas: parseQuantity,
  gas: parseQuantity,
  value: parseQuantity,
  data: parseBytes,
  input: parseBytes,
  nonce: parseQuantity,
  accessList: { steps: readAccessList },
  type: parseQuantity,
} as const;

const NAMES = Object.keys(CALL) as readonly (keyof typeof CALL)[];

/** Foundry names the chain in each call, which `defid` refuses. */
const WITH_CHAIN = { ...CALL, chainId: parseQuantity } as const;

/** A call as clients describe it. @see docs/protocol/evm-engine.md 10.4 */
export type CallRequest = Members<typeof WITH_CHAIN>;

/** Accounts that replace those of the block for a call. */
export type StateOverrides = WordMap<AccountOverride>;

/** No account is replaced. */
export const NO_OVERRIDES: StateOverrides = new WordMap();

const OVERRIDE = {
  name: 'CallStateOverride',
  readers: { balance: parseQuantity, nonce: parseQuantity, code: parseBytes, state: { steps: readSlots }, stateDiff: { steps: readSlots } },
} as const;
const ACCESS_LIST_ITEM = { name: 'AccessListItem', readers: { address: parseAddress, storageKeys: { steps: readKeys } } } as const;
const MAX_U64 = (1n << 64n) - 1n;

/** Reads a call object. */
export const callRequestReader = {
  steps: (value: JsonValue, units: UnitCount, isStrict: boolean): Steps<CallRequest> =>
    readMembers(value, { name: 'CallRequest', ...membersOf(isStrict) }, units),
} as const;

/** Reads the object of a transaction to sign. */
export const transactionRequestReader = {
  steps: (value: JsonValue, units: UnitCount, isStrict: boolean): Steps<CallRequest> =>
    readMembers(value, { name: 'TransactionRequest', ...membersOf(isStrict), omissible: PRICES }, units),
} as const;

function membersOf(isStrict: boolean) {
  return { readers: (isStrict ? CALL : WITH_CHAIN) as typeof WITH_CHAIN, named: NAMES };
}

const PRICES = ['gasPrice', 'maxFeePerGas', 'maxPriorityFeePerGas', 'accessList'] as const;

/** Reads accounts that replace stored ones. */
export const overridesReader: SteppedReader<StateOverrides> = {
  *steps(value, units) {
    return yield* mapOf([yield* readMap(value, parseAddress, { steps: readOverride }, units)], units);
  },
};

/** `state` and `stateDiff` are merged; for a slot in both, `stateDiff` counts. */
function* readOverride(value: JsonValue, units: UnitCount): Steps<AccountOverride> {
  const { balance = 0n, nonce = 0n, code, state = [], stateDiff = [] } = yield* readMembers(value, OVERRIDE, units);
  return { balance, nonce, code: code && new Code(code), storage: yield* mapOf([state, stateDiff], units) };
}

/** Map of all entries. If several have the same word, the last one counts. */
function* mapOf<V>(lists: readonly (readonly (readonly [bigint, V])[])[], units: UnitCount): Steps<WordMap<V>> {
  const map = new WordMap<V>();
  for (const list of lists) yield* eachInSteps(list, ([word, value]) => map.set(word, value), units);
  return map;
}

function readSlots(value: JsonValue, units: UnitCount): Steps<readonly (readonly [bigint, bigint])[]> {
  return readMap(value, parseWord, parseWord, units);
}

function readAccessList(value: JsonValue, units: UnitCount): Steps<readonly AccessListItem[]> {
  return readList(value, { steps: readAccess }, units);
}

function* readAccess(value: JsonValue, units: UnitCount): Steps<AccessListItem> {
  const { address, storageKeys } = yield* readWhole(value, ACCESS_LIST_ITEM, units);
  return { address, keys: storageKeys };
}

function readKeys(value: JsonValue, units: UnitCount): Steps<readonly bigint[]> {
  return readList(value, parseWord, units);
}

function parseWord(value: JsonValue): bigint {
  return readWord(parseHash(value), 0);
}

/**
 * Input of a call. It may be given under both names together with the chain id, as Foundry does; `defid` accepts no request with a chain
 * id.
 * @throws {EthereumError} if it is given twice otherwise
 */
export function inputOf({ data, input, chainId }: CallRequest): Uint8Array {
  const isTwice = data !== undefined && input !== undefined;
  if (isTwice && (chainId === undefined || !equalBytes(data, input))) throw customError('data and input fields are mutually exclusive');
  return data ?? input ?? EMPTY_BYTES;
}

/** Gas limit of a call. @throws {EthereumError} beyond 64 bits */
export function gasLimitOf({ gas }: CallRequest, blockGasLimit: bigint): bigint {
  if (gas !== undefined && gas > MAX_U64) throw customError('integer overflow when casting to u64');
  return gas ?? blockGasLimit;
}

/**
 * Price of a unit of gas that a call names.
 * @returns undefined for none, and for zero
 * @throws {EthereumError} if the fields contradict each other
 */
export function namedPrice(request: CallRequest): bigint | undefined {
  const price = typeOf(request) === 2n ? request.maxFeePerGas : request.gasPrice;
  return price === 0n ? undefined : price;
}

function typeOf({ type, gasPrice, maxFeePerGas, maxPriorityFeePerGas, accessList }: CallRequest): bigint {
  if (type !== undefined) {
    if (type > 2n) throw customError('invalid transaction type specified');
    return type;
  }
  const hasMaximum = maxFeePerGas !== undefined;
  const hasPriority = maxPriorityFeePerGas !== undefined;
  if ((gasPrice !== undefined && (hasMaximum || hasPriority)) || (hasMaximum && !hasPriority))
    throw customError('both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified');
  if (hasMaximum) return 2n;
  return accessList ? 1n : 0n;
}
