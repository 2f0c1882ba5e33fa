import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evmHeaders, type StoredHeader } from '../../../src/dfi/evm/block-columns.js';
import { evmHeader } from '../../../src/dfi/evm/blocks.js';
import { Overlay } from '../../../src/storage/overlay.js';
import { RecordedNode } from './recorded-node.js';

const node = new RecordedNode('main').connect();

function hex(value: bigint | number): string {
  return `0x${value.toString(16)}`;
}

test('suggested prices follow the last block', async () => {
  const young = new RecordedNode('edge');
  assert.equal(await young.ask('eth_gasPrice'), '0x2540be400');
  assert.equal(await young.ask('eth_maxPriorityFeePerGas'), '0x0');
  young.connect();
  const before = [await young.ask('eth_gasPrice'), await young.ask('eth_maxPriorityFeePerGas')];
  const base = young.built.at(-1)?.header.baseFee ?? 0n;
  assert.equal(BigInt(before[0] as string), base + BigInt(before[1] as string));
  young.disconnect();
  assert.equal(BigInt((await young.ask('eth_gasPrice')) as string) >= (young.built.at(-1)?.header.baseFee ?? 0n), true);
});

test('eth_feeHistory: base fees, ratios and rewards', async () => {
  const last = node.built.length - 1;
  const history = (await node.ask('eth_feeHistory', hex(3), 'latest', [0, 50, 100])) as Record<string, unknown[]>;
  const blocks = node.built.slice(-3);
  assert.equal(history.oldestBlock, hex(last - 2));
  assert.deepEqual(
    history.baseFeePerGas?.slice(0, 3),
    blocks.map(({ header }) => hex(header.baseFee)),
  );
  assert.equal(history.baseFeePerGas?.length, 4);
  assert.deepEqual(
    history.gasUsedRatio,
    blocks.map(({ header }) => Number(header.gasUsed) / 30_000_000),
  );
  for (const [i, rewards] of (history.reward as string[][]).entries()) {
    const block = blocks[i];
    const fees = block?.entries.map(({ price }) => (price > block.header.baseFee ? price - block.header.baseFee : 0n)) ?? [];
    const highest = fees.reduce((a, b) => (a > b ? a : b), 0n);
    assert.equal(rewards.length, 3);
    assert.ok(rewards.every((reward) => BigInt(reward) <= highest));
    assert.deepEqual(
      [...rewards].map(BigInt).sort((a, b) => (a < b ? -1 : 1)),
      rewards.map(BigInt),
    );
  }
  const whole = (await node.ask('eth_feeHistory', hex(1024), 'latest', [])) as Record<string, unknown>;
  assert.equal(whole.oldestBlock, '0x0');
  assert.equal(whole.reward, null);
});

/** A node with the recorded chain whose block has another header. */
function withHeader(number: number, change: Partial<StoredHeader['header']>): RecordedNode {
  const edited = new RecordedNode('main').connect();
  const stored = evmHeader(edited.store, number) as StoredHeader;
  const overlay = new Overlay(edited.store);
  overlay.put(evmHeaders, number, { ...stored, header: { ...stored.header, ...change } });
  edited.store.write(overlay.changes());
  return edited;
}

test('eth_feeHistory: the last base fee is that of the block after the newest one, computed if there is none yet', async () => {
  const last = node.built.length - 1;
  const [gasLimit, gasUsed] = [30_000_000n, 30_000_000n];
  const edited = withHeader(last, { baseFee: 8_000_000_000n, gasLimit, gasUsed });
  const baseFees = async (newest: number) =>
    ((await edited.ask('eth_feeHistory', hex(1), hex(newest), [])) as { baseFeePerGas: string[] }).baseFeePerGas;
  assert.deepEqual(await baseFees(last - 1), [hex(node.built[last - 1]?.header.baseFee ?? 0n), hex(8_000_000_000n)]);
  // A full block raises it by an eighth: its gas is twice the target.
  assert.deepEqual(await baseFees(last), [hex(8_000_000_000n), hex(9_000_000_000n)]);
});

test('eth_feeHistory: small ratios have the form of defid', async () => {
  const edited = withHeader(node.built.length - 1, { gasUsed: 21_000n, gasLimit: 10_000_000_000n });
  const answer = await edited.call('eth_feeHistory', ['0x1', 'latest', []]);
  assert.match('result' in answer ? answer.result : '', /"gasUsedRatio":\[2\.1e-6\]/);
});

test('eth_feeHistory: refused arguments', async () => {
  const cases: readonly (readonly [number, readonly number[], string])[] = [
    [0, [], 'Block count requested smaller than minimum allowed range of 1'],
    [1025, [], 'Block count requested larger than maximum allowed range of 1024'],
    [1, Array.from({ length: 101 }, () => 1), 'List of percentile values exceeds maximum allowed size of 100'],
    [1, [-1], 'Percentile value less than inclusive range of 0'],
    [1, [101], 'Percentile value more than inclusive range of 100'],
    [1, [2, 1], 'List of percentile values are not monotonically increasing'],
  ];
  for (const [count, percentiles, text] of cases) {
    const { error } = (await node.ask('eth_feeHistory', hex(count), 'latest', percentiles)) as { error: Error };
    assert.equal(error.message, `Custom error: error calling EVM : "${text}"`);
  }
});
