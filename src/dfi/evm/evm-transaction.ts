import { decodeEvmTransaction, type SignatureRules, type SignedEvmTransaction } from '../../evm/codec/transaction.js';
import { DecodeError, varBytes } from '../../primitives/codec.js';
import type { StateView } from '../../storage/view.js';
import { isFeatureOn } from '../attributes/features.js';
import { type AnyCustomTx, customTx, type TxContext } from '../context/custom-tx.js';
import { ignoreRejection, TxRejected } from '../kernel/rejected.js';
import { decodeCarried } from './decoded-ahead.js';
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

/** Checks a transaction that is not in a block yet against the state after the last EVM block. */
function checkUnexecuted({ tx, view, evmTip = view, evmStage, params }: TxContext, raw: Uint8Array): void {
  rejectingEntries(
    (text) => `evm tx failed to pre-validate ${text}`,
    () =>
      checkInState(
        evmTip,
        orReject(() => decodeCarried(tx, raw, params)),
        evmStage !== 'call',
      ),
  );
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
  return orReject(() => decodeEvmTransaction(raw, rules), text);
}

function orReject(decode: () => SignedEvmTransaction, text = UNDECODABLE): SignedEvmTransaction {
  try {
    return decode();
  } catch (error) {
    if (error instanceof DecodeError) throw new TxRejected(text);
    throw error;
  }
}
