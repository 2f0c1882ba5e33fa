import { networkParams } from '../../../src/params/index.js';
import type { NodeClient } from './node-client.js';
import type { Samples } from './random-call.js';
import { PUBKEY, SAMPLES } from './samples.js';

const IMPORTED_MASTERNODES = 4;
/** Keys of masternodes in the genesis block, which own what a recorded chain pays out. */
const KEYS = networkParams({ network: 'regtest' })
  .masternode.genesis.slice(0, IMPORTED_MASTERNODES)
  .flatMap(({ ownerKey, operatorKey }) => [String(ownerKey), String(operatorKey)]);

/** Gives the wallet of a node the keys, with labels, and what the chain has of them. */
export async function fillWallet(node: NodeClient): Promise<void> {
  for (const [i, key] of KEYS.entries()) {
    const { status, text } = await node.call('importprivkey', [key, i % 3 === 0 ? '' : `label${i % 3}`, i === KEYS.length - 1]);
    if (status !== 200) throw new Error(`importprivkey: ${text}`);
  }
}

/** Lists whose values a wallet has. */
export const WALLET_LISTS = ['listunspent', 'listtransactions', 'listaddressgroupings'];

/** Operations of the general samples that read the wallet, or change it in the same way on both nodes. */
const SHARED = [
  ...['abandontransaction', 'accounthistorycount', 'dumpprivkey', 'getaddressinfo', 'getreceivedbyaddress', 'gettokenbalances'],
  ...['gettransaction', 'getunconfirmedbalance', 'listaccounthistory', 'listaccounts', 'listaddressgroupings', 'listauctionhistory'],
  ...['listlockunspent', 'listpoolshares', 'listtokens', 'lockunspent', 'signmessage', 'signrawtransactionwithwallet', 'validateaddress'],
  ...['walletprocesspsbt', 'listmasternodes'],
] as const;

/** Calls of a wallet with coins. None of them makes a transaction, which would be another on each node. */
export const WALLET_SAMPLES: Samples = {
  ...Object.fromEntries(SHARED.map((method) => [method, SAMPLES[method] ?? []])),
  accounthistorycount: [[], ['mine'], ['mine', { no_rewards: true, token: '$S', txtype: 'B' }], ['$A']],
  getaddressesbylabel: [['label1'], ['label2'], [''], ['x']],
  getbalance: [[], ['*', 1, true], ['*', 200], ['*', 0, true, true]],
  getbalances: [[]],
  getreceivedbylabel: [['label1'], ['label2', 10], ['']],
  getwalletinfo: [[]],
  importaddress: [['$A', 'watched', false]],
  importmulti: [
    [[{ scriptPubKey: { address: '$A' }, timestamp: 'now', label: 'multi' }], { rescan: false }],
    [[{ scriptPubKey: '76a914b36814fd26190b321aa985809293a41273cfe15e88ac', timestamp: 1, internal: true }], { rescan: false }],
    [[{ scriptPubKey: { address: '$A' }, timestamp: 'now', pubkeys: [PUBKEY], keys: [KEYS[1]], watchonly: true }], { rescan: false }],
    [[{ desc: `pkh(${PUBKEY})#aaaaaaaa`, timestamp: 'now', range: [0, 1], keypool: true }], { rescan: false }],
  ],
  importpubkey: [[PUBKEY, 'public', false]],
  importprivkey: KEYS.map((key, i) => [key, `again${i % 2}`, false]),
  listaccounthistory: [[], ['mine', { limit: 3 }], ['$A', { token: '$S', txtype: 'B', depth: 50, no_rewards: true }], [['$A', '$A']]],
  listaccounts: [[], [{ limit: 2 }, false, true, true], [{ start: '$A', including_start: true }, true, false, true]],
  listlabels: [[], ['send'], ['receive']],
  listreceivedbyaddress: [[], [1, true, true, '$A'], [0, true], [10, false, true]],
  listreceivedbylabel: [[], [1, true], [0, true, true]],
  listsinceblock: [[], ['$H', 1, true], ['$H', 20, true, false], ['$H', 6]],
  listtransactions: [[], ['*', 10, 0, true], ['*', 5, 7], ['label1', 20], ['', 3]],
  listunspent: [[], [1, 100, ['$A'], true, { minimumAmount: 1 }], [0, 9999999, [], true, { maximumCount: 3 }], [200]],
  setlabel: [
    ['$A', 'label1'],
    ['$A', 'z'],
  ],
  signrawtransactionwithwallet: [['$R'], ['$R', [{ txid: '$H', vout: 0, scriptPubKey: '51', amount: 1 }], 'ALL'], ['$R', [], 'SINGLE']],
};
