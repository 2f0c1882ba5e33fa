import type { EvmTransaction, LegacyTransaction, SignedEvmTransaction } from '../../evm/codec/transaction.js';
import { TRANSFER_DOMAIN } from '../../evm/contracts/addresses.js';
import { addressHex } from '../../evm/words.js';
import { DecodeError } from '../../primitives/codec.js';
import { TxRejected } from '../kernel/rejected.js';
import { decodeOrReject } from './evm-transaction.js';
import { decodeTransferCall, isTransferCall, type TransferCall } from './transfer-call.js';

/** Sender and call that the EVM transaction inside a transfer must have. */
export interface ExpectedTransfer {
  readonly sender: bigint;
  readonly call: TransferCall;
}

/**
 * Decodes and checks the EVM transaction inside a transfer.
 * @throws {TxRejected} if it does not match the transfer
 * @see docs/protocol/evm.md 3.4
 */
export function readTransferTransaction(raw: Uint8Array, { sender, call }: ExpectedTransfer): SignedEvmTransaction {
  const signed = decodeOrReject(raw);
  const { tx } = signed;
  if (tx.type !== 0) throw new TxRejected(`[validate_raw_transferdomain_tx] invalid evm tx type ${tx.type}`);
  if (signed.sender !== sender) {
    const both = `signed_tx.sender : ${addressHex(signed.sender)}, transferdomain sender : ${addressHex(sender)}`;
    throw new TxRejected(`[validate_raw_transferdomain_tx] invalid sender, ${both}`);
  }
  checkCallTarget(tx);
  checkCall(tx.data, call);
  return signed;
}

/** Checks a nonce. @param next nonce of the account's next transaction @throws {TxRejected} if the nonce is already used */
export function checkNonce({ nonce }: Pick<EvmTransaction, 'nonce'>, next: bigint): void {
  if (next > nonce) throw new TxRejected(`Invalid nonce. Account nonce ${next}, signed_tx nonce ${nonce}`);
}

/** Checks that the transaction has no value and no gas, and calls the transfer contract. */
function checkCallTarget({ value, gasPrice, gasLimit, to }: LegacyTransaction): void {
  if (value !== 0n) throw new TxRejected('value not equal to zero');
  if (gasPrice !== 0n) throw new TxRejected('gas price not equal to zero');
  if (gasLimit !== 0n) throw new TxRejected('gas limit not equal to zero');
  if (to === undefined) throw new TxRejected('tx action not a call to transferdomain contract address');
  if (to === TRANSFER_DOMAIN) return;
  throw new TxRejected(`invalid call address. Fixed address: ${addressHex(TRANSFER_DOMAIN)}, signed_tx call address: ${addressHex(to)}`);
}

function checkCall(data: Uint8Array, expected: TransferCall): void {
  const ofToken = expected.contract !== undefined;
  if (!isTransferCall(data, ofToken)) throw new TxRejected('invalid function signature input in evm tx');
  const call = orRejected('EVM: ethabi error', () => decodeTransferCall(data, ofToken));
  if (call.contract !== expected.contract) throw wrongInput('contract address');
  if (call.from !== expected.from) throw wrongInput('from address');
  if (call.to !== expected.to) throw wrongInput('to address');
  if (call.wei !== expected.wei) throw wrongInput('value');
  if (call.native !== expected.native) throw wrongInput('native address');
}

function wrongInput(input: string): TxRejected {
  return new TxRejected(`invalid ${input} input in evm tx`);
}

function orRejected<T>(text: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof DecodeError) throw new TxRejected(text);
    throw error;
  }
}
