/** What the operations have beside the interface document, row by row, so that nothing is there by accident. */

/** Operations of the Wallet group that the document says exist but does not show. docs/protocol/wallet.md 7 */
export const walletOperationsNotShown = [
  'sethdseed',
  'setlabel',
  'settxfee',
  'setwalletflag',
  'signmessage',
  'signrawtransactionwithwallet',
  'unloadwallet',
];

/** Parameters after those of the document, by operation. */
export const beyondDocument: Readonly<Record<string, readonly string[]>> = {
  accounthistorycount: ['txtypes'],
  sendtoaddress: ['avoid_reuse'],
  unloadwallet: ['wallet_name'],
};

/** Defaults that the document gives in a note instead of the parameter list. */
export const defaultsInProse: Readonly<Record<string, string>> = {
  'listaccounthistory.format': '"id"',
};

/** Defaults of the document that are not the reference's: `<operation>.<parameter>: <document>, over JSON-RPC <reference>`. */
export const differingDefaults: readonly string[] = [
  // The reference includes the start of a page where none is given.
  'getaccount.including_start: false, over JSON-RPC unset',
  'gettokenbalances.including_start: false, over JSON-RPC unset',
  'listaccounthistory.including_start: false, over JSON-RPC unset',
  'listaccounts.including_start: false, over JSON-RPC unset',
  // The reference shows symbols.
  'listaccounthistory.format: "id", over JSON-RPC "symbol"',
  // Required unless the contract is being funded, and then missing is not the same as empty.
  'executesmartcontract.address: "", over JSON-RPC unset',
  // The reference watches by default only in wallets without private keys.
  'fundrawtransaction.includeWatching: true, over JSON-RPC unset',
  'getbalance.include_watchonly: true, over JSON-RPC unset',
  'gettransaction.include_watchonly: true, over JSON-RPC unset',
  'listreceivedbyaddress.include_watchonly: true, over JSON-RPC unset',
  'listreceivedbylabel.include_watchonly: true, over JSON-RPC unset',
  'listsinceblock.include_watchonly: true, over JSON-RPC unset',
  'listtransactions.include_watchonly: true, over JSON-RPC unset',
  'walletcreatefundedpsbt.includeWatching: true, over JSON-RPC unset',
  // The wallet's configuration decides.
  'keypoolrefill.newsize: 100, over JSON-RPC unset',
  'sendmany.conf_target: 1, over JSON-RPC unset',
  'sendmany.replaceable: false, over JSON-RPC unset',
  'sendtoaddress.conf_target: 1, over JSON-RPC unset',
  'sendtoaddress.replaceable: false, over JSON-RPC unset',
  // An empty passphrase causes a warning; an empty label replaces the one that an address has.
  'createwallet.passphrase: "", over JSON-RPC unset',
  'importprivkey.label: "", over JSON-RPC unset',
  // The chain or the node's configuration decides.
  'getchaintxstats.nblocks: 86400, over JSON-RPC unset',
  'sendrawtransaction.maxfeerate: 0.1, over JSON-RPC unset',
  'testmempoolaccept.maxfeerate: 0.1, over JSON-RPC unset',
  'verifychain.checklevel: 3, over JSON-RPC unset',
  'verifychain.nblocks: 6, over JSON-RPC unset',
  // Two arguments or three: the reference tells them apart.
  'prioritisetransaction.dummy: 0, over JSON-RPC unset',
];

/** Parameters that the document requires and the reference does not, or not before it has words of its own for what is missing. */
export const optionalOverJsonRpc: readonly string[] = [
  'listlatestrawprices.token',
  'listlatestrawprices.currency',
  'paybackloan.from',
  'paybackloan.vaultId',
  'setcollateraltoken.factor',
  'setcollateraltoken.fixedIntervalPriceId',
  'setcollateraltoken.token',
  'setloantoken.fixedIntervalPriceId',
  'setloantoken.symbol',
  'takeloan.amounts',
  'takeloan.vaultId',
];
