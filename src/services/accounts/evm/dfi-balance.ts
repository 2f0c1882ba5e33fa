import { evmAccount } from '../../../dfi/evm/ledger.js';
import { toSatoshis } from '../../../dfi/kernel/evm-numbers.js';
import { hasSkippedEvmTransactions } from '../../../dfi/kernel/unexecuted-columns.js';
import { MAX_MONEY } from '../../../primitives/amount.js';
import type { StateView } from '../../../storage/view.js';
import { NodeError } from '../../../util/errors.js';

/**
 * DFI balance of an EVM address, in satoshis.
 * @throws {NodeError} `misc` if it exceeds MAX_MONEY, or is unknown because EVM transactions were not executed
 * @see docs/protocol/evm.md 9.2
 */
export function evmDfi(view: StateView, address: Uint8Array): bigint {
  if (hasSkippedEvmTransactions(view)) throw new NodeError('misc', 'EVM balances are unknown because EVM transactions are not executed');
  const amount = toSatoshis(evmAccount(view, address).wei);
  if (amount > MAX_MONEY) throw new NodeError('misc', 'value more than money range');
  return amount;
}
