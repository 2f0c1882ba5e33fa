import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startWalletNode, type WalletNode } from './wallet/wallet-node.js';

const BOOL = '-1 JSON value is not a boolean as expected';
const INTEGER = '-1 JSON value is not an integer as expected';
const OBJECT = '-1 JSON value is not an object as expected';
const STRING = '-1 JSON value is not a string as expected';
const RANGE = '-1 JSON integer out of range';
const EMPTY_OWNER = '-5 recipient () does not refer to any valid address';
const NO_OWNER = '-5 recipient (nobody) does not refer to any valid address';
const UNKNOWN = 'ab'.repeat(32);
const OWNER = 'mud4VMfbBqXNpbt8ur33KHKx8pk3npSq8c';
const EMPTY_TX = '04000000000000000000';
const NO_OUTPUT = '-8 TX must have at least one output';
const NO_RECIPIENT = '-6 Transaction must have at least one recipient';
const ONE_POOL = { from: OWNER, tokenFrom: 'DFI', amountFrom: 1, to: OWNER, tokenTo: 'DFI' };

const NO_TIME = '-3 Missing required timestamp field for key';
const MISSING = { code: -1, message: 'Missing required fields' };
/** Members of an import with the error that it ends with. */
const IMPORTS: readonly (readonly [members: object, error: object])[] = [
  [{ label: null }, MISSING],
  [{ internal: null }, MISSING],
  [
    { internal: true, label: null },
    { code: -8, message: 'Internal addresses should not have a label' },
  ],
  [{ keypool: null }, MISSING],
  [{ internal: true, watchonly: null }, MISSING],
  [{ redeemscript: null, range: 1 }, MISSING],
  [{ keys: ['bad'], watchonly: 1 }, MISSING],
  [{ redeemscript: 'bad', pubkeys: 'x' }, MISSING],
  [{ scriptPubKey: { address: 'bad' }, keys: {} }, MISSING],
  [{ witnessscript: 5, range: 1 }, MISSING],
  [
    { scriptPubKey: '1', keys: [{}] },
    { code: -5, message: 'Invalid scriptPubKey "1"' },
  ],
  [
    { witnessscript: 'bad', range: 1 },
    { code: -8, message: 'Range should not be specified for a non-descriptor import' },
  ],
  [{ scriptPubKey: { address: null } }, MISSING],
  [{ desc: null }, { code: -8, message: 'Both a descriptor and a scriptPubKey should not be provided.' }],
];

let node: WalletNode;
before(async () => {
  node = await startWalletNode();
});
after(() => node.end());

type Row = readonly [params: readonly unknown[], answer: unknown];

/** Answers of `defid` to odd arguments. */
const answers: Readonly<Record<string, readonly Row[]>> = {
  listtokens: [
    [[{}, null], BOOL],
    [[{ limit: 'x' }, 'y'], BOOL],
    [[[], 'y'], BOOL],
    [[null], OBJECT],
    [[{ start: 2 ** 31 }], RANGE],
    [[{ limit: 'x', start: 0.5 }], INTEGER],
    [[{ start: -1, limit: 1 }, false], { 0: { symbol: 'DFI', symbolKey: 'DFI', name: 'Default Defi token' } }],
  ],
  listpoolpairs: [
    [[{}, null], BOOL],
    [[['x'], 'y'], BOOL],
    [[{ start: 2 ** 31 }], RANGE],
  ],
  listpoolshares: [
    [[{}, 'x'], {}],
    [[{}, null, false], {}],
    [[{}, true, 0], BOOL],
    [['x', true, 0], BOOL],
    [[{ start: 2 ** 31 }], RANGE],
  ],
  gettoken: [
    [['  '], '-5 Token not found'],
    [['\u00a00'], '-5 Token not found'],
  ],
  getloantoken: [[['  '], '-8 Token    does not exist!']],
  minttokens: [[['1@  '], '0 : Invalid Defi token:   ']],
  getpoolpair: [[['nope', 'x'], '-5 Pool not found']],
  listmasternodes: [
    [[{}, null], BOOL],
    [[{ start: 'x' }, null], BOOL],
    [[{ limit: 'x', start: 'y' }], INTEGER],
  ],
  getmasternodeblocks: [
    [[], OBJECT],
    [[{ ownerAddress: 1 }], '-5 Invalid P2PKH address'],
    [[{ id: UNKNOWN, ownerAddress: 'x' }], '-5 Invalid P2PKH address'],
    [[{ id: UNKNOWN, ownerAddress: OWNER }], '-8 Only provide one identifier information'],
    [[{}], '-8 Provide masternode identifier information'],
  ],
  listaccounts: [
    [[{ limit: 'x' }, null], INTEGER],
    [[{}, true, null], BOOL],
    [[{ start: 'x@y' }], "-8 (x@y) doesn't represent a correct balance key:\nfailed to deserialize DCT_ID: stoul"],
    [[{ start: 'x@5y' }], "-8 (x) doesn't represent a correct hex:\n"],
    [[{ start: '00@' }], []],
  ],
  getaccount: [
    [['nobody', 5], NO_OWNER],
    [[UNKNOWN.slice(2), { limit: 'x' }], `-5 recipient script (${UNKNOWN.slice(2)}) does not solvable/non-standard`],
  ],
  gettokenbalances: [
    [[{}, 'x', 5], []],
    [[{}, null, true], []],
    [[{ start: 'x', limit: [] }], INTEGER],
  ],
  listoracles: [
    [[{ including_start: 'x' }], []],
    [[{ start: 5, limit: 'x' }], STRING],
  ],
  listprices: [
    [[{ start: 2 ** 31 }], RANGE],
    [[{ including_start: 5 }], '-1 start index greater than number of prices available'],
    [[{ limit: 'x', start: 'y' }], INTEGER],
  ],
  listlatestrawprices: [
    [['text'], '-3 Expected type object, got string'],
    [[{ token: {}, currency: 'USD' }], '-8 token/currency is empty'],
    [[{ token: 5, currency: 7 }], []],
    [[{ token: 'X' }, { start: 'x' }], "-8 start must be of length 64 (not 1, for 'x')"],
    [[{ token: 'X' }, null], OBJECT],
    [['TSLA', 'USD'], []],
  ],
  getprice: [
    [[{ token: [], currency: 'USD' }], '-8 token/currency is empty'],
    [[{ token: null, currency: 'USD' }], '-8 token/currency is empty'],
    [[{ token: 5, currency: 'USD' }], '-1 no live oracles for specified request'],
  ],
  listvaults: [
    [[{ verbose: 'x' }], []],
    [[{ ownerAddress: 'nobody' }, null], NO_OWNER],
    [[null], OBJECT],
    [[{}, 5], OBJECT],
  ],
  listvaulthistory: [[['x', null], "-8 vaultId must be of length 64 (not 1, for 'x')"]],
  listauctionhistory: [
    [[{}], EMPTY_OWNER],
    [[[]], EMPTY_OWNER],
    [[null], EMPTY_OWNER],
    [[1.5], '-5 recipient (1.5) does not refer to any valid address'],
    [[null, { index: 'x' }], INTEGER],
  ],
  getloanscheme: [
    [[7], '-8 Cannot find existing loan scheme with id 7'],
    [[{}], '-8 id cannot be empty or more than 8 chars long'],
    [[null], '-8 Invalid parameter id, argument must be non-null'],
  ],
  listburnhistory: [
    [[{ maxBlockHeight: 'x', depth: 'y' }], '-3 Expected type number for depth, got string'],
    [[null], OBJECT],
  ],
  listaccounthistory: [
    [['nobody', { start: 'x', including_start: 5 }], '-3 Expected type bool for including_start, got number'],
    [['nobody', { txtypes: [5] }], STRING],
    [[['nobody', true]], NO_OWNER],
    [[[true, 'nobody']], STRING],
  ],
  accounthistorycount: [
    [['nobody', { limit: 5 }], '-3 Unexpected key limit'],
    [['nobody', { toString: 5 }], '-3 Unexpected key toString'],
    [['nobody', { txtypes: [5] }], STRING],
    [['nobody', {}], NO_OWNER],
  ],
  prioritisetransaction: [
    [['x', 0, 'y'], "-8 txid must be of length 64 (not 1, for 'x')"],
    [['x', 'y', 1], "-8 txid must be of length 64 (not 1, for 'x')"],
    [[UNKNOWN, 'y', 'z'], INTEGER],
  ],
  getnetworkhashps: [[['x', 0.5], RANGE]],
  setwalletflag: [
    [['constructor'], '-8 Unknown wallet flag: constructor'],
    [['blank'], '-8 Wallet flag is immutable: blank'],
  ],
  dumpprivkey: [[['bcrt1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqdku202'], '-3 Address does not refer to a key']],
  gettransaction: [[['x', 5], "-8 txid must be of length 64 (not 1, for 'x')"]],
  estimatecollateral: [
    [['1@DFI', 150, 'x'], '-3 Expected type object, got string'],
    [['1@DFI', 150, { DFI: {} }], '-8 Token with id (0) is not a loan token!'],
  ],
  testpoolswap: [
    [[], OBJECT],
    [[ONE_POOL, 5], '-1 JSON value is not an object or array as expected'],
    [[ONE_POOL, null], '-1 JSON value is not an object or array as expected'],
    [[ONE_POOL, 'none'], '-1 JSON value is not an object or array as expected'],
    [[ONE_POOL, ['1'], null], BOOL],
  ],
  walletprocesspsbt: [
    [['x', null], '-3 Expected type bool, got null'],
    [['x', true, null], '-3 Expected type string, got null'],
    [['x', true, 'ALL', 5], '-22 TX decode failed invalid base64'],
  ],
  bumpfee: [
    [['x', null], '-3 Expected type object, got null'],
    [[UNKNOWN, true], '-3 Expected type object, got bool'],
    [[UNKNOWN, { totalFee: 0.5 }], /^-8 totalFee argument has been deprecated/],
    [[UNKNOWN, { totalFee: null }], /^-8 totalFee argument has been deprecated/],
    [[UNKNOWN, { confTarget: null }], INTEGER],
    [[UNKNOWN, { confTarget: null, totalFee: null }], /^-8 confTarget and totalFee options should not both be set/],
    [[UNKNOWN, { replaceable: null, estimate_mode: 'x' }], BOOL],
    [[UNKNOWN, { estimate_mode: null }], STRING],
  ],
  lockunspent: [
    [[null], '-3 Expected type bool, got null'],
    [[null, 'x'], '-3 Expected type bool, got null'],
    [['x', 5], '-3 Expected type bool, got string'],
    [[false, 5], '-3 Expected type array, got number'],
    [[false, [5]], OBJECT],
    [[false, [{}]], '-3 Missing txid'],
    [[false, [{ txid: 'x', vout: null }]], '-3 Missing vout'],
    [[false, [{ txid: 0, vout: 'y' }]], '-3 Expected type string for txid, got number'],
    [[false, [{ txid: 'x', vout: 'y' }]], '-3 Expected type number for vout, got string'],
    [[false, [{ txid: 'x', vout: 1.5 }]], "-8 txid must be of length 64 (not 1, for 'x')"],
    [[false, [{ txid: UNKNOWN, vout: 1.5 }]], RANGE],
  ],
  listunspent: [
    [[1.5, 'x'], RANGE],
    [[1, 'x', 5], '-3 Expected type number, got string'],
    [[1, 2, {}, 5], '-3 Expected type array, got object'],
    [[1, 2, ['x', 5], 5], '-5 Invalid Defi address: x'],
    [[1, 2, [5], 5], STRING],
    [[1, 2, [], 5, 'x'], '-3 Expected type bool, got number'],
    [[1, 0, [], true, null], []],
    [[1, 2, [], true, []], OBJECT],
    [[1, 2, [], true, { maximumCount: null, minimumAmount: null }], '-3 Amount is not a number or string'],
    [[1, 2, [], true, { maximumCount: 'x', minimumSumAmount: 'x' }], '-3 Invalid amount'],
    [[1, 2, [], true, { maximumCount: null, tokenId: 'nope' }], INTEGER],
    [[1, 0, [], true, { tokenId: null }], []],
  ],
  fundrawtransaction: [
    [[EMPTY_TX, null], NO_OUTPUT],
    [[EMPTY_TX, true], NO_OUTPUT],
    [[EMPTY_TX, 5], '-3 Expected type object, got number'],
    [[EMPTY_TX, [], true], '-3 Expected type object, got array'],
    [['zz', 5], '-22 TX decode failed'],
    [['zz', 5, 5], '-3 Expected type bool, got number'],
    [[EMPTY_TX, null, null], '-3 Expected type bool, got null'],
    [[5, 5, 5], '-3 Expected type string, got number'],
  ],
  walletcreatefundedpsbt: [
    [[[], [], 0, null], NO_OUTPUT],
    [[[], [], 0, null, null], NO_OUTPUT],
    [[[], 'x', 0, { replaceable: 5 }], '-3 Expected type bool, got number'],
    [[[], [], 0, { replaceable: null }], BOOL],
    [[[], [], 0, { changeAddress: null }], STRING],
  ],
  sendmany: [
    [['', {}, 1, 'c', ['x']], NO_RECIPIENT],
    [['', {}, 1, 'c', [5]], NO_RECIPIENT],
    [['', {}, 1, 'c', 5, 7], '-1 JSON value is not an array as expected'],
    [['', { [OWNER]: 1 }, 1, 'c', ['x', 5]], '-5 recipient (x) does not refer to any valid address'],
    [['', { [OWNER]: 1 }, 1, 'c', [5], 7], BOOL],
    [['', { [OWNER]: 1 }, 1, 'c', [5]], STRING],
    [['', { nobody: 1 }, 1, 'c', [5]], NO_OWNER],
  ],
  importprunedfunds: [
    [[EMPTY_TX, null], "-8 proof must be hexadecimal string (not '')"],
    [[EMPTY_TX, 5], "-8 proof must be hexadecimal string (not '')"],
  ],
  updateloantoken: [
    [['nope', null], OBJECT],
    [['nope', {}], '-8 Token nope does not exist!'],
  ],
  compositeswap: [
    [[5, 5], '-32600 compositeswap is available post Fort Canning'],
    [[null], '-32600 compositeswap is available post Fort Canning'],
  ],
  importmulti: [
    [[[], null], '-3 Expected type object, got null'],
    [[[], { rescan: null }], BOOL],
    [[[null]], NO_TIME],
    [[[[]]], NO_TIME],
    [[[{ timestamp: 1.5 }]], RANGE],
    ...IMPORTS.map(
      ([members, error]): Row => [[[{ timestamp: 1, scriptPubKey: '00', ...members }], { rescan: false }], [{ success: false, error }]],
    ),
  ],
};

describe('odd arguments', () => {
  for (const [method, rows] of Object.entries(answers)) {
    test(method, async () => {
      for (const [params, expected] of rows) {
        const answer = await node.call(method, params);
        if (expected instanceof RegExp) assert.match(String(answer), expected);
        else assert.deepEqual(answer, expected, JSON.stringify(params));
      }
    });
  }
});

test('listmasternodes skips the first masternode found, even if its id is not the start', async () => {
  const ids = async (page: object) => Object.keys((await node.call('listmasternodes', [page, false])) as object);
  const all = await ids({});
  assert.ok(all.length > 2);
  const [, ...others] = all;
  assert.deepEqual(await ids({ start: '00'.repeat(32) }), others);
  assert.deepEqual(await ids({ including_start: false }), others);
  assert.deepEqual(await ids({ start: all[0] }), others);
  assert.deepEqual(await ids({ start: all[0], including_start: true }), all);
});

test('getmasternodeblocks has no blocks before Dakota Crescent', async () => {
  await node.mint(3, OWNER);
  const minted = Object.entries((await node.call('listmasternodes')) as Record<string, { readonly mintedBlocks: number }>);
  assert.ok(minted.some(([, { mintedBlocks }]) => mintedBlocks > 0));
  for (const [id] of minted) assert.deepEqual(await node.call('getmasternodeblocks', [{ id }]), {});
});
