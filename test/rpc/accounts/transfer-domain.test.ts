import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { DomainTransferSide } from '../../../gen/ts/dfi/accounts/v1/accounts.js';
import { formatHash } from '../../../src/primitives/hash.js';
import type { Transaction } from '../../../src/primitives/transaction.js';
import { accountsHandlers } from '../../../src/services/accounts/index.js';
import { EMPTY_BYTES, toHex } from '../../../src/util/bytes.js';
import { NodeError } from '../../../src/util/errors.js';
import { GRAND_CENTRAL } from '../../unit/dfi/fixture.js';
import { type FounderNode, startFounderNode } from '../founder-node.js';

const METACHAIN = 150;
const TXID = /^[0-9a-f]{64}$/;
const FAILED = '-32600 Test TransferDomainTx execution failed:\n';

interface Side {
  readonly address?: unknown;
  readonly amount?: unknown;
  readonly domain?: unknown;
}

type Sides = readonly [src: Side, dst: Side];

let node: FounderNode;
/** Addresses of one key, with coins and balances, and of another key. */
let [native, erc55, other, otherErc55] = ['', '', '', ''];

async function erc55Of(address: string): Promise<string> {
  return ((await node.call('addressmap', [address, 1])) as { format: { erc55: string } }).format.erc55;
}

const into = (amount: string, to = erc55, from = native): Sides => [
  { address: from, amount, domain: 2 },
  { address: to, amount, domain: 3 },
];
const outOf = (amount: string, to = native, from = erc55): Sides => [
  { address: from, amount, domain: 3 },
  { address: to, amount, domain: 2 },
];

function transfer([src, dst]: Sides, more: object = {}): Promise<unknown> {
  return node.call('transferdomain', [[{ src, dst, ...more }]]);
}

async function sent(sides: Sides, more: object = {}): Promise<string> {
  const txid = String(await transfer(sides, more));
  assert.match(txid, TXID);
  return txid;
}

async function confirmed(sides: Sides, more: object = {}): Promise<string> {
  const txid = await sent(sides, more);
  await node.mint(1, node.founder);
  assert.deepEqual(pooled(), []);
  return txid;
}

/** Txids in the mempool. */
function pooled(): readonly string[] {
  return [...node.modules.mempool.pool.entries()].map(({ tx }) => formatHash(tx.txid));
}

/** Transactions of the block at the tip. */
function lastBlock(): readonly Transaction[] {
  return node.chain.block(node.chain.tip)?.transactions ?? [];
}

async function setGov(attributes: object): Promise<void> {
  assert.match(await node.confirm('setgov', [{ ATTRIBUTES: attributes }]), TXID);
}

/** Statistics of transfers in `listgovs live`, by the last part of the path. */
async function statistics(): Promise<Record<string, number>> {
  const [[shown]] = (await node.call('listgovs', ['live'])) as [[{ ATTRIBUTES: Record<string, number> }]];
  const prefix = 'v0/live/economy/transferdomain/';
  const found = Object.entries(shown.ATTRIBUTES).filter(([path]) => path.startsWith(prefix));
  return Object.fromEntries(found.map(([path, value]) => [path.slice(prefix.length), value]));
}

interface Entry {
  readonly txid?: string;
  readonly type: string;
  readonly amounts: readonly string[];
}

interface ShownTransfer {
  readonly type: string;
  readonly valid: boolean;
  readonly results: { readonly transfers: readonly [{ readonly src: object; readonly dst: { readonly data: string } }] };
}

interface Decoded {
  readonly vin: readonly unknown[];
  readonly vout: readonly {
    readonly value: number;
    readonly scriptPubKey: { readonly hex: string; readonly addresses?: readonly string[] };
  }[];
}

async function decoded(txid: string): Promise<Decoded> {
  return (await node.call('decoderawtransaction', [await node.call('getrawtransaction', [txid])])) as Decoded;
}

describe('transferdomain', () => {
  before(async () => {
    node = await startFounderNode({ ...GRAND_CENTRAL, metachain: METACHAIN });
    [native, other] = [String(await node.call('getnewaddress', ['', 'bech32'])), String(await node.call('getnewaddress', ['', 'legacy']))];
    [erc55, otherErc55] = [await erc55Of(native), await erc55Of(other)];
    await node.mint(30, node.founder);
    for (const address of [native, other]) await node.call('sendtoaddress', [address, 10]);
    await node.confirm('utxostoaccount', [{ [native]: '200@DFI', [other]: '3@DFI' }]);
    const token = { symbol: 'BTC', name: 'Bitcoin', isDAT: true, collateralAddress: node.founder };
    assert.match(await node.confirm('createtoken', [token]), TXID);
    assert.match(await node.confirm('minttokens', ['100@BTC']), TXID);
    assert.match(await node.confirm('accounttoaccount', [node.founder, { [native]: '100@BTC' }]), TXID);
  });
  after(() => node.end());

  test('requires its activation height, and governance', async () => {
    assert.equal(await transfer(into('100@DFI')), `${FAILED}called before Metachain height`);
    await node.mint(METACHAIN - 144, node.founder);
    assert.deepEqual(await node.call('getaccount', [erc55]), []);
    assert.equal(await transfer(into('100@DFI')), `${FAILED}Cannot create tx, transfer domain is not enabled`);
    await setGov({ 'v0/params/feature/transferdomain': 'true' });
    assert.equal(await transfer(into('100@DFI')), `${FAILED}Cannot create tx, EVM is not enabled`);
    await setGov({ 'v0/params/feature/evm': 'true' });
    assert.equal(await transfer(into('1@BTC')), `${FAILED}transferdomain for DST20 from DVM to EVM is not enabled`);
    await setGov({ 'v0/transferdomain/dvm-evm/dat-enabled': 'true', 'v0/transferdomain/evm-dvm/dat-enabled': 'true' });
  });

  test('moves DFI from the DVM to the EVM', async () => {
    const txid = await confirmed(into('100@DFI'));
    assert.deepEqual(await node.call('getaccount', [native]), ['100.00000000@DFI', '100.00000000@BTC']);
    assert.deepEqual(await node.call('getaccount', [erc55.toLowerCase()]), ['100.00000000@DFI']);
    assert.deepEqual(await node.call('getaccount', [erc55, {}, true]), { 0: 100 });
    assert.deepEqual(await node.call('gettokenbalances', [{}, false, false, true]), ['203.00000000@0', '100.00000000@1']);
    assert.deepEqual(await node.call('gettokenbalances'), ['103.00000000@0', '100.00000000@1']);
    const { vin, vout } = await decoded(txid);
    assert.equal(vin.length, 1);
    assert.deepEqual([vout.length, vout[0]?.value, vout[1]?.scriptPubKey.addresses], [2, 0, [native]], 'the change is returned');
    const { type, valid, results } = (await node.call('getcustomtx', [txid])) as ShownTransfer;
    assert.deepEqual([type, valid], ['TransferDomain', true]);
    const [{ src, dst }] = results.transfers;
    assert.deepEqual(src, { address: native, amount: '100.00000000@0', domain: 'DVM' });
    const { data, ...rest } = dst;
    assert.deepEqual(rest, { address: erc55, amount: '100.00000000@0', domain: 'EVM' });
    assert.match(data, /^f9/);
  });

  test('is decoded before it is sent, and listed in the history after', async () => {
    const before = (await node.call('getaccount', [native])) as readonly string[];
    const txid = await confirmed(into('2@BTC', otherErc55), { singlekeycheck: false });
    const hex = await node.call('getrawtransaction', [txid]);
    const { results: decodedResults } = (await node.call('decodecustomtx', [hex])) as ShownTransfer;
    const { results } = (await node.call('getcustomtx', [txid])) as ShownTransfer;
    assert.deepEqual(decodedResults, results);
    const [entry] = (await node.call('listaccounthistory', [native, { txtype: 'TransferDomain', limit: 1 }])) as readonly Entry[];
    assert.deepEqual([entry?.txid, entry?.type, entry?.amounts], [txid, 'TransferDomain', ['-2.00000000@BTC']]);
    await confirmed(outOf('2@BTC', native, otherErc55), { singlekeycheck: false });
    assert.deepEqual(await node.call('getaccount', [native]), before);
  });

  test('works over gRPC', async () => {
    const [src, dst] = into('3@DFI') as readonly [DomainTransferSide, DomainTransferSide];
    const { chain, wallets } = node;
    const modules = {
      chain,
      wallets,
      keepsHistory: true,
      singleKeyTransfers: true,
      ownAccountsOnly: true,
    };
    const call = {
      dialect: 'document',
      requestId: 'test',
      user: undefined,
      wallet: undefined,
      signal: new AbortController().signal,
    } as const;
    const request = { array: [{ src, dst, nonce: undefined, singlekeycheck: undefined }] };
    const { txid } = await accountsHandlers.transferDomain(modules, request, call);
    assert.match(txid, TXID);
    await node.mint(1, node.founder);
    const wrong = { array: [{ src: { ...src, domain: undefined }, dst }] };
    const text = 'Invalid parameters, src argument "domain" must not be null';
    await assert.rejects(async () => accountsHandlers.transferDomain(modules, wrong, call), new NodeError('invalid-parameter', text));
    await confirmed(outOf('3@DFI'));
    assert.deepEqual(await node.call('getaccount', [erc55]), ['100.00000000@DFI']);
  });

  test('moves DFI back to the DVM', async () => {
    const txid = await confirmed(outOf('40@DFI'));
    assert.deepEqual(await node.call('getaccount', [native]), ['140.00000000@DFI', '100.00000000@BTC']);
    assert.deepEqual(await node.call('getaccount', [erc55]), ['60.00000000@DFI']);
    assert.deepEqual(
      (await decoded(txid)).vout[1]?.scriptPubKey.addresses,
      [native],
      'an EVM sender authorises through its bech32 address',
    );
    assert.deepEqual(await statistics(), {
      'dvm-evm/0/total': 103,
      'dvm-evm/1/total': 2,
      'evm-dvm/0/total': 43,
      'evm-dvm/1/total': 2,
      'dvm/0/current': -60,
      'dvm/1/current': 0,
      'dvm/0/in': 43,
      'dvm/1/in': 2,
      'dvm/0/out': 103,
      'dvm/1/out': 2,
      'evm/0/current': 60,
      'evm/1/current': 0,
      'evm/0/in': 103,
      'evm/1/in': 2,
      'evm/0/out': 43,
      'evm/1/out': 2,
    });
  });

  test('moves tokens, which EVM balances do not include', async () => {
    await confirmed(into('5@BTC'));
    assert.deepEqual(await node.call('getaccount', [erc55]), ['60.00000000@DFI']);
    assert.deepEqual(await node.call('gettokenbalances', [{}, false, true, true]), ['203.00000000@DFI', '95.00000000@BTC']);
    await confirmed(outOf('2@BTC'));
    assert.deepEqual(await node.call('getaccount', [native]), ['140.00000000@DFI', '97.00000000@BTC']);
    const { 'dvm/1/current': left, 'evm/1/current': inside } = await statistics();
    assert.deepEqual([left, inside], [-3, 3]);
  });

  test('several transfers of one sender get consecutive nonces and are mined in that order', async () => {
    const [first, second, third] = [await sent(into('1@DFI')), await sent(into('1@DFI')), await sent(into('1@DFI'))];
    await node.call('prioritisetransaction', [third, 0, 1_000_000]);
    await node.mint(1, node.founder);
    assert.deepEqual(pooled(), []);
    const tx = lastBlock().map(({ txid }) => formatHash(txid));
    const order = [first, second, third].map((txid) => tx.indexOf(txid));
    assert.deepEqual(
      order,
      [...order].sort((a, b) => a - b),
    );
  });

  test('accepts an explicit nonce; a used one is refused, one that is too high stays in the mempool', async () => {
    const used = 'transferdomain evm tx failed to pre-validate : Invalid nonce. Account nonce 10, signed_tx nonce 9';
    assert.equal(await transfer(into('1@DFI'), { nonce: 9 }), `${FAILED}${used}`);
    const early = await sent(into('1@DFI'), { nonce: 11 });
    await node.mint(1, node.founder);
    assert.deepEqual(pooled(), [early]);
    assert.equal(await transfer(into('2@DFI'), { nonce: 11 }), '-26 evm-low-fee');
    await sent(into('1@DFI'), { nonce: 10 });
    await node.mint(1, node.founder);
    assert.deepEqual(pooled(), []);
    assert.deepEqual(await node.call('getaccount', [erc55]), ['65.00000000@DFI']);
  });

  test('reasons of rejections have no code, unlike below Metachain', async () => {
    const coinbase = toHex(node.chain.block(node.chain.tip)?.transactions[0]?.raw ?? new Uint8Array());
    const [{ 'reject-reason': reason } = {}] = (await node.call('testmempoolaccept', [[coinbase]])) as Record<string, unknown>[];
    assert.equal(reason, 'coinbase');
  });

  test('more than the EVM balance is accepted by the call but never mined', async () => {
    const txid = await sent(outOf('66@DFI'));
    await node.mint(1, node.founder);
    assert.deepEqual(pooled(), [txid]);
    node.clock.setMockTime(node.clock.seconds() + 3 * 3_600);
    await node.call('sendtoaddress', [node.founder, 1]);
    assert.ok(!pooled().includes(txid), 'it leaves after three hours');
    await node.mint(1, node.founder);
  });

  test('transfers between different keys only on request', async () => {
    const different = '-5 Dst address does not match source key';
    assert.equal(await transfer(into('1@DFI', otherErc55)), different);
    assert.equal(await transfer(outOf('1@DFI', other)), different);
    assert.equal(await transfer(into('1@DFI', otherErc55), { singlekeycheck: true }), different);
    const unknown = '0x6C34CBb9219d8cAa428835D2073E8ec88BA0a110';
    assert.equal(await transfer(into('1@DFI', unknown)), `-5 no full public key for address ${unknown}`);
    await confirmed(into('1@DFI', otherErc55), { singlekeycheck: false });
    assert.deepEqual(await node.call('getaccount', [otherErc55]), ['1.00000000@DFI']);
    await confirmed(outOf('1@DFI', other, otherErc55));
    assert.deepEqual(await node.call('getaccount', [other]), ['4.00000000@DFI']);
    const { format } = (await node.call('addressmap', [erc55, 2])) as { format: { legacy: string } };
    await confirmed(outOf('1@DFI', format.legacy));
    assert.deepEqual(await node.call('getaccount', [format.legacy]), ['1.00000000@DFI']);
  });

  const without = (sides: Sides, side: 0 | 1, name: keyof Side): Sides =>
    sides.map((each, i) => (i === side ? { ...each, [name]: undefined } : each)) as unknown as Sides;
  const having = (sides: Sides, side: 0 | 1, change: Side): Sides =>
    sides.map((each, i) => (i === side ? { ...each, ...change } : each)) as unknown as Sides;
  const missing = (side: string, name: string) => `-8 Invalid parameters, ${side} argument "${name}" must not be null`;
  const wrong: readonly (readonly [string, () => Sides, string])[] = [
    ['no source address', () => without(into('1@DFI'), 0, 'address'), missing('src', 'address')],
    ['no source amount', () => without(into('1@DFI'), 0, 'amount'), missing('src', 'amount')],
    ['no source domain', () => without(into('1@DFI'), 0, 'domain'), missing('src', 'domain')],
    ['no destination address', () => without(into('1@DFI'), 1, 'address'), missing('dst', 'address')],
    ['no destination amount', () => without(into('1@DFI'), 1, 'amount'), missing('dst', 'amount')],
    ['no destination domain', () => without(into('1@DFI'), 1, 'domain'), missing('dst', 'domain')],
    ['a source that is none', () => having(into('1@DFI'), 0, { address: 'blablabla' }), '-8 Invalid src address provided'],
    ['a destination that is none', () => having(into('1@DFI'), 1, { address: 'blablabla' }), '-8 Invalid dst address provided'],
    ['an amount that is none', () => having(into('1@DFI'), 0, { amount: 'much' }), '-3 : Invalid amount'],
    ['nothing', () => into('0@DFI'), '-3 : Amount out of range'],
    ['an unknown token', () => having(into('1@DFI'), 1, { amount: '1@NOPE' }), '0 : Invalid Defi token: NOPE'],
    ['a domain that is no number', () => having(into('1@DFI'), 0, { domain: 'dvm' }), '-1 JSON value is not an integer as expected'],
    ['the same on the other side', () => having(into('1@DFI'), 1, { domain: 'evm' }), '-1 JSON value is not an integer as expected'],
    [
      'an unknown domain',
      () => having(into('1@DFI'), 0, { domain: 0 }),
      '-8 Invalid parameters, src argument "domain" must be either 2 (DFI token to EVM) or 3 (EVM to DFI token)',
    ],
    ['an unknown domain there', () => having(into('1@DFI'), 1, { domain: 4 }), `${FAILED}Unknown transfer domain aspect`],
    ['one domain', () => having(into('1@DFI'), 1, { domain: 2 }), `${FAILED}Cannot transfer inside same domain`],
    ['other amounts', () => having(into('1@DFI'), 1, { amount: '2@DFI' }), `${FAILED}Source amount must be equal to destination amount`],
    ['a native address in the EVM', () => into('1@DFI', native), `${FAILED}Dst address must be an ERC55 address in case of "EVM" domain`],
    [
      'an own EVM address that should authorise as a native one',
      () => into('1@DFI', erc55, erc55),
      `${FAILED}Src address must be a legacy or Bech32 address in case of "DVM" domain`,
    ],
    [
      'an EVM address on the DVM side',
      () => outOf('1@DFI', erc55),
      `${FAILED}Dst address must be a legacy or Bech32 address in case of "DVM" domain`,
    ],
    ['more than there is', () => into('1000@DFI'), `${FAILED}amount 134.00000000 is less than 1000.00000000`],
    [
      'a source outside the wallet',
      () => having(into('1@DFI'), 0, { address: 'mud4VMfbBqXNpbt8ur33KHKx8pk3npSq8c' }),
      '-5 no full public key for address mud4VMfbBqXNpbt8ur33KHKx8pk3npSq8c',
    ],
  ];
  for (const [name, sides, expected] of wrong) {
    test(`is refused with ${name}`, async () => {
      assert.equal(await transfer(sides(), { singlekeycheck: false }), expected);
      assert.deepEqual(await node.call('listlockunspent'), []);
    });
  }

  test('is refused in another form', async () => {
    const [src, dst] = into('1@DFI');
    const ask = (...args: readonly unknown[]) => node.call('transferdomain', args);
    assert.equal(await ask({}), '-3 Expected type array, got object');
    assert.equal(await ask([1]), '-1 JSON value is not an object as expected');
    assert.equal(await ask([{ src: 1, dst }]), '-3 Expected type object for src, got number');
    assert.equal(await ask([{ src, dst, nonce: 'one' }]), '-3 Expected type number for nonce, got string');
    assert.equal(await ask([{ src, dst, singlekeycheck: 1 }]), '-3 Expected type bool for singlekeycheck, got number');
    assert.equal(await ask([{ src, dst, data: '' }]), '-3 Unexpected key data');
    assert.equal(await ask([{ src }]), '-1 JSON value is not an object as expected');
    const pair = { src, dst };
    const several = 'TransferDomain currently only supports a single transfer per transaction';
    assert.equal(await ask([pair, pair]), `${FAILED}${several}`);
  });

  test('a coin that is too small needs a second input, which the network rejects', async () => {
    const poor = String(await node.call('getnewaddress', ['', 'bech32']));
    await node.call('sendtoaddress', [poor, 0.00001]);
    await node.confirm('accounttoaccount', [native, { [poor]: '1@DFI' }]);
    assert.equal(await transfer(into('1@DFI', await erc55Of(poor), poor)), `${FAILED}Invalid transfer domain TX`);
  });

  test('the nonce of a disconnected transfer is free again', async () => {
    await confirmed(into('1@DFI'));
    await node.call('invalidateblock', [await node.call('getbestblockhash')]);
    await node.call('clearmempool');
    await confirmed(into('1@DFI'));
    assert.deepEqual(pooled(), []);
  });

  test('every block records the EVM results, and templates can be made', async () => {
    const [coinbase] = lastBlock();
    assert.match(toHex(coinbase?.vout[1]?.scriptPubKey ?? EMPTY_BYTES), /^6a4c820{16}40(?:[0-9a-f]{2}){64}0{32}28/);
    const template = (await node.call('getblocktemplate', [{ rules: ['segwit'] }])) as { height?: number };
    assert.ok(template.height, JSON.stringify(template));
  });
});
