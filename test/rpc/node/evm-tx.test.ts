import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { formatHash } from '../../../src/primitives/hash.js';
import { GRAND_CENTRAL } from '../../unit/dfi/fixture.js';
import { type FounderNode, startFounderNode } from '../founder-node.js';

const METACHAIN = 120;
const TXID = /^[0-9a-f]{64}$/;
const FAILED = '-32600 Test EvmTx execution failed:\n';
/** Keys in the form of EVM programs, and their addresses. */
const SECRET = 'af990cc3ba17e776f7f57fcc59942a82846d75833fa17d2ba59ce6858d886e23';
const FROM = '0x9b8a4af42140d8a4c153a822f02571a1dd037e89';
const TO = '0x6c34cbb9219d8caa428835d2073e8ec88ba0a110';

interface Custom {
  readonly type: string;
  readonly valid: boolean;
  readonly results: Record<string, unknown>;
}

interface Details {
  readonly tx: readonly { readonly txid: string; readonly vm?: Record<string, unknown> }[];
}

describe('evmtx', () => {
  let node: FounderNode;
  const send = (...args: readonly unknown[]) => node.call('evmtx', args);
  const details = async () => (await node.call('getblock', [formatHash(node.chain.tip.hash), 3])) as Details;
  const balance = async (address: string) => String(await node.call('getaccount', [address]));

  before(async () => {
    node = await startFounderNode({ ...GRAND_CENTRAL, metachain: METACHAIN });
  });
  after(() => node.end());

  test('is refused before Metachain, and while the EVM is off', async () => {
    assert.equal(await node.call('importprivkey', [SECRET]), null);
    await node.mint(METACHAIN - 2 - node.chain.tip.height, node.founder);
    assert.equal(await send(FROM, 0, 21, 21_000, TO, 0.1), `${FAILED}called before Metachain height`);
    await node.mint(1, node.founder);
    assert.equal(await send(FROM, 0, 21, 21_000, TO, 0.1), `${FAILED}Cannot create tx, EVM is not enabled`);
  });

  test('refuses wrong arguments in the order of the checks', async () => {
    const { founder } = node;
    assert.equal(await send(founder, -1, 21, 21_000, 'x', 1), '-8 from address not an Ethereum address');
    assert.equal(await send('x', 0, 21, 21_000, TO, 1), '-8 from address not an Ethereum address');
    assert.equal(await send(TO, -1, 21, 21_000, TO, 1), '-4 Private key for from address not found in wallet');
    for (const numbers of [
      [-1, 21, 21_000],
      [0, -1, 21_000],
      [0, 21, -1],
    ])
      assert.equal(await send(FROM, ...numbers, 'x', -1), '-8 Input params cannot be negative');
    assert.equal(await send(FROM, -1, 'x', 'y', 'x', -1), '-8 Input params cannot be negative');
    assert.equal(await send(FROM, 0, 'x', -1, 'x', -1), '-1 JSON value is not an integer as expected');
    assert.equal(await send(FROM, 0, 21, 21_000, 'x', -1), '-3 Amount out of range');
    assert.equal(await send(FROM, 0, 21, 21_000, 'x', 'y'), '-3 Invalid amount');
    for (const to of [founder, 'x']) assert.equal(await send(FROM, 0, 21, 21_000, to, 1, 'z'), '-8 to address not an Ethereum address');
    for (const data of ['z', '123', '', '0x12'])
      assert.equal(await send(FROM, 0, 21, 21_000, TO, 1, data), '-8 Input param expected to be in hex format');
    assert.equal(await send(FROM, '0', 21, 21_000, TO, 1), '-1 JSON value is not an integer as expected');
    assert.equal(await send(FROM, 0, 2 ** 63, 21_000, TO, 1), '-1 JSON integer out of range');
    assert.equal(await send(FROM, 0, 21, 21_000, TO), '-1 usage');
  });

  test('a locked wallet signs nothing', async () => {
    await node.call('createwallet', ['locked', false, false, 'pass']);
    const answer = await node.call('evmtx', [FROM, 0, 21, 21_000, TO, 1], 'locked');
    assert.match(String(answer), /^-13 |^-18 /);
  });

  test('sends, and is shown once it is mined', async () => {
    await node.mint(1, node.founder);
    const attributes = { 'v0/params/feature/evm': 'true', 'v0/params/feature/transferdomain': 'true' };
    assert.match(await node.confirm('setgov', [{ ATTRIBUTES: attributes }]), TXID);
    assert.match(await node.confirm('utxostoaccount', [{ [node.founder]: '100@DFI' }]), TXID);
    const sides = [
      { address: node.founder, amount: '50@DFI', domain: 2 },
      { address: FROM, amount: '50@DFI', domain: 3 },
    ];
    assert.match(await node.confirm('transferdomain', [[{ src: sides[0], dst: sides[1], singlekeycheck: false }]]), TXID);
    assert.equal(await balance(FROM), '50.00000000@DFI');
    assert.equal(
      await send(FROM, 0, 21, 20_999, TO, 1),
      `${FAILED}evm tx failed to pre-validate gas limit is below the minimum gas per tx`,
    );
    const txid = String(await send(FROM, 0, 21, 21_000, TO, 1, 'c0ffee'));
    assert.match(txid, TXID);
    assert.equal(await send(FROM, 0, 21, 21_000, TO, 1), txid, 'the data are left out, and a known transaction is no error');
    const decoded = { type: 'Evm', valid: true, results: {} };
    assert.deepEqual(await node.call('getcustomtx', [txid]), decoded);
    await node.mint(1, node.founder);
    assert.equal(await balance(TO), '1.00000000@DFI');
    const fields = {
      ...{ type: 'legacy', sender: FROM, nonce: 0, gasPrice: 2, gasLimit: 21_000, maxFeePerGas: 0, maxPriorityFeePerGas: 0 },
      ...{ createTx: false, to: TO, value: 100_000_000 },
    };
    const { results, type, valid } = (await node.call('getcustomtx', [txid, formatHash(node.chain.tip.hash)])) as Custom;
    const { hash, ...others } = results;
    assert.deepEqual([type, valid, others], ['Evm', true, fields]);
    assert.equal(hash, '8c99e9f053e033078e33c2756221f38fd529b914165090a615f27961de687497', 'as recorded with defid');
    const [coinbase, carrier] = (await details()).tx;
    assert.deepEqual(carrier?.vm, { vmtype: 'evm', txtype: 'Evm', msg: results });
    assert.equal(await linkOf(txid), `0x${hash}`);
    const { msg, xvmHeader, ...vm } = coinbase?.vm ?? {};
    assert.deepEqual(vm, { vmtype: 'coinbase', txtype: 'coinbase' });
    const { version, evm } = msg as { version: number; evm: Record<string, unknown> };
    const { blockHash, beneficiary, ...fees } = evm;
    assert.deepEqual([version, fees], [0, { version: 0, burntFee: 21_000, priorityFee: 23_100 }]);
    assert.equal(await linkOf(formatHash(node.chain.tip.hash)), blockHash);
    const { number, gasUsed, gasLimit, baseFee, nonce, ...header } = xvmHeader as Record<string, unknown>;
    assert.deepEqual([number, gasUsed, gasLimit, baseFee, nonce], [2, 21_000, 30_000_000, 1, 0]);
    assert.deepEqual(Object.keys(header), ['parenthash', 'beneficiary', 'stateRoot', 'receiptRoot', 'timestamp']);
    assert.equal(beneficiary, `0x${header.beneficiary}`);
  });

  test('an empty recipient is the zero address', async () => {
    const txid = String(await send(FROM, 1, 21, 21_000, '', 1));
    assert.match(txid, TXID);
    await node.mint(1, node.founder);
    const { results } = (await node.call('getcustomtx', [txid, formatHash(node.chain.tip.hash)])) as Custom;
    assert.deepEqual([results.createTx, results.to], [false, `0x${'00'.repeat(20)}`]);
  });

  async function linkOf(input: string): Promise<string> {
    return ((await node.call('vmmap', [input])) as { output: string }).output;
  }
});
