import { isActive, type NetworkParams } from '../params/network.js';
import { formatAmount, isMoneyRange } from '../primitives/amount.js';
import { encodeText } from '../primitives/codec.js';
import { formatHash } from '../primitives/hash.js';
import { isNullOutPoint, type OutPoint, outPoint } from '../primitives/outpoint.js';
import {
  isCoinbase,
  LOCKTIME_THRESHOLD,
  SEQUENCE_FINAL,
  type Transaction,
  TX_VERSION_TOKENS,
  type TxOut,
  WITNESS_SCALE_FACTOR,
} from '../primitives/transaction.js';
import { customTxPayload } from '../script/custom-tx.js';
import { type Marker, markerPayload } from '../script/marker.js';
import { TxInvalid } from './errors.js';
import { MAX_BLOCK_WEIGHT } from './limits.js';

/**
 * Checks a transaction without the outputs that it spends.
 * @param options.metachain rules of the Metachain upgrade: transactions of EVM form may have null inputs
 * @throws {TxInvalid} in the order of docs/protocol/chain.md 4.3
 */
export function checkTransaction(tx: Transaction, { metachain }: { readonly metachain: boolean }): void {
  checkSize(tx);
  let total = 0n;
  for (const { value } of tx.vout) {
    if (value < 0n) throw new TxInvalid('bad-txns-vout-negative');
    if (!isMoneyRange(value)) throw new TxInvalid('bad-txns-vout-toolarge');
    total += value;
    if (!isMoneyRange(total)) throw new TxInvalid('bad-txns-txouttotal-toolarge');
  }
  const isEvm = metachain && isEvmTransaction(tx);
  if (!isEvm && tx.vin.length > 1 && new Set(tx.vin.map(({ prevout }) => encodeText(outPoint, prevout))).size !== tx.vin.length) {
    throw new TxInvalid('bad-txns-inputs-duplicate');
  }
  if (isCoinbase(tx)) {
    const length = tx.vin[0]?.scriptSig.length ?? 0;
    if (!isMintedByProtocol(tx) && (length < 2 || length > 100)) throw new TxInvalid('bad-cb-length');
  } else if (isEvm) {
    if (tx.vin.some(({ scriptSig }) => scriptSig.length !== 1)) throw new TxInvalid('bad-evm-length');
  } else if (tx.vin.some((input) => isNullOutPoint(input.prevout))) throw new TxInvalid('bad-txns-prevout-null');
}

/** The first checks of {@link checkTransaction}, which do not depend on the number of inputs and outputs. @throws {TxInvalid} */
export function checkSize({ vin, vout, strippedSize }: Pick<Transaction, 'vin' | 'vout' | 'strippedSize'>): void {
  if (vin.length === 0) throw new TxInvalid('bad-txns-vin-empty');
  if (vout.length === 0) throw new TxInvalid('bad-txns-vout-empty');
  if (strippedSize * WITNESS_SCALE_FACTOR > MAX_BLOCK_WEIGHT) throw new TxInvalid('bad-txns-oversize');
}

/** Type byte of transactions that carry an EVM transaction. */
const EVM_TYPE = '9';

/**
 * True for a transaction that only carries an EVM transaction: two null inputs, one output with the payload.
 * @see docs/protocol/accounts.md 1.6
 */
export function isEvmTransaction(tx: Pick<Transaction, 'vin' | 'vout'>): boolean {
  const [output, another] = tx.vout;
  if (tx.vin.length !== 2 || !output || another || output.value !== 0n) return false;
  return tx.vin.every(({ prevout }) => isNullOutPoint(prevout)) && customTxPayload(tx)?.type === EVM_TYPE;
}

/** True if its inputs spend outputs of other transactions. */
export function spendsOutputs(tx: Transaction): boolean {
  return !isCoinbase(tx) && !isEvmTransaction(tx);
}

/** True for anchor rewards and token splits: coinbase-like transactions that may follow the coinbase. */
function isMintedByProtocol(tx: Transaction): boolean {
  return isAnchorReward(tx) || isTokenSplit(tx);
}

function carriesMarker(tx: Transaction, marker: Marker, outputs: number, allowExtra: boolean): boolean {
  const [first] = tx.vout;
  if (!first || !isCoinbase(tx) || tx.vout.length !== outputs || first.value !== 0n) return false;
  const found = markerPayload(first.scriptPubKey, marker);
  return found !== undefined && (allowExtra || !found.extra);
}

/** True if it pays an anchor reward; `DfAf` before Dakota, `DfAP` from then on. */
function isAnchorReward(tx: Transaction, allowExtra = true): boolean {
  return carriesMarker(tx, 'DfAf', 2, allowExtra) || carriesMarker(tx, 'DfAP', 2, allowExtra);
}

/** True if it creates the token or pool of a token split. */
function isTokenSplit(tx: Transaction): boolean {
  return carriesMarker(tx, 'DfTS', 1, false);
}

/** True for a coinbase-like transaction that is allowed after the coinbase in a block at `height`. */
export function isAllowedCoinbaseLike(tx: Transaction, height: number, params: NetworkParams): boolean {
  if (isAnchorReward(tx, !isActive(params, 'fortCanning', height))) return true;
  return isActive(params, 'fortCanningCrunch', height) && isTokenSplit(tx);
}

const VERSION_BEFORE_TOKENS = 2;

/** Version of transactions that this node creates for a block at `height`: with token ids from AMK on. */
export function transactionVersion(params: NetworkParams, height: number): number {
  return isActive(params, 'amk', height) ? TX_VERSION_TOKENS : VERSION_BEFORE_TOKENS;
}

/** True if the lock time is below this height or time, or disabled by all inputs. */
export function isFinal(tx: Transaction, height: number, time: number): boolean {
  if (tx.lockTime === 0) return true;
  if (tx.lockTime < (tx.lockTime < LOCKTIME_THRESHOLD ? height : time)) return true;
  return tx.vin.every((input) => input.sequence === SEQUENCE_FINAL);
}

/** Blocks after which an output of a coinbase transaction may be spent. */
export const COINBASE_MATURITY = 100;

/** An output that a transaction spends. */
export interface SpentOutput {
  readonly out: TxOut;
  readonly height: number;
  readonly coinbase: boolean;
}

/** Context of {@link checkInputs} besides the spent outputs. */
export interface InputContext {
  readonly height: number;
  /** Outputs from this index on are paid from an account, not from inputs. */
  readonly firstMintedOutput: number;
  /**
   * Returns false if output 1 of a transaction is a collateral output that is still locked at this height. An error if the spending
   * transaction is a malformed masternode update.
   */
  readonly canSpendCollateral: ((txid: OutPoint['txid']) => boolean) | TxInvalid;
}

/**
 * Checks the amounts of a transaction against the spent outputs, for each token.
 * @param spent the spent outputs in the order of the inputs; undefined for one that is missing or already spent
 * @returns the fee in satoshis of DFI
 * @throws {TxInvalid} in the order of docs/protocol/chain.md 4.7
 */
export function checkInputs(tx: Transaction, spent: readonly (SpentOutput | undefined)[], at: InputContext): bigint {
  if (spent.includes(undefined)) throw new TxInvalid('bad-txns-inputs-missingorspent');
  const { canSpendCollateral } = at;
  if (canSpendCollateral instanceof TxInvalid) throw canSpendCollateral;
  const valueIn = new TokenSums();
  for (let i = 0; i < spent.length; i++) {
    const coin = spent[i] as SpentOutput;
    const { prevout } = tx.vin[i] as Transaction['vin'][number];
    const depth = at.height - coin.height;
    if (coin.coinbase && depth < COINBASE_MATURITY) {
      throw new TxInvalid('bad-txns-premature-spend-of-coinbase', `tried to spend coinbase at depth ${depth}`);
    }
    const sum = valueIn.add(coin.out);
    if (!isMoneyRange(coin.out.value) || !isMoneyRange(sum)) throw new TxInvalid('bad-txns-inputvalues-outofrange');
    if (prevout.vout === 1 && !canSpendCollateral(prevout.txid)) {
      throw new TxInvalid('bad-txns-collateral-locked', `tried to spend locked collateral for ${formatHash(prevout.txid)}`);
    }
  }
  return feeOf(tx, valueIn, at.firstMintedOutput);
}

/** Sums of values by token. Most transactions move nothing but DFI, so there is no map without another token. */
class TokenSums {
  dfi = 0n;
  /** Sums of the other tokens, in the order in which they were first added. */
  others: Map<number, bigint> | undefined;

  /** @returns the new sum of the output's token */
  add({ tokenId, value }: TxOut): bigint {
    if (tokenId === 0) {
      this.dfi += value;
      return this.dfi;
    }
    this.others ??= new Map();
    const sum = (this.others.get(tokenId) ?? 0n) + value;
    this.others.set(tokenId, sum);
    return sum;
  }
}

function feeOf(tx: Transaction, valueIn: TokenSums, firstMintedOutput: number): bigint {
  const valueOut = new TokenSums();
  const end = Math.min(tx.vout.length, firstMintedOutput);
  for (let i = 0; i < end; i++) valueOut.add(tx.vout[i] as TxOut);
  const [dfiIn, dfiOut] = [valueIn.dfi, valueOut.dfi];
  if (dfiIn < dfiOut) throw new TxInvalid('bad-txns-in-belowout', `value in (${formatMoney(dfiIn)}) < value out (${formatMoney(dfiOut)})`);
  const fee = dfiIn - dfiOut;
  if (!isMoneyRange(fee)) throw new TxInvalid('bad-txns-fee-outofrange');
  if (tx.version < 4 && (valueIn.others || valueOut.others)) throw new TxInvalid('bad-txns-tokens-in-old-version-tx');
  for (const [token, out] of valueOut.others ?? []) {
    const paid = valueIn.others?.get(token) ?? 0n;
    if (paid >= out) continue;
    throw new TxInvalid(
      'bad-txns-minttokens-in-belowout',
      `token (${token}) value in (${formatMoney(paid)}) < value out (${formatMoney(out)})`,
    );
  }
  return fee;
}

/** Amount in reject texts: up to eight decimals, at least two, without further trailing zeros. */
export function formatMoney(value: bigint): string {
  const text = formatAmount(value);
  const point = text.indexOf('.');
  return text.slice(0, point + 3) + text.slice(point + 3).replace(/0+$/, '');
}
