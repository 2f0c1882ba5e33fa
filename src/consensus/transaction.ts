import { isActive, type NetworkParams } from '../params/network.js';
import { formatAmount, isMoneyRange } from '../primitives/amount.js';
import { encodeText } from '../primitives/codec.js';
import { formatHash } from '../primitives/hash.js';
import { isNullOutPoint, type OutPoint, outPoint } from '../primitives/outpoint.js';
import { isCoinbase, type Transaction, type TxOut, WITNESS_SCALE_FACTOR } from '../primitives/transaction.js';
import { type Marker, markerPayload } from '../script/marker.js';
import { TxInvalid } from './errors.js';
import { MAX_BLOCK_WEIGHT } from './limits.js';

/**
 * Everything about a transaction that can be known without the outputs it spends.
 * @throws {TxInvalid} in the order of docs/protocol/chain.md 4.3
 */
export function checkTransaction(tx: Transaction): void {
  if (tx.vin.length === 0) throw new TxInvalid('bad-txns-vin-empty');
  if (tx.vout.length === 0) throw new TxInvalid('bad-txns-vout-empty');
  if (tx.strippedSize * WITNESS_SCALE_FACTOR > MAX_BLOCK_WEIGHT) throw new TxInvalid('bad-txns-oversize');
  let total = 0n;
  for (const { value } of tx.vout) {
    if (value < 0n) throw new TxInvalid('bad-txns-vout-negative');
    if (!isMoneyRange(value)) throw new TxInvalid('bad-txns-vout-toolarge');
    total += value;
    if (!isMoneyRange(total)) throw new TxInvalid('bad-txns-txouttotal-toolarge');
  }
  const isEvm = isEvmTransaction(tx);
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

/** Letter of the type that carries a transaction of the EVM. */
const EVM_TYPE = '9';

/**
 * Brings a transaction of the EVM and nothing else: two inputs that spend nothing, one output that holds it.
 * @see docs/protocol/accounts.md 1.6
 */
export function isEvmTransaction({ vin, vout }: Pick<Transaction, 'vin' | 'vout'>): boolean {
  const [output, another] = vout;
  if (vin.length !== 2 || !output || another || output.value !== 0n) return false;
  if (!vin.every(({ prevout }) => isNullOutPoint(prevout))) return false;
  return markerPayload(output.scriptPubKey, 'DfTx')?.payload[0] === EVM_TYPE.charCodeAt(0);
}

/** Its inputs are outputs of other transactions. */
export function spendsOutputs(tx: Transaction): boolean {
  return !isCoinbase(tx) && !isEvmTransaction(tx);
}

/** Anchor rewards and token splits: coinbase-like transactions that may stand behind the first. */
function isMintedByProtocol(tx: Transaction): boolean {
  return isAnchorReward(tx) || isTokenSplit(tx);
}

function carriesMarker(tx: Transaction, marker: Marker, outputs: number, allowExtra: boolean): boolean {
  const [first] = tx.vout;
  if (!first || !isCoinbase(tx) || tx.vout.length !== outputs || first.value !== 0n) return false;
  const found = markerPayload(first.scriptPubKey, marker);
  return found !== undefined && (allowExtra || !found.extra);
}

/** Pays an anchoring team member; `DfAf` before Dakota, `DfAP` after. */
export function isAnchorReward(tx: Transaction, allowExtra = true): boolean {
  return carriesMarker(tx, 'DfAf', 2, allowExtra) || carriesMarker(tx, 'DfAP', 2, allowExtra);
}

/** Creates the token or pool that a split needs. */
export function isTokenSplit(tx: Transaction): boolean {
  return carriesMarker(tx, 'DfTS', 1, false);
}

/** May stand in a block at `height` behind the coinbase although it spends nothing. */
export function isAllowedBesideCoinbase(tx: Transaction, height: number, params: NetworkParams): boolean {
  if (isAnchorReward(tx, !isActive(params, 'fortCanning', height))) return true;
  return isActive(params, 'fortCanningCrunch', height) && isTokenSplit(tx);
}

export const LOCKTIME_THRESHOLD = 500_000_000;
const SEQUENCE_FINAL = 0xffffffff;

/** True if the lock time is over at this height and time, or no input asks for it. */
export function isFinal(tx: Transaction, height: number, time: number): boolean {
  if (tx.lockTime === 0) return true;
  if (tx.lockTime < (tx.lockTime < LOCKTIME_THRESHOLD ? height : time)) return true;
  return tx.vin.every((input) => input.sequence === SEQUENCE_FINAL);
}

export const COINBASE_MATURITY = 100;

/** An output that a transaction spends. */
export interface SpentOutput {
  readonly out: TxOut;
  readonly height: number;
  readonly coinbase: boolean;
}

/** What {@link checkInputs} asks beyond the spent outputs. */
export interface InputContext {
  readonly height: number;
  /** Outputs from this index on are created out of an account and need no inputs. */
  readonly firstMintedOutput: number;
  /**
   * True if output 1 of this transaction is no collateral that is still locked at this height. Undefined: it cannot be told,
   * because the transaction is an update of a masternode that makes no sense.
   */
  readonly canSpendCollateral: ((txid: OutPoint['txid']) => boolean) | undefined;
}

/**
 * Amounts of a transaction against the outputs it spends, token by token.
 * @param spent the spent outputs in the order of the inputs; undefined where one is missing or spent already
 * @returns the fee in satoshis of DFI
 * @throws {TxInvalid} in the order of docs/protocol/chain.md 4.7
 */
export function checkInputs(tx: Transaction, spent: readonly (SpentOutput | undefined)[], at: InputContext): bigint {
  if (spent.some((coin) => coin === undefined)) throw new TxInvalid('bad-txns-inputs-missingorspent');
  const { canSpendCollateral } = at;
  if (!canSpendCollateral) throw new TxInvalid('bad-updatemasternode-message');
  const coins = spent as readonly SpentOutput[];
  const valueIn = new Map<number, bigint>([[0, 0n]]);
  coins.forEach((coin, i) => {
    const { prevout } = tx.vin[i] as Transaction['vin'][number];
    const depth = at.height - coin.height;
    if (coin.coinbase && depth < COINBASE_MATURITY) {
      throw new TxInvalid('bad-txns-premature-spend-of-coinbase', `tried to spend coinbase at depth ${depth}`);
    }
    const sum = (valueIn.get(coin.out.tokenId) ?? 0n) + coin.out.value;
    if (!isMoneyRange(coin.out.value) || !isMoneyRange(sum)) throw new TxInvalid('bad-txns-inputvalues-outofrange');
    valueIn.set(coin.out.tokenId, sum);
    if (prevout.vout === 1 && !canSpendCollateral(prevout.txid)) {
      throw new TxInvalid('bad-txns-collateral-locked', `tried to spend locked collateral for ${formatHash(prevout.txid)}`);
    }
  });
  return feeOf(tx, valueIn, at.firstMintedOutput);
}

function feeOf(tx: Transaction, valueIn: ReadonlyMap<number, bigint>, firstMintedOutput: number): bigint {
  const valueOut = new Map<number, bigint>([[0, 0n]]);
  for (const out of tx.vout.slice(0, firstMintedOutput)) valueOut.set(out.tokenId, (valueOut.get(out.tokenId) ?? 0n) + out.value);
  const dfiIn = valueIn.get(0) ?? 0n;
  const dfiOut = valueOut.get(0) ?? 0n;
  if (dfiIn < dfiOut) throw new TxInvalid('bad-txns-in-belowout', `value in (${formatMoney(dfiIn)}) < value out (${formatMoney(dfiOut)})`);
  const fee = dfiIn - dfiOut;
  if (!isMoneyRange(fee)) throw new TxInvalid('bad-txns-fee-outofrange');
  if (tx.version < 4 && (valueIn.size > 1 || valueOut.size > 1)) throw new TxInvalid('bad-txns-tokens-in-old-version-tx');
  for (const [token, out] of valueOut) {
    const paid = valueIn.get(token) ?? 0n;
    if (paid >= out) continue;
    throw new TxInvalid(
      'bad-txns-minttokens-in-belowout',
      `token (${token}) value in (${formatMoney(paid)}) < value out (${formatMoney(out)})`,
    );
  }
  return fee;
}

/** Eight decimals, but zeros beyond the second are left out: how reject texts show amounts. */
export function formatMoney(value: bigint): string {
  const text = formatAmount(value);
  const point = text.indexOf('.');
  return text.slice(0, point + 3) + text.slice(point + 3).replace(/0+$/, '');
}
