import { longEvmCarrier } from '../dfi/evm/carrier.js';
import { decodeAhead } from '../dfi/evm/decoded-ahead.js';
import { applyCustomTx } from '../dfi/execution/apply.js';
import { ABSURD_FEE, submit } from '../mempool/submit.js';
import type { Transaction } from '../primitives/transaction.js';
import { EMPTY_BYTES, toHex } from '../util/bytes.js';
import { errorText, NodeError, shortened } from '../util/errors.js';
import { inSlices, type MaybePromise, type Steps, withValue } from '../util/slicer.js';
import type { CallRequest } from './calls/call-request.js';
import { customError } from './errors.js';
import type { EthereumCall } from './method.js';
import type { EthereumModules } from './modules.js';
import { signRequest } from './sign.js';
import { formatBytes } from './values.js';

const PREFIX = 'EvmTx: ';
/** Characters of a transaction in an error. Servers cut longer errors; here it takes less time. */
const MAX_GIVEN = 1024 * 1024;

/** An EVM transaction in its DVM transaction. */
interface Carried {
  readonly carrier: Transaction;
  /** Hash of the EVM transaction; undefined if it does not decode, so that the test of its execution fails. */
  readonly hash: Uint8Array | undefined;
}

/**
 * Submits an EVM transaction to the mempool in a DVM transaction of its own, and announces that.
 * @param given text of the caller, for the error
 * @returns its hash
 * @throws {EthereumError} with the reason of the rejection @see docs/protocol/evm-engine.md 5.4, 10.5
 */
export function publish(modules: EthereumModules, raw: Uint8Array, given: string, call: EthereumCall): MaybePromise<string> {
  return withValue(inSlices(carry(modules, raw), call), (carried) => submitTested(modules, carried, given));
}

/**
 * Signs a request and publishes the transaction. It is signed again if its nonce was taken while a long transaction was carried in slices.
 * @returns its hash
 * @throws {EthereumError} as {@link signRequest} and {@link publish}
 */
export function publishRequest(modules: EthereumModules, request: CallRequest, call: EthereumCall): MaybePromise<string> {
  return withValue(signRequest(modules, request, call), ({ raw, isCurrent }) =>
    withValue(inSlices(carry(modules, raw), call), (carried) =>
      isCurrent() ? submitTested(modules, carried, toHex(raw)) : publishRequest(modules, request, call),
    ),
  );
}

function* carry({ chain: { params } }: EthereumModules, raw: Uint8Array): Steps<Carried> {
  const carrier = yield* longEvmCarrier(raw, params.txFormat);
  return { carrier, hash: yield* decodeAhead(carrier, raw, params) };
}

/** @returns hash of the EVM transaction */
function submitTested(modules: EthereumModules, { carrier: tx, hash = EMPTY_BYTES }: Carried, given: string): string {
  const { mempool, relay } = modules;
  try {
    testExecution(modules, tx);
    // A transaction that waits already is announced again, as in `defid`.
    if (!mempool.pool.get(tx.txid)) submit(modules, tx, ABSURD_FEE);
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    throw customError(`Could not publish raw transaction: ${shortened(given, MAX_GIVEN)} reason: ${errorText(error)}`);
  }
  relay.announce(tx);
  return formatBytes(hash);
}

/** Applies the transaction to the state at the tip, as operations do before they submit one. @throws {NodeError} */
function testExecution({ chain }: EthereumModules, tx: Transaction): void {
  const { params, tip, state } = chain;
  const blockTime = (height: number) => chain.entryAt(height)?.time;
  const block = { height: tip.height + 1, time: tip.time, params, coin: () => undefined, blockTime, evmStage: 'call' } as const;
  const outcome = applyCustomTx({ tx, txIndex: 0, spent: [] }, block, state);
  if (outcome.status !== 'failed') return;
  const { message } = outcome;
  const text = message.startsWith(PREFIX) ? message.slice(PREFIX.length) : message;
  throw new NodeError('invalid-request', `Test EvmTx execution failed:\n${text}`);
}
