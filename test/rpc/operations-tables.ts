/** Additions of our operations to the operations document, row by row, so that none is accidental. */

/** Operations of the Wallet group that the operations document counts but does not show. docs/protocol/wallet.md 7 */
export const walletOperationsNotShown = [
  'sethdseed',
  'setlabel',
  'settxfee',
  'setwalletflag',
  'signmessage',
  'signrawtransactionwithwallet',
  'unloadwallet',
];

/** Parameters after those of the operations document, by operation. */
export const beyondDocument: Readonly<Record<string, readonly string[]>> = {
  accounthistorycount: ['txtypes'],
  sendtoaddress: ['avoid_reuse'],
  unloadwallet: ['wallet_name'],
};

/** Defaults that the operations document states in a note instead of the parameter list. */
export const defaultsInProse: Readonly<Record<string, string>> = {
  'listaccounthistory.format': '"id"',
};

/** Defaults of the operations document that differ from those of `defid`: `<operation>.<parameter>: <document>, over JSON-RPC <defid>`. */
export const differingDefaults: readonly string[] = [
  // `defid` includes the start of a page if it is missing.
  'getaccount.including_start: false, over JSON-RPC unset',
  'gettokenbalances.including_start: false, over JSON-RPC unset',
  'listaccounthistory.including_start: false, over JSON-RPC unset',
  'listaccounts.including_start: false, over JSON-RPC unset',
  // `defid` shows symbols.
  'listaccounthistory.format: "id", over JSON-RPC "symbol"',
  // Required unless the contract is being funded; a missing address differs from an empty one.
  'executesmartcontract.address: "", over JSON-RPC unset',
  // `defid` includes watch-only addresses by default only in wallets without private keys.
  'fundrawtransaction.includeWatching: true, over JSON-RPC unset',
  'getbalance.include_watchonly: true, over JSON-RPC unset',
  'gettransaction.include_watchonly: true, over JSON-RPC unset',
  'listreceivedbyaddress.include_watchonly: true, over JSON-RPC unset',
  'listreceivedbylabel.include_watchonly: true, over JSON-RPC unset',
  'listsinceblock.include_watchonly: true, over JSON-RPC unset',
  'listtransactions.include_watchonly: true, over JSON-RPC unset',
  'walletcreatefundedpsbt.includeWatching: true, over JSON-RPC unset',
  // Defaults from the wallet's configuration.
  'keypoolrefill.newsize: 100, over JSON-RPC unset',
  'sendmany.conf_target: 1, over JSON-RPC unset',
  'sendmany.replaceable: false, over JSON-RPC unset',
  'sendtoaddress.conf_target: 1, over JSON-RPC unset',
  'sendtoaddress.replaceable: false, over JSON-RPC unset',
  // An empty passphrase causes a warning; an empty label replaces an existing one.
  'createwallet.passphrase: "", over JSON-RPC unset',
  'importprivkey.label: "", over JSON-RPC unset',
  // Defaults from the chain or the node's configuration.
  'getchaintxstats.nblocks: 86400, over JSON-RPC unset',
  'sendrawtransaction.maxfeerate: 0.1, over JSON-RPC unset',
  'testmempoolaccept.maxfeerate: 0.1, over JSON-RPC unset',
  'verifychain.checklevel: 3, over JSON-RPC unset',
  'verifychain.nblocks: 6, over JSON-RPC unset',
  // `defid` distinguishes two and three arguments.
  'prioritisetransaction.dummy: 0, over JSON-RPC unset',
];

/** Parameters that the operations document requires and `defid` does not, or for whose absence `defid` has an error text of its own. */
export const optionalOverJsonRpc: readonly string[] = [
  'createtoken.metadata',
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
  'updatetoken.metadata',
];
