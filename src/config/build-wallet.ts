import { ADDRESS_TYPES, type AddressType } from '../script/multisig.js';
import type { KeyAddressType } from '../wallet/keys/address-type.js';
import { walletFees } from './build-wallet-fees.js';
import type { WalletConfig } from './config.js';
import { ConfigError } from './errors.js';
import { truth } from './option.js';
import type { Settings } from './settings.js';

/** Options of the wallets. @see docs/protocol/wallet.md 1.13, docs/protocol/rpc-chain.md 2.5 */
export function walletConfig(settings: Settings): WalletConfig {
  const given = settings.list('wallet');
  // `-nowallet` loads no wallet; by default the wallet with the empty name is loaded.
  const names = settings.isNegated('wallet') ? [] : given.length > 0 ? given : [''];
  const enabled = !settings.bool('disablewallet');
  if (enabled) checkMaintenance(settings, names);
  return {
    enabled,
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
    ...walletFees(settings),
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

/** @throws {ConfigError} for options of one wallet with several, and for a scan of blocks that may be pruned */
function checkMaintenance(settings: Settings, names: readonly string[]): void {
  const forgotten = forgets(settings);
  for (const key of ['salvagewallet', 'zapwallettxes', 'upgradewallet'] as const) {
    const isAsked = () => (key === 'zapwallettxes' ? forgotten !== undefined : settings.bool(key));
    if (names.length > 1 && isAsked()) throw new ConfigError(`-${key} is only allowed with a single wallet file`);
  }
  const rescans = settings.isSet('rescan') ? settings.bool('rescan') : forgotten !== undefined;
  if (rescans && settings.int('prune') !== 0) {
    throw new ConfigError(
      'Rescans are not possible in pruned mode. You will need to use -reindex which will download the whole blockchain again.',
    );
  }
}

/** -zapwallettxes: as in `defid` a text that is no number means 0; 2 removes the metadata of transactions too, any other number keeps it. */
export function forgets(settings: Settings): WalletConfig['forgets'] {
  const mode = settings.text('zapwallettxes');
  if (!truth(mode)) return undefined;
  return mode === '2' ? 'everything' : 'transactions';
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
