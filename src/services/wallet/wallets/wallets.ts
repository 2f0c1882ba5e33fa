import type {
  CreateWalletRequest,
  CreateWalletResponse,
  GetWalletInfoRequest,
  GetWalletInfoResponse,
  ListWalletDirRequest,
  ListWalletDirResponse,
  ListWalletsRequest,
  ListWalletsResponse,
  LoadWalletRequest,
  LoadWalletResponse,
  SetWalletFlagRequest,
  SetWalletFlagResponse,
  UnloadWalletRequest,
  UnloadWalletResponse,
} from '../../../../gen/ts/dfi/wallet/v1/wallet.js';
import type { Handler } from '../../../rpc/handler.js';
import { reverseBytes, toHex } from '../../../util/bytes.js';
import { invalidParameter, NodeError } from '../../../util/errors.js';
import { balancesOf } from '../../../wallet/coins/balances.js';
import { FLAG_NAMES, MUTABLE_FLAGS, WalletFlag } from '../../../wallet/keys/flags.js';
import type { Rescan } from '../../../wallet/rescan.js';
import { effectivePassphrase } from '../../../wallet/store/seal.js';
import { formatBalance } from '../balances/balances.js';
import { type WalletModules, walletOf } from '../modules.js';

/** Version that `defid` reports for wallets it creates. */
const WALLET_VERSION = 169_900;

/** @see docs/protocol/wallet.md 3.7 */
export const createWallet: Handler<WalletModules, CreateWalletRequest, CreateWalletResponse> = async ({ wallets }, request) => {
  const disablePrivateKeys = request.disablePrivateKeys ?? false;
  const blank = request.blank ?? false;
  const passphrase = request.passphrase === undefined ? undefined : effectivePassphrase(request.passphrase);
  const avoidReuse = request.avoidReuse ?? false;
  const name = request.walletName;
  const warning = passphrase === '' ? 'Empty string given as passphrase, wallet will not be encrypted.' : '';
  await wallets.create(name, { disablePrivateKeys, blank, avoidReuse, passphrase: passphrase || undefined });
  return { name, warning };
};

/** @see docs/protocol/wallet.md 3.39 */
export const loadWallet: Handler<WalletModules, LoadWalletRequest, LoadWalletResponse> = async ({ wallets }, request) => {
  const { name, warning } = await wallets.load(request.filename);
  return { name, warning };
};

/** @see docs/protocol/wallet.md 3.51 */
export const unloadWallet: Handler<WalletModules, UnloadWalletRequest, UnloadWalletResponse> = async ({ wallets }, request, call) => {
  const { walletName } = request;
  if (call.wallet !== undefined && walletName !== undefined) {
    throw invalidParameter('Cannot unload the requested wallet');
  }
  const name = call.wallet ?? walletName;
  if (name === undefined) throw new NodeError('json-type', 'JSON value is not a string as expected');
  await wallets.unload(name);
  return {};
};

/** @see docs/protocol/wallet.md 3.38 */
export const listWallets: Handler<WalletModules, ListWalletsRequest, ListWalletsResponse> = ({ wallets }) => ({
  names: [...wallets.loaded()].map(({ name }) => name),
});

/** @see docs/protocol/wallet.md 3.37 */
export const listWalletDir: Handler<WalletModules, ListWalletDirRequest, ListWalletDirResponse> = ({ wallets }) => ({
  wallets: wallets.listDirectory().map((name) => ({ name })),
});

/** @see docs/protocol/wallet.md 3.21 */
export const getWalletInfo: Handler<WalletModules, GetWalletInfoRequest, GetWalletInfoResponse> = (modules, request, call) => {
  const wallet = walletOf(modules, call);
  const withTokens = request.withTokens ?? false;
  const { mine } = balancesOf(wallet);
  const { keys, keyPool } = wallet;
  return {
    walletname: wallet.name,
    walletversion: WALLET_VERSION,
    balance: formatBalance(mine.trusted, withTokens),
    unconfirmedBalance: formatBalance(mine.pending, withTokens),
    immatureBalance: mine.immature,
    txcount: BigInt(wallet.txs.size),
    keypoololdest: BigInt(keyPool.oldest(modules.clock.seconds())),
    keypoolsize: keyPool.size(false),
    keypoolsizeHdInternal: keyPool.size(true),
    unlockedUntil: keys.isEncrypted ? BigInt(wallet.encryption.unlockedUntil) : undefined,
    paytxfee: wallet.payFeeRate,
    hdseedid: keys.hdChain && toHex(reverseBytes(keys.hdChain.seedId)),
    privateKeysEnabled: !wallet.privateKeysDisabled,
    avoidReuse: wallet.avoidsReuse,
    scanning: formatScan(wallet.rescan),
  };
};

function formatScan({ state }: Rescan): GetWalletInfoResponse['scanning'] {
  if (!state) return { form: { $case: 'running', value: false } };
  return { form: { $case: 'progress', value: { duration: BigInt(state.durationSec), progress: state.progress } } };
}

const REUSE_WARNING =
  'You need to rescan the blockchain in order to correctly mark used destinations in the past. Until this is done, some destinations ' +
  'may be considered unused, even if the opposite is the case.';

/** @see docs/protocol/wallet.md 3.48 */
export const setWalletFlag: Handler<WalletModules, SetWalletFlagRequest, SetWalletFlagResponse> = (modules, request, call) => {
  const wallet = walletOf(modules, call);
  const { flag: name } = request;
  const value = request.value ?? true;
  const flag = FLAG_NAMES.get(name);
  if (flag === undefined) throw invalidParameter(`Unknown wallet flag: ${name}`);
  if ((flag & MUTABLE_FLAGS) === 0n) throw invalidParameter(`Wallet flag is immutable: ${name}`);
  if (wallet.hasFlag(flag) === value) throw invalidParameter(`Wallet flag is already set to ${value}: ${name}`);
  wallet.setFlag(flag, value);
  const warnings = flag === WalletFlag.avoidReuse && value ? REUSE_WARNING : undefined;
  return { flagName: name, flagState: value, warnings };
};
