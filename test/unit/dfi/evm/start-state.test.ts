import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { evmBlock, evmTip } from '../../../../src/dfi/evm/blocks.js';
import { parseStartState, putStartState } from '../../../../src/dfi/evm/start-state.js';
import { EvmState } from '../../../../src/dfi/evm/view-state.js';
import { dfiColumns } from '../../../../src/dfi/execution/all-columns.js';
import { DecodeError } from '../../../../src/primitives/codec.js';
import { MemoryStore } from '../../../../src/storage/memory.js';
import { Overlay } from '../../../../src/storage/overlay.js';
import { toHex } from '../../../../src/util/bytes.js';
import { EvmNode } from '../../minting/evm-node.js';

const FIRST = 'a94f5374fce5edbc8e2a8697c15331677e6ebf0b';
const SECOND = '0x6be02d1d3665660d22ff9624b7be0551ee1ac91b';
const SLOT = '00'.repeat(31);
const json = {
  difficulty: '0x400000',
  extraData: '0x686f727365',
  gasLimit: '0x1388',
  mixHash: `0x${'0a'.repeat(32)}`,
  nonce: '0x123123123123123f',
  timestamp: '0x539',
  alloc: {
    [FIRST]: { balance: '0x09184e72a000' },
    [SECOND]: { balance: '0x5', code: [0x60, 0x01], storage: { [`0x${SLOT}07`]: `0x${SLOT}09` } },
  },
  config: { ethash: {} },
};

function started(view = new Overlay(new MemoryStore())): Overlay {
  putStartState(view, parseStartState(JSON.stringify(json)));
  return view;
}

describe('a start state', () => {
  test('has the accounts and the header of its file', () => {
    const view = started();
    const state = new EvmState(view);
    assert.equal(state.account(BigInt(`0x${FIRST}`))?.balance, 10_000_000_000_000n);
    assert.deepEqual(Array.from(state.code(BigInt(SECOND)).bytes), [0x60, 0x01]);
    assert.equal(state.storage(BigInt(SECOND), 7n), 9n);
    assert.equal(state.account(1n), undefined);
    const { header, entries } = evmBlock(view, 0) ?? assert.fail('no block 0');
    assert.deepEqual([header.difficulty, header.gasLimit, header.timestamp, header.baseFee], [0x400000n, 5_000n, 1_337n, 10_000_000_000n]);
    assert.equal(toHex(header.seal?.nonce ?? new Uint8Array()), '123123123123123f');
    assert.equal(Buffer.from(header.extraData).toString(), 'horse');
    assert.deepEqual(entries, []);
  });

  test('replaces an EVM, and its blocks follow on block 0', () => {
    const node = new EvmNode();
    node.mint();
    const view = new Overlay(new MemoryStore());
    for (const column of dfiColumns) for (const [key, value] of node.chain.state.entries(column)) view.put(column, key, value);
    assert.equal(evmTip(view)?.number, 1);
    started(view);
    assert.deepEqual(
      dfiColumns.filter(({ name }) => name.startsWith('evm/')).map((column) => [...view.entries(column)].length),
      dfiColumns.filter(({ name }) => name.startsWith('evm/')).map((column) => [...started().entries(column)].length),
    );
    assert.equal(evmTip(view)?.number, 0);
  });

  const bad: readonly string[] = [
    '',
    '[]',
    '{"alloc":{"0x01":{"balance":"0x1"}}}',
    `{"alloc":{"${FIRST}":{}}}`,
    `{"alloc":{"${FIRST}":{"balance":"0x1","code":"0x60"}}}`,
    `{"alloc":{"${FIRST}":{"balance":"0x1","storage":{"0x0":"0x0"}}}}`,
    '{"nonce":"0x12"}',
    '{"timestamp":"0x10000000000000000"}',
  ];
  for (const text of bad) test(`is refused if malformed: ${text}`, () => assert.throws(() => parseStartState(text), DecodeError));
});
