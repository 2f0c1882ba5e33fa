import type { WalletServiceServer } from '../../../gen/ts/dfi/wallet/v1/wallet.js';
import type { Handlers } from '../../rpc/handler.js';
import { getAddressesByLabel, getNewAddress, getRawChangeAddress, keypoolRefill, listLabels, setLabel } from './addresses.js';
import { getBalance, getBalances, getUnconfirmedBalance } from './balances.js';
import { encryptWallet, walletLock, walletPassphrase, walletPassphraseChange } from './encryption.js';
import type { WalletModules } from './modules.js';
import { createWallet, getWalletInfo, listWalletDir, listWallets, loadWallet, setWalletFlag, unloadWallet } from './wallets.js';

export { admitWalletCall } from './admission.js';
export type { WalletModules } from './modules.js';

/** Operations that are declared and not answered yet. */
type NotBuilt =
  | 'abandonTransaction'
  | 'abortRescan'
  | 'addMultisigAddress'
  | 'addressMap'
  | 'backupWallet'
  | 'bumpFee'
  | 'dumpPrivKey'
  | 'dumpWallet'
  | 'getAddressInfo'
  | 'getReceivedByAddress'
  | 'getReceivedByLabel'
  | 'getTransaction'
  | 'importAddress'
  | 'importMulti'
  | 'importPrivKey'
  | 'importPrunedFunds'
  | 'importPubKey'
  | 'importWallet'
  | 'listAddressGroupings'
  | 'listLockUnspent'
  | 'listReceivedByAddress'
  | 'listReceivedByLabel'
  | 'listSinceBlock'
  | 'listTransactions'
  | 'listUnspent'
  | 'lockUnspent'
  | 'removePrunedFunds'
  | 'rescanBlockchain'
  | 'sendMany'
  | 'sendToAddress'
  | 'setHdSeed'
  | 'setTxFee'
  | 'signMessage'
  | 'signRawTransactionWithWallet'
  | 'walletCreateFundedPsbt'
  | 'walletProcessPsbt';

export const walletHandlers = {
  createWallet,
  encryptWallet,
  getAddressesByLabel,
  getBalance,
  getBalances,
  getNewAddress,
  getRawChangeAddress,
  getUnconfirmedBalance,
  getWalletInfo,
  keypoolRefill,
  listLabels,
  listWalletDir,
  listWallets,
  loadWallet,
  setLabel,
  setWalletFlag,
  unloadWallet,
  walletLock,
  walletPassphrase,
  walletPassphraseChange,
} satisfies Handlers<WalletServiceServer, WalletModules, NotBuilt>;
