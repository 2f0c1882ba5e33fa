import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Daemon, freePort } from '../daemon.js';

const OPERATOR = { address: 'mps7BdmwEF2vQ9DREDyNPibqsuSRZ8LuwQ', key: 'cPGEaz8AGiM71NGMRybbCqFNRcuUhg3uGvyY4TFE1BZC26EW2PkC' };
const FOUNDER = { address: 'mwsZw8nF7pKxWH8eoKL9tPxTpaFkz7QeLU', key: 'cRiRQ9cHmy5evDqNDdEV8f6zfbK6epi9Fpz4CRZsmLEmkwy54dWz' };
const UPGRADES = [
  'amk',
  'bayfront',
  'bayfrontgardens',
  'dakota',
  'eunos',
  'eunospaya',
  'fortcanning',
  'fortcanninghill',
  'fortcanningroad',
  'fortcanningcrunch',
  'fortcanningspring',
  'fortcanninggreatworld',
  'fortcanningepilogue',
  'grandcentral',
  'metachain',
];
const FLAGS = [...UPGRADES.map((name) => `-${name}height=50`), '-txnotokens=0', '-dummypos=1', `-masternode_operator=${OPERATOR.address}`];

describe('two nodes with a ledger of the EVM', () => {
  let [one, two] = [new Daemon(FLAGS), new Daemon(FLAGS)];
  let [native, erc55] = ['', ''];

  before(async () => {
    const port = await freePort();
    one = new Daemon([...FLAGS, '-listen=1', '-bind=127.0.0.1', `-port=${port}`]);
    two = new Daemon([...FLAGS, `-connect=127.0.0.1:${port}`]);
    await Promise.all([one.start(), two.start()]);
    for (const { key } of [OPERATOR, FOUNDER]) for (const node of [one, two]) await node.ask('importprivkey', key);
    await mint(one, 110);
    native = String(await one.ask('getnewaddress', '', 'bech32'));
    ({ erc55 } = ((await one.ask('addressmap', native, 1)) as { format: { erc55: string } }).format);
    await one.ask('sendtoaddress', native, 10);
    await one.ask('createtoken', { symbol: 'BTC', name: 'Bitcoin', isDAT: true, collateralAddress: FOUNDER.address });
    await mint(one);
    await one.ask('utxostoaccount', { [native]: '100@DFI' });
    await one.ask('minttokens', '50@BTC');
    await mint(one);
    await one.ask('accounttoaccount', FOUNDER.address, { [native]: '50@BTC' });
    await setGov({ 'v0/params/feature/evm': 'true', 'v0/params/feature/transferdomain': 'true' });
    await setGov({ 'v0/transferdomain/dvm-evm/dat-enabled': 'true', 'v0/transferdomain/evm-dvm/dat-enabled': 'true' });
  });

  after(async () => {
    await Promise.all([one.destroy(), two.destroy()]);
  });

  async function mint(node: Daemon, count = 1): Promise<void> {
    assert.equal(await node.ask('generatetoaddress', count, FOUNDER.address), count);
  }

  async function setGov(attributes: object): Promise<void> {
    await one.ask('setgov', { ATTRIBUTES: attributes });
    await mint(one);
  }

  function move(amount: string, way: 'in' | 'out'): Promise<unknown> {
    const [here, there] = [
      { address: native, amount, domain: 2 },
      { address: erc55, amount, domain: 3 },
    ];
    return one.ask('transferdomain', [way === 'in' ? { src: here, dst: there } : { src: there, dst: here }]);
  }

  /** Answers of a node about its state: tip, both accounts and the statistics. */
  async function stateOf(node: Daemon): Promise<string> {
    const accounts = [await node.ask('getaccount', native), await node.ask('getaccount', erc55)];
    return JSON.stringify([await node.ask('getbestblockhash'), accounts, await node.ask('listgovs', 'live')]);
  }

  async function untilLevel(): Promise<void> {
    const tips = () => Promise.all([one, two].map((node) => node.ask('getbestblockhash')));
    for (let tries = 0; new Set(await tips()).size > 1; tries++) {
      assert.ok(tries < 300, 'the nodes disagree');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  test('agree on transfers in both directions', async () => {
    await move('60@DFI', 'in');
    await move('20@BTC', 'in');
    await mint(one);
    await move('25@DFI', 'out');
    await move('5@BTC', 'out');
    await mint(one);
    await untilLevel();
    assert.equal(await stateOf(one), await stateOf(two));
    assert.deepEqual(await two.ask('getaccount', native), ['65.00000000@DFI', '35.00000000@BTC']);
    assert.deepEqual(await two.ask('getaccount', erc55), ['35.00000000@DFI']);
  });

  test('accept blocks of each other', async () => {
    await mint(two, 2);
    await untilLevel();
    assert.equal(await stateOf(one), await stateOf(two));
  });

  test('disconnect and reconnect them', async () => {
    const before = await stateOf(one);
    const height = Number(await one.ask('getblockcount'));
    const block = await one.ask('getblockhash', height - 3);
    await one.ask('invalidateblock', block);
    assert.deepEqual(await one.ask('getaccount', native), ['100.00000000@DFI', '50.00000000@BTC']);
    assert.deepEqual(await one.ask('getaccount', erc55), []);
    assert.doesNotMatch(JSON.stringify(await one.ask('listgovs', 'live')), /transferdomain/);
    await one.ask('reconsiderblock', block);
    assert.equal(await stateOf(one), before);
  });

  test('keep it after a restart', async () => {
    const before = await stateOf(two);
    await two.end();
    await two.start();
    assert.equal(await stateOf(two), before);
  });
});
