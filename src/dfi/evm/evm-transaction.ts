import {
  decodeEvmTransaction,
  decodeLongEvmTransaction,
  type SignatureRules,
  type SignedEvmTransaction,
} from '../../evm/codec/transaction.js';
import { zerosInSteps } from '../../evm/intrinsic-gas.js';
import { DecodeError, varBytes } from '../../primitives/codec.js';
import type { Transaction } from '../../primitives/transaction.js';
import type { StateView } from '../../storage/view.js';
import type { Steps } from '../../util/slicer.js';
import { isFeatureOn } from '../attributes/features.js';
import { type AnyCustomTx, customTx, type TxContext } from '../context/custom-tx.js';
import { ignoreRejection, TxRejected } from '../kernel/rejected.js';
import { blockGasLimit } from './limits.js';
import { checkForPool } from './pool-checks.js';
import { rejectingEntries } from './rejecting-entries.js';
import { EvmState } from './view-state.js';

/** Carries an EVM transaction of any kind. @see docs/protocol/evm.md 4 */
export const evmTx = customTx<Uint8Array>({
  type: '9',
  name: 'Evm',
  since: 'metachain',
  evm: 'transaction',
  codec: varBytes,
  apply(context, raw) {
    if (!context.evmEnabled) throw new TxRejected('Cannot create tx, EVM is not enabled');
    if (context.evmStage === 'block') execute(context, raw);
    else checkUnexecuted(context, raw);
  },
});

function execute({ evmBlock, params }: TxContext, raw: Uint8Array): void {
  rejectingEntries(
    (text) => `evm tx failed to queue ${text}\n`,
    () => evmBlock?.addTransaction(decodeOrReject(raw, params, 'EVM: Transaction error')),
  );
}

/** True if a transaction that passed the checks of the mempool still passes them. @param view state at the tip */
export function isStillValid(view: StateView, signed: SignedEvmTransaction): boolean {
  return isFeatureOn(view, 'evm') && ignoreRejection(() => checkInState(view, signed));
}

function checkInState(view: StateView, signed: SignedEvmTransaction, refusesInitCode = true): void {
  const account = new EvmState(view).account(signed.sender);
  checkForPool(signed, { account, blockGasLimit: blockGasLimit(view), refusesInitCode });
}

/** EVM transactions that were decoded before their checks, by their carriers. A rejection is thrown by the checks, in its place among theirs. */
const decodedAhead = new WeakMap<Transaction, SignedEvmTransaction | TxRejected>();

/**
 * Decodes a carried transaction in slices, so that its checks take little time however long it is.
 * @param rules those of the checks
 * @returns hash of the EVM transaction, 32 bytes in natural order; undefined if it does not decode
 */
export function* decodeAhead(carrier: Transaction, raw: Uint8Array, rules: SignatureRules): Steps<Uint8Array | undefined> {
  try {
    const signed = yield* decodeLongEvmTransaction(raw, rules);
    yield* zerosInSteps(signed.tx.data);
    decodedAhead.set(carrier, signed);
    return signed.hash;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    decodedAhead.set(carrier, new TxRejected(UNDECODABLE));
    return undefined;
  }
}

/** Checks a transaction that is not in a block yet against the state after the last EVM block. */
function checkUnexecuted({ tx, view, evmTip = view, evmStage, params }: TxContext, raw: Uint8Array): void {
  rejectingEntries(
    (text) => `evm tx failed to pre-validate ${text}`,
    () => checkInState(evmTip, decodedOf(tx, raw, params), evmStage !== 'call'),
  );
}

/** @throws {TxRejected} */
function decodedOf(carrier: Transaction, raw: Uint8Array, rules: SignatureRules): SignedEvmTransaction {
  const ahead = decodedAhead.get(carrier);
  if (ahead instanceof TxRejected) throw ahead;
  return ahead ?? decodeOrReject(raw, rules);
}

/** Custom transactions that carry EVM transactions. */
export const evmTypes: readonly AnyCustomTx[] = [evmTx];

/** Words of `defid` for what it cannot decode before it executes anything. */
const UNDECODABLE = 'Error: decoding raw tx to TransactionV2';

/**
 * Decodes a carried transaction.
 * @param rules no sender is impersonated by default
 * @param text of the rejection
 * @throws {TxRejected}
 */
export function decodeOrReject(raw: Uint8Array, rules: SignatureRules = {}, text = UNDECODABLE): SignedEvmTransaction {
  try {
    return decodeEvmTransaction(raw, rules);
  } catch (error) {
    if (error instanceof DecodeError) throw new TxRejected(text);
    throw error;
  }
}
