import type { WalletServiceServer } from '../../../gen/ts/dfi/wallet/v1/wallet.js';
import type { Handlers } from '../../rpc/handler.js';
import { getAddressInfo } from './address-info.js';
import { addressMap } from './address-map.js';
import { getAddressesByLabel, getNewAddress, getRawChangeAddress, keypoolRefill, listLabels, setLabel } from './addresses.js';
import { backupWallet } from './backup.js';
import { getBalance, getBalances, getUnconfirmedBalance } from './balances.js';
import { bumpFee } from './bumping.js';
import { dumpWallet, importWallet } from './dumping.js';
import { encryptWallet, walletLock, walletPassphrase, walletPassphraseChange } from './encryption.js';
import { listAddressGroupings } from './groupings.js';
import { importMulti } from './import-multi.js';
import { dumpPrivKey, importAddress, importPrivKey, importPubKey, setHdSeed, signMessage } from './keys.js';
import type { WalletModules } from './modules.js';
import { addMultisigAddress } from './multisig.js';
import { listLockUnspent, listUnspent, lockUnspent } from './outputs.js';
import { importPrunedFunds, removePrunedFunds } from './pruned-funds.js';
import { walletCreateFundedPsbt, walletProcessPsbt } from './psbt.js';
import { getReceivedByAddress, getReceivedByLabel, listReceivedByAddress, listReceivedByLabel } from './received.js';
import { abortRescan, rescanBlockchain } from './rescan.js';
import { sendMany, sendToAddress, setTxFee } from './send.js';
import { signRawTransactionWithWallet } from './signing.js';
import { abandonTransaction, getTransaction, listSinceBlock, listTransactions } from './transactions.js';
import { createWallet, getWalletInfo, listWalletDir, listWallets, loadWallet, setWalletFlag, unloadWallet } from './wallets.js';

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
