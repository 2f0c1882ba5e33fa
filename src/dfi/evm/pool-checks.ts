import { INITIAL_BASE_FEE } from '../../evm/block/fees.js';
import { priceCap, type SignedEvmTransaction } from '../../evm/codec/transaction.js';
import { hasTooMuchInitCode } from '../../evm/execute.js';
import { intrinsicGas } from '../../evm/intrinsic-gas.js';
import type { Account } from '../../evm/state/account.js';
import { MAX_WORD } from '../../evm/words.js';
import { isWeiRange } from '../kernel/evm-numbers.js';
import { TxRejected } from '../kernel/rejected.js';

/** `defid` counts gas in 64 bits. */
const MAX_GAS = (1n << 64n) - 1n;

/** State and limits that a transaction is checked against before it is in a block. */
export interface PoolLimits {
  /** Account of the sender; undefined if it was never used. */
  readonly account: Pick<Account, 'nonce' | 'balance'> | undefined;
  /** Gas limit of a block. */
  readonly blockGasLimit: bigint;
  /** False before a transaction is sent, so that the mempool names the limit of size that it exceeds first. */
  readonly refusesInitCode?: boolean;
}

/**
 * Checks an EVM transaction before it enters the mempool or is sent. A block is not bound by these rules: there, only what the execution
 * needs is checked. Nonces above that of the account pass, because transactions of the same sender may precede it.
 * @throws {TxRejected} in the order of docs/protocol/evm-engine.md 5.3, levels B and C
 */
export function checkForPool(
  { tx }: Pick<SignedEvmTransaction, 'tx'>,
  { account, blockGasLimit, refusesInitCode = true }: PoolLimits,
): void {
  const price = priceCap(tx);
  if (price < INITIAL_BASE_FEE) throw new TxRejected('tx gas price is lower than initial block base fee');
  if (!isWeiRange(price) || !isWeiRange(tx.value)) throw new TxRejected('value more than money range');
  if (refusesInitCode && hasTooMuchInitCode(tx)) throw new TxRejected('initcode size exceeded');
  if (tx.gasLimit > MAX_GAS) throw new TxRejected('integer overflow when casting to u64');
  if (tx.gasLimit < BigInt(intrinsicGas(tx))) throw new TxRejected('gas limit is below the minimum gas per tx');
  const cost = tx.gasLimit * price;
  if (cost > MAX_WORD) throw new TxRejected('calculate max prepay fee failed from overflow');
  if (tx.gasLimit > blockGasLimit) throw new TxRejected('gas limit higher than max_gas_per_block');
  if ((account?.balance ?? 0n) < cost) throw new TxRejected('insufficient balance to pay fees');
  const nonce = account?.nonce ?? 0n;
  if (nonce > tx.nonce) throw new TxRejected(`invalid nonce. Account nonce ${nonce}, signed_tx nonce ${tx.nonce}`);
}
