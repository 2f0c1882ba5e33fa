import { ADDRESS_TYPES, type AddressType } from '../script/multisig.js';
import type { KeyAddressType } from '../wallet/keys/address-type.js';
import type { WalletConfig } from './config.js';
import { ConfigError } from './errors.js';
import { parseMoney } from './money.js';
import type { KeyOf } from './options.js';
import type { Settings } from './settings.js';

/** Options of the wallets. @see docs/protocol/wallet.md 1.13, docs/protocol/rpc-chain.md 2.5 */
export function walletConfig(settings: Settings): WalletConfig {
  const given = settings.list('wallet');
  // `-nowallet` loads no wallet; by default the wallet with the empty name is loaded.
  const names = settings.isNegated('wallet') ? [] : given.length > 0 ? given : [''];
  for (const key of ['zapwallettxes', 'salvagewallet', 'upgradewallet'] as const) {
    if (names.length > 1 && isOn(settings, key)) throw new ConfigError(`-${key} is only allowed with a single wallet file`);
  }
  return {
    enabled: !settings.bool('disablewallet'),
    names,
    forgets: forgets(settings),
    directory: settings.text('walletdir'),
    allowsOutside: settings.bool('walletoutside'),
    rescan: settings.bool('rescan'),
    notifyCommand: settings.isSet('walletnotify') ? settings.text('walletnotify') : undefined,
    backupMinutes: settings.int('backupwallet'),
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
    coinSearch: {
      fast: settings.bool('walletfastselect'),
      skipSolvable: settings.bool('walletcoinoptskipsolvable'),
      eager: settings.bool('walletcoinopteagerselect'),
    },
    broadcast: settings.isSet('walletbroadcast') ? settings.bool('walletbroadcast') : !settings.bool('blocksonly'),
  };
}

function isOn(settings: Settings, key: 'zapwallettxes' | 'salvagewallet' | 'upgradewallet'): boolean {
  return key === 'zapwallettxes' ? forgets(settings) !== undefined : settings.bool(key);
}

/** -zapwallettxes: 1 removes transactions but keeps their metadata; any other value except 0 removes both. */
export function forgets(settings: Settings): WalletConfig['forgets'] {
  const mode = settings.text('zapwallettxes');
  if (mode === '0') return undefined;
  return mode === '' || mode === '1' ? 'transactions' : 'everything';
}

function addressType(text: string): AddressType | undefined {
  return ADDRESS_TYPES.find((type) => type === text);
}

/** Names of the type of EVM addresses. */
const EVM_TYPES: readonly string[] = ['erc55', 'eth'];

function requireAddressType(text: string): KeyAddressType {
  const type = EVM_TYPES.includes(text) ? 'erc55' : addressType(text);
  if (!type) throw new ConfigError(`Unknown address type '${text}'`);
  return type;
}

function requireChangeType(text: string): AddressType {
  const type = addressType(text);
  if (!type) throw new ConfigError(`Unknown change type '${text}'`);
  return type;
}

/** @returns satoshis */
function amount(settings: Settings, key: KeyOf<'amount'>): bigint {
  const text = settings.amountText(key);
  const value = parseMoney(text);
  if (value === undefined) throw new ConfigError(`Invalid amount for -${key}=<amount>: '${text}'`);
  return value;
}
