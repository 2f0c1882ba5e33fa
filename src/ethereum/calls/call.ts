import { isUtf8 } from 'node:buffer';
import type { Executed, Message } from '../../evm/execute.js';
import { Failure } from '../../evm/failure.js';
import { readWord } from '../../evm/words.js';
import { EMPTY_BYTES } from '../../util/bytes.js';
import { type MaybePromise, withValue } from '../../util/slicer.js';
import { customError, EthereumCode, EthereumError } from '../errors.js';
import type { EthereumCall } from '../method.js';
import { formatBytes } from '../values.js';
import type { CallRequest } from './call-request.js';
import { gasLimitOf, inputOf, namedPrice } from './call-request.js';
import type { CallSite } from './execution.js';

/** A call at its block, with everything that the request left open. */
export interface PreparedCall {
  readonly site: CallSite;
  readonly message: Message;
  /** Wei per unit of gas. Only contracts see it: nothing is paid. */
  readonly gasPrice: bigint;
}

/** Order of checks as in `defid`: input, gas, block, price. @param siteOf finds the block @throws {EthereumError} */
export function prepareCall(request: CallRequest, blockGasLimit: bigint, siteOf: () => CallSite): PreparedCall {
  const data = inputOf(request);
  const gasLimit = gasLimitOf(request, blockGasLimit);
  const site = siteOf();
  const gasPrice = namedPrice(request) ?? site.baseFee;
  return { site, message: messageOf(request, data, gasLimit), gasPrice };
}

/** The message that a request describes. */
export function messageOf({ from = 0n, to, value = 0n, accessList = [] }: CallRequest, data: Uint8Array, gasLimit: bigint): Message {
  return { from, to, value, data, gasLimit, accessList };
}

/** Executes a call without effect. @returns output of the contract, or code of a created one @throws {EthereumError} @see docs/protocol/evm-engine.md 10.5 */
export function answerCall({ site, message, gasPrice }: PreparedCall, call: EthereumCall): MaybePromise<Uint8Array> {
  return withValue(site.run(message, gasPrice, call), (executed) => {
    const { kind } = executed.exit;
    if (kind instanceof Failure) throw customError(`exit error ${kind.kind}`);
    const data = message.to === undefined ? createdCode(site, executed) : executed.exit.output;
    if (kind === 'Reverted') throw new EthereumError(EthereumCode.reverted, revertText(data), formatBytes(data));
    return data;
  });
}

function createdCode(site: CallSite, { changes, created }: Executed): Uint8Array {
  const account = changes.accounts.find(({ address }) => address === created);
  return (account?.code ?? site.state.code(created as bigint)).bytes ?? EMPTY_BYTES;
}

const TEXT_LENGTH_START = 36;
const TEXT_START = 68;

/** Reason of a revert, if the output looks like the ABI encoding of a text; the selector is not checked. */
function revertText(output: Uint8Array): string {
  if (output.length <= TEXT_START) return '';
  const length = readWord(output, TEXT_LENGTH_START);
  if (length > BigInt(output.length - TEXT_START)) return '';
  const text = output.subarray(TEXT_START, TEXT_START + Number(length));
  return isUtf8(text) ? `execution reverted: ${Buffer.from(text).toString()}` : '';
}
