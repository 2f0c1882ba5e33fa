import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { evmHeader, evmTip } from '../../../src/dfi/evm/blocks.js';
import { EMPTY_BYTES, toHex } from '../../../src/util/bytes.js';
import { GRAND_CENTRAL } from '../../unit/dfi/fixture.js';
import { type FounderNode, startFounderNode } from '../founder-node.js';

const METACHAIN = 105;
const FEATURE = 'v0/params/feature/evm';

describe('governance switches the EVM', () => {
  let node: FounderNode;
  const tip = () => evmTip(node.chain.state)?.number;
  const set = async (value: 'true' | 'false') => {
    assert.match(await node.confirm('setgov', [{ ATTRIBUTES: { [FEATURE]: value } }]), /^[0-9a-f]{64}$/);
  };

  before(async () => {
    node = await startFounderNode({ ...GRAND_CENTRAL, metachain: METACHAIN });
    await node.mint(Math.max(1, METACHAIN - node.chain.tip.height), node.founder);
  });
  after(() => node.end());

  test('off and on again: EVM blocks continue with the next number, on the last EVM block', async () => {
    await set('true');
    await node.mint(3, node.founder);
    const before = tip() as number;
    await set('false');
    const last = tip() as number;
    assert.equal(last, before + 1, 'the block that carries the order still has an EVM block');
    await node.mint(2, node.founder);
    assert.equal(tip(), last, 'none while it is off');
    await set('true');
    assert.equal(tip(), last, 'nor in the block that carries the order');
    await node.mint(1, node.founder);
    assert.equal(tip(), last + 1);
    const [parent, child] = [last, last + 1].map((number) => evmHeader(node.chain.state, number));
    assert.deepEqual(child?.header.parentHash, parent?.hash);
    assert.equal((child?.dvmHeight ?? 0) - (parent?.dvmHeight ?? 0), 4);
  });

  test('a reorganisation past the switch and back leaves the same EVM blocks', async () => {
    const tipHash = () => toHex(evmTip(node.chain.state)?.hash ?? EMPTY_BYTES);
    const hash = tipHash();
    assert.ok(hash);
    const height = node.chain.tip.height;
    const entry = node.chain.entryAt(height - 4);
    assert.ok(entry);
    node.chain.invalidate(entry);
    node.chain.reconsider(entry);
    assert.equal(node.chain.tip.height, height);
    assert.equal(tipHash(), hash);
  });
});
