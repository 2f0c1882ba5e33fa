import { compactSizeLength, type TransactionFields, type TxOut } from '../primitives/transaction.js';
import { Op } from '../script/opcodes.js';
import { NodeError } from '../util/errors.js';
import { type Random, shuffled } from '../util/random.js';
import { DUST, INPUT_SIZE, inputOf, OUTPUT_SIZE, sizeOf } from './form.js';
import { type BitcoinCoin, MAX_TX_SIZE } from './wallet.js';

/** Fee rate of the wallet, satoshis of bitcoin per 1,000 bytes. Lower rates are raised to it. */
export const FEE_RATE = 10_000n;
/** Lowest rate of a caller, satoshis of bitcoin per 1,000 bytes. */
export const MIN_FEE_RATE = 1_000n;

/** Estimated bytes of an input of an HTLC without its signature. */
const HTLC_INPUT_SIZE = 42;

/** A payment to make. */
export interface BitcoinPayment {
  /** Script of the recipient. */
  readonly script: Uint8Array;
  /** Satoshis of bitcoin. */
  readonly amount: bigint;
  /** Script that gets the change. */
  readonly changeScript: Uint8Array;
  /** Satoshis of bitcoin per 1,000 bytes. */
  readonly feeRate: bigint;
}

/** Coins to select from, in order, and their sum. */
export interface BitcoinFunds {
  readonly coins: readonly BitcoinCoin[];
  readonly balance: bigint;
}

/** A transaction to sign, with the outputs that it spends. */
export interface PlannedPayment {
  readonly fields: TransactionFields;
  readonly coins: readonly BitcoinCoin[];
}

/**
 * Plans a payment: coins are added in order until they pay for amount and fee, and leave no change or more than dust. A rest of dust is
 * left to the fee.
 * @param random decides the order of the outputs
 * @throws {NodeError} `insufficient-funds`
 */
export function planPayment({ coins, balance }: BitcoinFunds, payment: BitcoinPayment, random: Random): PlannedPayment {
  const { script, amount, changeScript } = payment;
  const feeRate = atLeast(payment.feeRate);
  const recipient: TxOut = { value: amount, scriptPubKey: script, tokenId: 0 };
  const used: BitcoinCoin[] = [];
  let witnesses = 0;
  let sum = 0n;
  let fee = 0n;
  for (const coin of coins) {
    used.push(coin);
    if (coin.output.scriptPubKey[0] === Op.ZERO) witnesses += 1;
    const size = estimatedSize({ inputs: used.length, witnesses }, recipient) + OUTPUT_SIZE;
    if (size > MAX_TX_SIZE) throw new NodeError('insufficient-funds', 'Transaction too large');
    sum += coin.output.value;
    fee = feeFor(feeRate, size);
    // Rounds what remains in the wallet to 100 satoshis.
    if (balance > amount + fee) fee += (balance - (amount + fee)) % 100n;
    if (sum === amount + fee || sum >= amount + fee + DUST) break;
  }
  if (sum < amount) throw new NodeError('insufficient-funds', 'Insufficient funds');
  const change = sum - (amount + fee);
  if (change < 0n) throw new NodeError('insufficient-funds', 'Insufficient funds to cover fee');
  const vout = change > DUST ? shuffled([recipient, { value: change, scriptPubKey: changeScript, tokenId: 0 }], random) : [recipient];
  return { coins: used, fields: { version: 1, vin: used.map(({ prevout }) => inputOf(prevout)), vout, lockTime: 0 } };
}

/** The rate of the wallet, or a higher one. As in `defid`, a negative rate is a huge one. */
function atLeast(feeRate: bigint): bigint {
  const rate = BigInt.asUintN(64, feeRate);
  return rate > FEE_RATE ? rate : FEE_RATE;
}

/** Virtual bytes of a signed transaction with one output. `defid` counts inputs of witness programs by their signature alone. */
function estimatedSize({ inputs, witnesses }: { readonly inputs: number; readonly witnesses: number }, recipient: TxOut): number {
  const stripped = 8 + compactSizeLength(inputs) + 1 + (inputs - witnesses) * INPUT_SIZE + sizeOf(recipient);
  const witness = witnesses > 0 ? witnesses * INPUT_SIZE + 2 + inputs : 0;
  return Math.floor((4 * stripped + witness + 3) / 4);
}

/** Fee rounded up to 100 satoshis, at least a satoshi for each byte. */
function feeFor(feeRate: bigint, size: number): bigint {
  const fee = ((unsigned(BigInt(size) * feeRate) / 1_000n + 99n) / 100n) * 100n;
  return fee > BigInt(size) ? fee : BigInt(size);
}

/** Products of huge rates overflow, as in `defid`. */
function unsigned(value: bigint): bigint {
  return BigInt.asUintN(64, value);
}

/**
 * Fee of a spend of HTLCs, in satoshis of bitcoin.
 * @param scriptSigSizes estimated bytes of each `scriptSig`. `defid` counts their sum for each input.
 */
export function htlcFee(scriptSigSizes: readonly number[], destination: TxOut, feeRate: bigint): bigint {
  const inputs = scriptSigSizes.length;
  const sum = scriptSigSizes.reduce((total, size) => total + size, 0);
  const size = 8 + compactSizeLength(inputs) + 1 + inputs * (sum + HTLC_INPUT_SIZE) + sizeOf(destination);
  return unsigned(BigInt(size) * atLeast(feeRate)) / 1_000n;
}
