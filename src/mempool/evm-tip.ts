import { TxInvalid } from '../consensus/errors.js';
import { isEvmTransaction } from '../consensus/transaction.js';
import { storedAttributes, valueAs } from '../dfi/attributes/attributes.js';
import { attributeAt } from '../dfi/attributes/path.js';
import { type CarriedTransaction, carriedKind, carriedTransaction } from '../dfi/evm/carried.js';
import { isWeiRange, toSatoshis } from '../dfi/kernel/evm-numbers.js';
import { TxRejected } from '../dfi/kernel/rejected.js';
import { INITIAL_BASE_FEE } from '../evm/block/fees.js';
import type { EvmTransaction, SignatureRules } from '../evm/codec/transaction.js';
import { DecodeError } from '../primitives/codec.js';
import type { Transaction } from '../primitives/transaction.js';
import type { StateView } from '../storage/view.js';

/** EVM transaction of a pooled entry, with what decides on replacements. Tips are satoshis. */
export interface PooledEvm extends CarriedTransaction {
  /** Priority fee if all of its gas is used, at the least base fee. */
  readonly tip: bigint;
  /** Least tip of a transaction that replaces it. */
  readonly replacementTip: bigint;
}

/** Tip of a transfer between DVM and EVM: it replaces any EVM transaction, and none replaces it. */
const MAX_TIP = (1n << 64n) - 1n;
const MAX_NONCE = (1n << 64n) - 1n;
const LEAST_INCREASE = attributeAt('v0/evm/block/rbf_increment_fee_pct');
const DEFAULT_LEAST_INCREASE = 10_000_000n;
/** Stored percentages have 8 decimals, and 1 is 100 percent. */
const PER_PERCENT = 1_000_000n;
/** Least increase of the fee of a replacement, wei per gas. */
const LEAST_INCREASE_PER_GAS = 1_000_000_000n;

/**
 * EVM transaction of a transaction that is about to enter the pool; undefined if it carries none.
 * @param rules of the network
 * @throws {TxInvalid} if it does not decode, or a number is beyond its range
 * @see docs/protocol/evm-engine.md 8.1
 */
export function pooledEvm(tx: Transaction, state: StateView, rules: SignatureRules): PooledEvm | undefined {
  const kind = carriedKind(tx);
  if (!kind) return undefined;
  // `defid` cannot pool an EVM transaction whose inputs spend outputs.
  if (kind === 'transaction' && !isEvmTransaction(tx)) throw unreadable();
  const carried = decode(tx, rules);
  return carried && withTips(carried, leastIncrease(state));
}

/** Least increase of the tip of a replacement, percent. */
function leastIncrease(state: StateView): bigint {
  return (valueAs(storedAttributes(state), LEAST_INCREASE, 'amount') ?? DEFAULT_LEAST_INCREASE) / PER_PERCENT;
}

function decode(tx: Transaction, rules: SignatureRules): CarriedTransaction | undefined {
  try {
    return carriedTransaction(tx, rules);
  } catch (error) {
    if (error instanceof DecodeError) throw unusable();
    if (error instanceof TxRejected) throw unreadable();
    throw error;
  }
}

/**
 * Adds the tips to a carried transaction.
 * @param percent least increase of a replacement's tip
 */
function withTips(carried: CarriedTransaction, percent: bigint): PooledEvm {
  const { kind, signed } = carried;
  if (signed.tx.nonce > MAX_NONCE) throw unusable();
  if (kind === 'transfer') return { ...carried, tip: MAX_TIP, replacementTip: MAX_TIP };
  const tip = tipOf(signed.tx);
  const increase = (tip * percent) / 100n;
  const least = signed.tx.gasLimit * LEAST_INCREASE_PER_GAS;
  const replacementTip = tip + (increase > least ? increase : least);
  if (!isWeiRange(replacementTip)) throw unusable();
  return { ...carried, tip: toSatoshis(tip), replacementTip: toSatoshis(replacementTip) };
}

/** Wei. */
function tipOf(tx: EvmTransaction): bigint {
  if (tx.type === 2) return tx.gasLimit * tx.maxPriorityFee;
  return tx.gasPrice > INITIAL_BASE_FEE ? tx.gasLimit * (tx.gasPrice - INITIAL_BASE_FEE) : 0n;
}

/** Rejection of a transaction whose sender, nonce or tip `defid` cannot compute. */
function unusable(): TxInvalid {
  return new TxInvalid('evm-sender-info');
}

/** Rejection of a message that carries no EVM transaction where it should. */
function unreadable(): TxInvalid {
  return new TxInvalid('failed-to-parse-evm-tx-metadata');
}
