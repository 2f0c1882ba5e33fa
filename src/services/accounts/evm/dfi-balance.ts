import { EvmState } from '../../../dfi/evm/view-state.js';
import { toSatoshis } from '../../../dfi/kernel/evm-numbers.js';
import { addressWord } from '../../../evm/words.js';
import { MAX_MONEY } from '../../../primitives/amount.js';
import type { StateView } from '../../../storage/view.js';
import { NodeError } from '../../../util/errors.js';

/**
 * DFI balance of an EVM address, in satoshis.
 * @throws {NodeError} `misc` if it exceeds MAX_MONEY
 * @see docs/protocol/evm.md 9.2
 */
export function evmDfi(view: StateView, address: Uint8Array): bigint {
  const amount = toSatoshis(new EvmState(view).account(addressWord(address))?.balance ?? 0n);
  if (amount > MAX_MONEY) throw new NodeError('misc', 'value more than money range');
  return amount;
}
