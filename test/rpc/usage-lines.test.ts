import assert from 'node:assert/strict';
import { test } from 'node:test';
import { committedCatalogue } from './catalogue.js';

/** Usage lines of both versions of `defid` that say less, or something else, than our arguments would make of them. */
const LINES = [
  'accounttoaccount "from" {"address":"str"} ( [{"txid":"hex","vout":n},...] )',
  'accounttoutxos "from" {"address":"str"} ( [{"txid":"hex","vout":n},...] )',
  'addnode "node" "command"',
  'appointoracle "address" [{"currency":"str","token":"str"},...] weightage ( [{"txid":"hex","vout":n},...] )',
  'dumpevmdb ( {"dumparg":"str","from":"str","limit":n} )',
  'executesmartcontract "name" "amount" ( "address" [{"txid":"hex","vout":n},...] )',
  'futureswap "address" "amount" ( "destination" [{"txid":"hex","vout":n},...] )',
  'getaccounthistory "owner" blockHeight txn',
  'getmasternodeblocks ( {"id":"hex","ownerAddress":"str","operatorAddress":"str"} depth )',
  'gettokenbalances ( {"start":"str","including_start":bool,"limit":n} indexed_amounts symbol_lookup evm )',
  'listauctions ( {"start":obj,"including_start":bool,"limit":n} )',
  'listfixedintervalprices ( {"start":n,"limit":n} )',
  'listlatestrawprices ( {"currency":"str","token":"str"} {"start":"hex","including_start":bool,"limit":n} )',
  'listmasternodes ( {"start":"hex","including_start":bool,"limit":n} verbose )',
  'listoracles ( {"start":"hex","including_start":bool,"limit":n} )',
  'removeoracle "oracleid" ( [{"txid":"hex","vout":n},...] )',
  'sendmany "" {"address":amount} ( minconf "comment" ["address",...] replaceable conf_target "estimate_mode" )',
  'setban "subnet" "command" ( bantime absolute )',
  'setoracledata "oracleid" timestamp [{"currency":"str","tokenAmount":"str"},...] ( [{"txid":"hex","vout":n},...] )',
  'stop',
  'transferdomain [{"src":obj,"dst":obj,"nonce":n,"singlekeycheck":bool},...]',
  'updateoracle "oracleid" "address" [{"currency":"str","token":"str"},...] weightage ( [{"txid":"hex","vout":n},...] )',
  'utxostoaccount {"address":"str"} ( [{"txid":"hex","vout":n},...] )',
  'withdrawfutureswap "address" "amount" ( "destination" [{"txid":"hex","vout":n},...] )',
];

test('usage lines are those of defid', () => {
  const catalogue = committedCatalogue();
  for (const line of LINES) assert.equal(catalogue.byName(line.split(' ')[0] ?? '')?.usage, line);
});
