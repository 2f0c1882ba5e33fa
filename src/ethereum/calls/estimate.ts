import { Failure } from '../../evm/failure.js';
import { NO_CODE_HASH } from '../../evm/state/account.js';
import { equalBytes } from '../../util/bytes.js';
import { customError } from '../errors.js';
import type { EthereumCall } from '../method.js';
import { messageOf } from './call.js';
import { type CallRequest, gasLimitOf, inputOf, namedPrice, type StateOverrides } from './call-request.js';
import type { CallSite } from './execution.js';

const TRANSACTION_GAS = 21_000n;
const PERCENT = 100;
const MAX_GAS = (1n << 64n) - 1n;

/** Facts about an estimate besides the request. */
export interface EstimateOptions {
  readonly blockGasLimit: bigint;
  /** Maximum excess of the estimate over the least gas, percent of the estimate. A negative number is a huge one, as in `defid`. */
  readonly errorRatio: number;
  readonly overrides: StateOverrides;
}

/** Gas with which a call succeeds. @throws {EthereumError} if it never does @see docs/protocol/evm-engine.md 10.5 */
export async function estimateGas(
  request: CallRequest,
  { blockGasLimit, errorRatio, overrides }: EstimateOptions,
  siteOf: () => CallSite,
  call: EthereumCall,
): Promise<bigint> {
  const data = inputOf(request);
  const callGas = gasLimitOf(request, blockGasLimit);
  const site = siteOf();
  const named = namedPrice(request);
  const most = callGas >= TRANSACTION_GAS ? callGas : blockGasLimit;
  const affordable = named === undefined ? undefined : affordableGas(request, named, site);
  const allowance = affordable !== undefined && affordable < most ? affordable : most;
  const price = named ?? site.baseFee;
  const attempt = async (gasLimit: bigint) => site.run(messageOf(request, data, gasLimit), price, call);

  if (data.length === 0 && request.to !== undefined && !hasCode(site, request.to, overrides)) {
    const { isSuccess, usedGas } = await attempt(callGas);
    if (isSuccess) return usedGas;
  }
  const first = await attempt(allowance);
  const { kind } = first.exit;
  if (kind instanceof Failure && kind.kind === 'OutOfGas') throw customError(`gas required exceeds allowance ${allowance}`);
  if (!first.isSuccess) throw customError('transaction execution failed');
  const low = first.usedGas > 0n ? first.usedGas - 1n : 0n;
  return bisect({ low, high: allowance, errorRatio }, async (gasLimit) => (await attempt(gasLimit)).isSuccess);
}

interface GasRange {
  /** Gas taken to be too little. */
  readonly low: bigint;
  /** Gas that is known to suffice. */
  readonly high: bigint;
  readonly errorRatio: number;
}

/** Least gas found to suffice once the range is as narrow as the ratio asks. @throws {EthereumError} if the sum of the ends exceeds 64 bits */
async function bisect({ low, high, errorRatio }: GasRange, suffices: (gasLimit: bigint) => Promise<boolean>): Promise<bigint> {
  const ratio = errorRatio < 0 ? Number.POSITIVE_INFINITY : errorRatio;
  let [tooLittle, enough] = [low, high];
  while (tooLittle + 1n < enough && Math.trunc((Number(enough - tooLittle) / Number(enough)) * PERCENT) >= ratio) {
    const sum = enough + tooLittle;
    if (sum > MAX_GAS) throw customError('value overflow');
    const half = sum / 2n;
    // Most calls need little more than they use.
    const middle = half > 2n * tooLittle ? 2n * tooLittle : half;
    if (await suffices(middle)) enough = middle;
    else tooLittle = middle;
  }
  return enough;
}

/**
 * Gas that the sender can pay for at a price.
 * @returns undefined if there is no sender, or more than 64 bits hold @throws {EthereumError}
 */
function affordableGas({ from, value }: CallRequest, price: bigint, site: CallSite): bigint | undefined {
  if (from === undefined) return undefined;
  const balance = site.state.account(from)?.balance ?? 0n;
  if (value !== undefined && balance < value) throw customError('insufficient funds for transfer');
  const gas = (balance - (value ?? 0n)) / price;
  return gas <= MAX_GAS ? gas : undefined;
}

/** True if code was ever set, even to nothing. An override hides no stored code here, as in `defid`. */
function hasCode(site: CallSite, address: bigint, overrides: StateOverrides): boolean {
  if (overrides.get(address)?.code) return true;
  const stored = site.storedAccount(address);
  return stored !== undefined && !equalBytes(stored.codeHash, NO_CODE_HASH);
}
