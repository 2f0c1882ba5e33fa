import { COIN, formatAmount } from '../primitives/amount.js';
import type { WalletConfig } from './config.js';
import { ConfigError } from './errors.js';
import { parseMoney } from './money.js';
import type { KeyOf } from './options.js';
import type { Settings } from './settings.js';

/** Fees of wallet transactions. Satoshis, per 1,000 virtual bytes but for `maxFee`. */
export type WalletFees = Pick<WalletConfig, 'minFeeRate' | 'fallbackFeeRate' | 'discardFeeRate' | 'payFeeRate' | 'maxFee'>;

type FeeOption = Extract<KeyOf<'amount'>, 'mintxfee' | 'fallbackfee' | 'discardfee' | 'paytxfee' | 'maxtxfee' | 'minrelaytxfee'>;

/** Rate above which the operator is warned, satoshis per 1,000 virtual bytes. */
const HIGH_RATE = COIN / 100n;
const HIGH_FEE = COIN;

/** Effects of high values, in the order of `defid`'s warnings. */
const HIGH_TEXTS: readonly (readonly [FeeOption, string])[] = [
  ['mintxfee', ' This is the minimum transaction fee you pay on every transaction.'],
  ['fallbackfee', ' This is the transaction fee you may pay when fee estimates are not available.'],
  ['discardfee', ' This is the transaction fee you may discard if change is smaller than dust at this level'],
  ['paytxfee', ' This is the transaction fee you will pay if you send a transaction.'],
  ['maxtxfee', ' Fees this large could be paid on a single transaction.'],
  ['minrelaytxfee', ' The wallet will avoid paying less than the minimum relay fee.'],
];

/** Reads the options of fees, in the order in which `defid` checks them. @throws {ConfigError} for a text that is no amount */
export function walletFees(settings: Settings): WalletFees {
  return {
    minFeeRate: amount(settings, 'mintxfee'),
    fallbackFeeRate: amount(settings, 'fallbackfee'),
    discardFeeRate: amount(settings, 'discardfee'),
    payFeeRate: amount(settings, 'paytxfee'),
    maxFee: amount(settings, 'maxtxfee'),
  };
}

/**
 * Checks the fees of a node with wallets. Options that were not given are not checked: the default of `-paytxfee` is 0, which may not be
 * given.
 * @param minRelay minimum fee rate of the mempool
 * @returns warnings about high fees
 * @throws {ConfigError} for fees with which no transaction would be relayed
 */
export function checkWalletFees(settings: Settings, fees: WalletFees, minRelay: bigint): readonly string[] {
  const refuse = (key: FeeOption, reason = ''): ConfigError =>
    new ConfigError(`Invalid amount for -${key}=<amount>: '${settings.amountText(key)}'${reason}`);
  const least = `${formatAmount(minRelay)} DFI/kB`;
  if (settings.isSet('mintxfee') && fees.minFeeRate === 0n) throw refuse('mintxfee');
  if (settings.isSet('paytxfee') && fees.payFeeRate < minRelay) throw refuse('paytxfee', ` (must be at least ${least})`);
  if (settings.isSet('maxtxfee') && fees.maxFee < minRelay) {
    throw refuse('maxtxfee', ` (must be at least the minrelay fee of ${least} to prevent stuck transactions)`);
  }
  return highFees(fees, minRelay);
}

function highFees(fees: WalletFees, minRelay: bigint): readonly string[] {
  const high: Readonly<Record<FeeOption, boolean>> = {
    mintxfee: fees.minFeeRate > HIGH_RATE,
    fallbackfee: fees.fallbackFeeRate > HIGH_RATE,
    discardfee: fees.discardFeeRate > HIGH_RATE,
    paytxfee: fees.payFeeRate > HIGH_RATE,
    maxtxfee: fees.maxFee > HIGH_FEE,
    minrelaytxfee: minRelay > HIGH_RATE,
  };
  return HIGH_TEXTS.filter(([key]) => high[key]).map(([key, effect]) => `-${key} is set very high!${effect}`);
}

/** @returns satoshis */
function amount(settings: Settings, key: FeeOption): bigint {
  const text = settings.amountText(key);
  const value = parseMoney(text);
  if (value === undefined) throw new ConfigError(`Invalid amount for -${key}=<amount>: '${text}'`);
  return value;
}
