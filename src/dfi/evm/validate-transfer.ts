import { DecodeError } from '../../primitives/codec.js';
import { equalBytes, toHex } from '../../util/bytes.js';
import { TxRejected } from '../kernel/rejected.js';
import { TRANSFER_DOMAIN } from './addresses.js';
import { decodeTransaction, type SignedTransaction } from './transaction.js';
import { decodeTransferCall, isTransferCall, type TransferCall } from './transfer-call.js';

/** What the transaction of the EVM inside a transfer has to say. */
export interface ExpectedTransfer {
  readonly sender: Uint8Array;
  readonly call: TransferCall;
}

/**
 * Reads the transaction of the EVM that a transfer carries.
 * @throws {TxRejected} unless it says what the transfer says
 * @see docs/protocol/evm.md 3.4
 */
export function readTransferTransaction(raw: Uint8Array, { sender, call }: ExpectedTransfer): SignedTransaction {
  const tx = orRejected('Error: decoding raw tx to TransactionV2', () => decodeTransaction(raw));
  if (tx.type !== 0) throw new TxRejected(`[validate_raw_transferdomain_tx] invalid evm tx type ${tx.type}`);
  if (!equalBytes(tx.sender, sender)) {
    const both = `signed_tx.sender : ${shown(tx.sender)}, transferdomain sender : ${shown(sender)}`;
    throw new TxRejected(`[validate_raw_transferdomain_tx] invalid sender, ${both}`);
  }
  checkFree(tx);
  checkCall(tx.data, call);
  return tx;
}

/** @throws {TxRejected} if the account has used the nonce */
export function checkNonce({ nonce }: Pick<SignedTransaction, 'nonce'>, next: bigint): void {
  if (next > nonce) throw new TxRejected(`Invalid nonce. Account nonce ${next}, signed_tx nonce ${nonce}`);
}

/** It pays nothing, and calls the one contract that transfers go through. */
function checkFree({ value, gasPrice, gasLimit, to }: SignedTransaction): void {
  if (value !== 0n) throw new TxRejected('value not equal to zero');
  if (gasPrice !== 0n) throw new TxRejected('gas price not equal to zero');
  if (gasLimit !== 0n) throw new TxRejected('gas limit not equal to zero');
  if (!to) throw new TxRejected('tx action not a call to transferdomain contract address');
  if (equalBytes(to, TRANSFER_DOMAIN)) return;
  throw new TxRejected(`invalid call address. Fixed address: ${shown(TRANSFER_DOMAIN)}, signed_tx call address: ${shown(to)}`);
}

function checkCall(data: Uint8Array, expected: TransferCall): void {
  const ofToken = expected.contract !== undefined;
  if (!isTransferCall(data, ofToken)) throw new TxRejected('invalid function signature input in evm tx');
  const call = orRejected('Invalid data', () => decodeTransferCall(data, ofToken));
  if (expected.contract && call.contract && !equalBytes(call.contract, expected.contract)) throw wrong('contract address');
  if (!equalBytes(call.from, expected.from)) throw wrong('from address');
  if (!equalBytes(call.to, expected.to)) throw wrong('to address');
  if (call.wei !== expected.wei) throw wrong('value');
  if (call.native !== expected.native) throw wrong('native address');
}

function wrong(input: string): TxRejected {
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

function shown(address: Uint8Array): string {
  return `0x${toHex(address)}`;
}
