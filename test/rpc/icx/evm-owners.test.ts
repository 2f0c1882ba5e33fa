import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { GRAND_CENTRAL } from '../../unit/dfi/fixture.js';
import { tried } from '../custom-tx.js';
import { type FounderNode, startFounderNode } from '../founder-node.js';

const METACHAIN = 115;
/** Address of the key 1, which is not in the wallet. */
const FOREIGN = '0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf';

/** Orders of owners with EVM addresses, which `defid` 4.2.5 does not refuse when it reads them. */
describe('icx: EVM addresses of the wallet as owners', () => {
  let node: FounderNode;
  let own = '';
  const order = (members: object) => [
    { chainFrom: 'BTC', tokenTo: 'DFI', ownerAddress: own, amountFrom: 1, orderPrice: 1, expiry: 2880, ...members },
  ];

  before(async () => {
    node = await startFounderNode({ ...GRAND_CENTRAL, metachain: METACHAIN });
    await node.mint(10, node.founder);
    await node.confirm('setgov', [{ ATTRIBUTES: { 'v0/params/feature/icx': 'true' } }]);
    const map = (await node.call('addressmap', [await node.call('getnewaddress', ['', 'bech32']), 1])) as { format: { erc55: string } };
    own = map.format.erc55;
  });
  after(() => node.end());

  test('an address of a foreign key is not owned', async () =>
    assert.equal(
      await node.call('icx_createorder', order({ ownerAddress: FOREIGN })),
      `-8 Address (${FOREIGN}) is not owned by the wallet`,
    ));

  test('the order is tested before its authorisation is refused', async () =>
    assert.equal(
      await node.call('icx_createorder', order({ amountFrom: 0 })),
      tried('ICXCreateOrder', 'order amountFrom must be greater than 0!'),
    ));

  test('the output that would authorise is not relayed', async () => {
    assert.equal(await node.call('icx_createorder', order({})), '-26 eth-scriptpubkey');
    const { txcount } = (await node.call('getwalletinfo')) as { readonly txcount: number };
    await node.mint(1, node.founder);
    assert.equal(
      ((await node.call('getwalletinfo')) as { readonly txcount: number }).txcount,
      txcount + 1,
      'the block adds its reward alone',
    );
  });
});
