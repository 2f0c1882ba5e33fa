import type { WalletServiceServer } from '../../../gen/ts/dfi/wallet/v1/wallet.js';
import type { Handlers } from '../../rpc/handler.js';
import { getAddressInfo } from './addresses/address-info.js';
import { addressMap } from './addresses/address-map.js';
import { getAddressesByLabel, getNewAddress, getRawChangeAddress, keypoolRefill, listLabels, setLabel } from './addresses/addresses.js';
import { listAddressGroupings } from './addresses/groupings.js';
import { addMultisigAddress } from './addresses/multisig.js';
import { getBalance, getBalances, getUnconfirmedBalance } from './balances/balances.js';
import { listLockUnspent, listUnspent, lockUnspent } from './balances/outputs.js';
import { getReceivedByAddress, getReceivedByLabel, listReceivedByAddress, listReceivedByLabel } from './balances/received.js';
import { dumpWallet, importWallet } from './keys/dumping.js';
import { importMulti } from './keys/import-multi.js';
import { dumpPrivKey, importAddress, importPrivKey, importPubKey, setHdSeed, signMessage } from './keys/keys.js';
import type { WalletModules } from './modules.js';
import { bumpFee } from './spend/bumping.js';
import { walletCreateFundedPsbt, walletProcessPsbt } from './spend/psbt.js';
import { sendMany, sendToAddress, setTxFee } from './spend/send.js';
import { signRawTransactionWithWallet } from './spend/signing.js';
import { importPrunedFunds, removePrunedFunds } from './transactions/pruned-funds.js';
import { abortRescan, rescanBlockchain } from './transactions/rescan.js';
import { abandonTransaction, getTransaction, listSinceBlock, listTransactions } from './transactions/transactions.js';
import { backupWallet } from './wallets/backup.js';
import { encryptWallet, walletLock, walletPassphrase, walletPassphraseChange } from './wallets/encryption.js';
import { createWallet, getWalletInfo, listWalletDir, listWallets, loadWallet, setWalletFlag, unloadWallet } from './wallets/wallets.js';

export const walletHandlers = {
  abandonTransaction,
  abortRescan,
  addMultisigAddress,
  addressMap,
  backupWallet,
  bumpFee,
  createWallet,
  dumpPrivKey,
  dumpWallet,
  encryptWallet,
  getAddressInfo,
  getAddressesByLabel,
  getBalance,
  getBalances,
  getNewAddress,
  getRawChangeAddress,
  getReceivedByAddress,
  getReceivedByLabel,
  getTransaction,
  getUnconfirmedBalance,
  getWalletInfo,
  importAddress,
  importMulti,
  importPrivKey,
  importPrunedFunds,
  importPubKey,
  importWallet,
  keypoolRefill,
  listAddressGroupings,
  listLabels,
  listLockUnspent,
  listReceivedByAddress,
  listReceivedByLabel,
  listSinceBlock,
  listTransactions,
  listUnspent,
  listWalletDir,
  listWallets,
  loadWallet,
  lockUnspent,
  removePrunedFunds,
  rescanBlockchain,
  sendMany,
  sendToAddress,
  setHdSeed,
  setLabel,
  setTxFee,
  setWalletFlag,
  signMessage,
  signRawTransactionWithWallet,
  unloadWallet,
  walletCreateFundedPsbt,
  walletLock,
  walletPassphrase,
  walletPassphraseChange,
  walletProcessPsbt,
} satisfies Handlers<WalletServiceServer, WalletModules>;
