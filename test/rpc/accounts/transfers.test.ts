import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertRefused, testLocked } from '../custom-tx.js';
import { type FounderNode, startFounderNode } from '../founder-node.js';

const FOREIGN = 'mud4VMfbBqXNpbt8ur33KHKx8pk3npSq8c';
const TXID = 'ab'.repeat(32);

interface Shown {
  readonly txid: string;
  readonly vin: readonly { readonly txid: string; readonly vout: number; readonly sequence: number }[];
  readonly vout: readonly {
    readonly value: number;
    readonly scriptPubKey: { readonly hex: string; readonly type: string; readonly addresses?: readonly string[] };
  }[];
}

let node: FounderNode;
/** Address with coins and 100 DFI in its account; address with neither. */
let [rich, poor] = ['', ''];
let poorScript = '';

async function shown(txid: unknown): Promise<Shown> {
  const hex = await node.call('getrawtransaction', [txid]);
  return (await node.call('decoderawtransaction', [hex])) as Shown;
}

const addressOf = ({ vout }: Shown, index: number): string | undefined => vout[index]?.scriptPubKey.addresses?.[0];

describe('operations that send custom transactions', () => {
  before(async () => {
    node = await startFounderNode();
    rich = String(await node.call('getnewaddress', ['', 'legacy']));
    poor = String(await node.call('getnewaddress', ['', 'legacy']));
    const { scriptPubKey } = (await node.call('getaddressinfo', [poor])) as { scriptPubKey: string };
    poorScript = scriptPubKey;
    await node.call('sendtoaddress', [rich, 10]);
    await node.confirm('utxostoaccount', [{ [rich]: '100@DFI', [poor]: '3@0' }]);
  });

  after(() => node.end());

  describe('invalid arguments', () => {
    const cases: readonly (readonly [string, string, () => readonly unknown[], string | RegExp])[] = [
      ['unknown token', 'accounttoaccount', () => [rich, { [poor]: '1@NOPE' }], /^0 \w+: Invalid Defi token: NOPE$/],
      ['no amount', 'accounttoaccount', () => [rich, { [poor]: '' }], /^-3 \w+: Invalid amount$/],
      ['amount of zero', 'accounttoaccount', () => [rich, { [poor]: '0@DFI' }], /^-3 \w+: Amount out of range$/],
      ['array in an array', 'accounttoaccount', () => [rich, { [poor]: [['1@DFI']] }], /^-22 \w+: expected single amount$/],
      ['unknown owner', 'accounttoaccount', () => ['nobody', { [poor]: '1' }], '-5 recipient (nobody) does not refer to any valid address'],
      ['script of no form', 'accounttoutxos', () => ['00', { [poor]: '1' }], '-5 recipient script (00) does not solvable/non-standard'],
      ['empty map', 'accounttoaccount', () => [rich, {}], '-8 zero amounts'],
      ['empty list', 'utxostoaccount', () => [{ [poor]: [] }], '-8 zero amounts'],
      ['empty receivers', 'sendtokenstoaddress', () => [{}, {}], '-8 zero amounts in "to" param'],
      ['foreign sender', 'accounttoaccount', () => [FOREIGN, { [poor]: '1' }], `-5 Incorrect authorization for ${FOREIGN}`],
      ['DFI to a stranger', 'accounttoaccount', () => [rich, { [FOREIGN]: '1' }], `-5 The address (${FOREIGN}) is not your own address`],
      [
        'too little on the account',
        'accounttoaccount',
        () => [rich, { [poor]: '100.00000001@DFI' }],
        "-32600 Test AccountToAccountTx execution failed: not enough balance on owner's account, call utxostoaccount to increase it.\n" +
          'amount 100.00000000 is less than 100.00000001',
      ],
      ['too little on all accounts', 'sendtokenstoaddress', () => [{}, { [poor]: '104' }], /^-32600 Not enough balance on wallet accounts/],
      ['an unknown mode', 'sendtokenstoaddress', () => [{}, { [poor]: '1' }, 'all'], '-8 Invalide accounts selection mode.'],
      ['two texts for one owner', 'accounttoaccount', () => [rich, { [poor]: '1', [poorScript]: '1' }], /^-22 \w+: duplicate recipient$/],
      ['tokens from outputs', 'utxostoaccount', () => [{ [poor]: '1@128' }], /^-4 Unexpected token type set for recipient/],
      ['more than the wallet has', 'utxostoaccount', () => [{ [poor]: '1000000' }], '-4 Insufficient funds'],
      ['inputs that are no list', 'accounttoaccount', () => [rich, { [poor]: '1' }, {}], '-3 Expected type array, got object'],
      [
        'an input without txid',
        'accounttoaccount',
        () => [rich, { [poor]: '1' }, [{ '': 0 }]],
        '-1 JSON value is not a string as expected',
      ],
      [
        'an input without vout',
        'accounttoaccount',
        () => [rich, { [poor]: '1' }, [{ txid: TXID }]],
        '-8 Invalid parameter, missing vout key',
      ],
      [
        'a negative vout',
        'accounttoaccount',
        () => [rich, { [poor]: '1' }, [{ txid: TXID, vout: -1 }]],
        '-8 Invalid parameter, vout must be positive',
      ],
      ['an input of someone else', 'accounttoaccount', () => [rich, { [poor]: '1' }, [{ txid: TXID, vout: 0 }]], '-4 Insufficient funds'],
      ['an unknown contract', 'executesmartcontract', () => ['other', '1'], '-8 Specified smart contract not found'],
      ['a contract call from nowhere', 'executesmartcontract', () => ['dbtcdfiswap', '1@1'], /^-8 BTC source address must be provided/],
      ['a swap from nowhere', 'futureswap', () => ['00', '1@DFI'], '-5 Invalid address'],
      ['a swap from a list', 'futureswap', () => [['x'], '1@DFI'], '-5 Invalid address'],
      ['a withdrawal from an object', 'withdrawfutureswap', () => [{}, '1@DFI'], '-5 Invalid address'],
      ['a swap of null', 'futureswap', () => [rich, null], '-1 JSON value is not a string as expected'],
      ['a swap to nothing', 'futureswap', () => [rich, '1@DFI', 'NOPE'], '-5 Destination token not found'],
      ['outputs of no address', 'sendutxosfrom', () => ['x', rich, 1], '-5 Invalid from address'],
      ['no outputs to pay with', 'sendutxosfrom', () => [poor, rich, 1], /^-4 (Insufficient funds|Error: This transaction requires)/],
      ['a token that is not there', 'minttokens', () => ['1@300'], '-8 Token 300 does not exist!'],
      ['a collateral of nobody', 'createtoken', () => [{ symbol: 'A', collateralAddress: 'x' }], /^-8 collateralAddress \(x\)/],
      ['a masternode of a stranger', 'createmasternode', () => [FOREIGN], `-8 Address (${FOREIGN}) is not owned by the wallet`],
      ['no such masternode', 'resignmasternode', () => [TXID], `-8 The masternode ${TXID} does not exist`],
    ];
    for (const [name, method, args, answer] of cases) {
      test(`${name}: ${method}`, async () => assertRefused(node, { method, args, answer }));
    }
  });

  describe('sent transactions', () => {
    test('an owner authorises with a confirmed coin of its own and gets the change', async () => {
      const tx = await shown(await node.call('accounttoaccount', [rich, { [poor]: ['1@DFI', '1@0'] }]));
      assert.equal(tx.vin.length, 1);
      assert.equal(tx.vin[0]?.sequence, 0xffffffff);
      assert.deepEqual([tx.vout.length, tx.vout[0]?.value, tx.vout[0]?.scriptPubKey.type], [2, 0, 'nulldata']);
      assert.equal(addressOf(tx, 1), rich);
      await node.mint(1, node.founder);
      assert.deepEqual(await node.call('getaccount', [rich]), ['98.00000000@DFI']);
      assert.deepEqual(await node.call('getaccount', [poor]), ['5.00000000@DFI']);
      assert.deepEqual(await node.call('listlockunspent'), []);
    });

    test('an owner without a coin gets one first, with the change', async () => {
      const main = await shown(await node.call('accounttoaccount', [poor, { [rich]: '1' }]));
      const auth = await shown(main.vin[0]?.txid);
      assert.equal(auth.vout[0]?.scriptPubKey.hex, '6a054466547841');
      assert.deepEqual([auth.vout.length, addressOf(auth, 1)], [2, poor]);
      assert.equal(main.vin.length, 1);
      await node.mint(1, node.founder);
      assert.deepEqual(await node.call('getaccount', [poor]), ['4.00000000@DFI']);
    });

    test('outputs paid from an account are last and not funded by inputs', async () => {
      const tx = await shown(await node.call('accounttoutxos', [rich, { [rich]: '2', [poor]: '1.5' }]));
      assert.equal(addressOf(tx, 1), rich);
      assert.deepEqual(new Set(tx.vout.slice(2).map(({ value }) => value)), new Set([2, 1.5]));
      // Minting starts at output 2, the last byte of the message.
      assert.match(tx.vout[0]?.scriptPubKey.hex ?? '', /02$/);
      await node.mint(1, node.founder);
      assert.deepEqual(await node.call('getaccount', [rich]), ['95.50000000@DFI']);
    });

    test('named inputs are the first, and no other signer is searched for', async () => {
      const [coin] = (await node.call('listunspent', [1, 9999999, [rich]])) as { txid: string; vout: number }[];
      assert.ok(coin);
      const inputs = [{ txid: coin.txid, vout: coin.vout }];
      const tx = await shown(await node.call('accounttoaccount', [rich, { [poor]: '1' }, inputs]));
      assert.deepEqual([tx.vin[0]?.txid, tx.vin[0]?.vout], [coin.txid, coin.vout]);
      const [other] = (await node.call('listunspent', [1, 9999999, [node.founder]])) as { txid: string; vout: number }[];
      const wrong = await node.call('accounttoaccount', [rich, { [poor]: '1' }, [{ txid: other?.txid, vout: other?.vout }]]);
      assert.match(String(wrong), /^-32600 Test AccountToAccountTx execution failed:\ntx must have at least one input from account owner$/);
      await node.mint(1, node.founder);
    });

    test('a token: the fee is burnt in output 0, the collateral is output 1', async () => {
      const txid = await node.call('createtoken', [{ symbol: 'GOLD', name: 'gold', collateralAddress: rich }]);
      const tx = await shown(txid);
      assert.deepEqual([tx.vout[0]?.value, tx.vout[1]?.value, addressOf(tx, 1)], [1, 10, rich]);
      await node.mint(1, node.founder);
      await node.confirm('minttokens', [['300@GOLD#128', '1@128']]);
      assert.deepEqual(await node.call('getaccount', [rich]), ['94.50000000@DFI', '301.00000000@GOLD#128']);
      await node.confirm('accounttoaccount', [rich, { [FOREIGN]: '51@GOLD#128' }]);
      await node.confirm('burntokens', [{ amounts: '50@GOLD#128', from: rich }]);
      assert.deepEqual(await node.call('getaccount', [FOREIGN]), ['51.00000000@GOLD#128']);
      assert.deepEqual(await node.call('getaccount', [rich]), ['94.50000000@DFI', '200.00000000@GOLD#128']);
      assert.match(await node.confirm('updatetoken', ['GOLD#128', { name: 'golden' }]), /^[0-9a-f]{64}$/);
      const token = (await node.call('gettoken', ['128'])) as Record<string, { name: string }>;
      assert.equal(token['128']?.name, 'golden');
    });
  });

  describe('an address that is written twice', () => {
    const twice = () => `{"${poor}":"1@DFI","${poor}":"2@DFI"}`;

    for (const [method, args] of [
      ['accounttoaccount', () => `["${rich}",${twice()}]`],
      ['utxostoaccount', () => `[${twice()}]`],
      ['sendtokenstoaddress', () => `[{"${rich}":"1@DFI"},${twice()}]`],
    ] as const) {
      test(`${method}: its first amount counts`, async () => {
        const sent = await node.ask(method, args());
        assert.match(sent, /^"[0-9a-f]{64}"$/);
        const { results } = (await node.call('getcustomtx', [JSON.parse(sent)])) as { results: { to?: unknown } };
        assert.deepEqual(results.to ?? results, { [poor]: '1.00000000@0' });
      });
    }

    test('it is refused where outputs are paid or amounts taken from', async () => {
      assert.equal(await node.ask('accounttoutxos', `["${rich}",${twice()}]`), `-22 ${poor}: duplicate recipient`);
      const from = await node.ask('sendtokenstoaddress', `[${twice()},{"${poor}":"1@DFI"}]`);
      assert.equal(from, `-22 ${poor}: duplicate recipient`);
    });
  });

  testLocked(() => node, [['accounttoaccount', () => [rich, { [poor]: '1' }]]]);
});

test('-dvmownerskipcheck=0: DFI may go to accounts outside the wallet', async () => {
  const lenient = await startFounderNode(undefined, [], { ownAccountsOnly: false });
  try {
    await lenient.confirm('utxostoaccount', [{ [lenient.founder]: '5', [FOREIGN]: '2' }]);
    await lenient.confirm('accounttoaccount', [lenient.founder, { [FOREIGN]: '1' }]);
    await lenient.confirm('sendtokenstoaddress', [{ [lenient.founder]: ['1@DFI'] }, { [FOREIGN]: ['1@DFI'] }]);
    assert.deepEqual(await lenient.call('getaccount', [FOREIGN]), ['4.00000000@DFI']);
  } finally {
    await lenient.end();
  }
});
