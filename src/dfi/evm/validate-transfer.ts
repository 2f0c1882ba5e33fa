import { DecodeError } from '../../primitives/codec.js';
import { equalBytes, toHex } from '../../util/bytes.js';
import { TxRejected } from '../kernel/rejected.js';
import { TRANSFER_DOMAIN } from './addresses.js';
import { decodeTransaction, type SignedTransaction } from './transaction.js';
import { decodeTransferCall, isTransferCall, type TransferCall } from './transfer-call.js';

/** Sender and call that the EVM transaction inside a transfer must have. */
export interface ExpectedTransfer {
  readonly sender: Uint8Array;
  readonly call: TransferCall;
}

/**
 * Decodes and checks the EVM transaction inside a transfer.
 * @throws {TxRejected} if it does not match the transfer
 * @see docs/protocol/evm.md 3.4
 */
export function readTransferTransaction(raw: Uint8Array, { sender, call }: ExpectedTransfer): SignedTransaction {
  const tx = orRejected('Error: decoding raw tx to TransactionV2', () => decodeTransaction(raw));
  if (tx.type !== 0) throw new TxRejected(`[validate_raw_transferdomain_tx] invalid evm tx type ${tx.type}`);
  if (!equalBytes(tx.sender, sender)) {
    const both = `signed_tx.sender : ${hexAddress(tx.sender)}, transferdomain sender : ${hexAddress(sender)}`;
    throw new TxRejected(`[validate_raw_transferdomain_tx] invalid sender, ${both}`);
  }
  checkCallTarget(tx);
  checkCall(tx.data, call);
  return tx;
}

/** Checks a nonce. @param next nonce of the account's next transaction @throws {TxRejected} if the nonce is already used */
export function checkNonce({ nonce }: Pick<SignedTransaction, 'nonce'>, next: bigint): void {
  if (next > nonce) throw new TxRejected(`Invalid nonce. Account nonce ${next}, signed_tx nonce ${nonce}`);
}

/** Checks that the transaction has no value and no gas, and calls the transfer contract. */
function checkCallTarget({ value, gasPrice, gasLimit, to }: SignedTransaction): void {
  if (value !== 0n) throw new TxRejected('value not equal to zero');
  if (gasPrice !== 0n) throw new TxRejected('gas price not equal to zero');
  if (gasLimit !== 0n) throw new TxRejected('gas limit not equal to zero');
  if (!to) throw new TxRejected('tx action not a call to transferdomain contract address');
  if (equalBytes(to, TRANSFER_DOMAIN)) return;
  throw new TxRejected(`invalid call address. Fixed address: ${hexAddress(TRANSFER_DOMAIN)}, signed_tx call address: ${hexAddress(to)}`);
}

function checkCall(data: Uint8Array, expected: TransferCall): void {
  const ofToken = expected.contract !== undefined;
  if (!isTransferCall(data, ofToken)) throw new TxRejected('invalid function signature input in evm tx');
  const call = orRejected('Invalid data', () => decodeTransferCall(data, ofToken));
  if (expected.contract && call.contract && !equalBytes(call.contract, expected.contract)) throw wrongInput('contract address');
  if (!equalBytes(call.from, expected.from)) throw wrongInput('from address');
  if (!equalBytes(call.to, expected.to)) throw wrongInput('to address');
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

function hexAddress(address: Uint8Array): string {
  return `0x${toHex(address)}`;
}
