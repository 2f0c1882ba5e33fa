import { evmCarrier } from '../dfi/evm/carrier.js';
import { applyCustomTx } from '../dfi/execution/apply.js';
import { ABSURD_FEE, submit } from '../mempool/submit.js';
import type { Transaction } from '../primitives/transaction.js';
import { errorText, NodeError, shortened } from '../util/errors.js';
import { customError } from './errors.js';
import type { EthereumModules } from './modules.js';

const PREFIX = 'EvmTx: ';
/** Characters of a transaction in an error. Servers cut longer errors; here it takes less time. */
const MAX_GIVEN = 1024 * 1024;

/**
 * Submits an EVM transaction to the mempool in a DVM transaction of its own, and announces that.
 * @param given text of the caller, for the error
 * @throws {EthereumError} with the reason of the rejection @see docs/protocol/evm-engine.md 5.4, 10.5
 */
export function publish(modules: EthereumModules, raw: Uint8Array, given: string): void {
  const { chain, mempool, relay } = modules;
  const tx = evmCarrier(raw, chain.params.txFormat);
  try {
    testExecution(modules, tx);
    // A transaction that waits already is announced again, as in `defid`.
    if (!mempool.pool.get(tx.txid)) submit(modules, tx, ABSURD_FEE);
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    throw customError(`Could not publish raw transaction: ${shortened(given, MAX_GIVEN)} reason: ${errorText(error)}`);
  }
  relay.announce(tx);
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
