import { ADDRESS_TYPES, type AddressType } from '../script/multisig.js';
import type { WalletConfig } from './config.js';
import { ConfigError } from './errors.js';
import { parseMoney } from './money.js';
import type { KeyOf } from './options.js';
import type { Settings } from './settings.js';

/** Options of the wallets. spec: wallet 1.13, rpc-chain 2.5 */
export function walletConfig(settings: Settings): WalletConfig {
  const given = settings.list('wallet');
  return {
    enabled: !settings.bool('disablewallet'),
    // `-nowallet` starts with none; by default there is the one without name.
    names: settings.isNegated('wallet') ? [] : given.length > 0 ? given : [''],
    directory: settings.text('walletdir'),
    rescan: settings.bool('rescan'),
    keypoolSize: settings.int('keypool'),
    addressType: requireAddressType(settings.text('addresstype')),
    changeType: settings.isSet('changetype') ? requireChangeType(settings.text('changetype')) : undefined,
    payFeeRate: amount(settings, 'paytxfee'),
    minFeeRate: amount(settings, 'mintxfee'),
    fallbackFeeRate: amount(settings, 'fallbackfee'),
    discardFeeRate: amount(settings, 'discardfee'),
    maxFee: amount(settings, 'maxtxfee'),
    confirmTarget: settings.int('txconfirmtarget'),
    spendUnconfirmedChange: settings.bool('spendzeroconfchange'),
    replaceable: settings.bool('walletrbf'),
    rejectLongChains: settings.bool('walletrejectlongchains'),
    avoidPartialSpends: settings.bool('avoidpartialspends'),
    broadcast: settings.isSet('walletbroadcast') ? settings.bool('walletbroadcast') : !settings.bool('blocksonly'),
  };
}

function addressType(text: string): AddressType | undefined {
  return ADDRESS_TYPES.find((type) => type === text);
}

function requireAddressType(text: string): AddressType {
  const type = addressType(text);
  if (!type) throw new ConfigError(`Unknown address type '${text}'`);
  return type;
}

function requireChangeType(text: string): AddressType {
  const type = addressType(text);
  if (!type) throw new ConfigError(`Unknown change type '${text}'`);
  return type;
}

/** Satoshis. */
function amount(settings: Settings, key: KeyOf<'amount'>): bigint {
  const text = settings.amountText(key);
  const value = parseMoney(text);
  if (value === undefined) throw new ConfigError(`Invalid amount for -${key}=<amount>: '${text}'`);
  return value;
}
