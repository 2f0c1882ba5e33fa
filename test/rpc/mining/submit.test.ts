import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkParams } from '../../../src/params/index.js';
import { type Block, block as blockCodec } from '../../../src/primitives/block.js';
import { encode } from '../../../src/primitives/codec.js';
import { formatHash } from '../../../src/primitives/hash.js';
import { blockHeader } from '../../../src/primitives/header.js';
import { makeTransaction, type Transaction } from '../../../src/primitives/transaction.js';
import type { CallContext } from '../../../src/rpc/handler.js';
import { submitBlock } from '../../../src/services/mining/submit.js';
import { toHex } from '../../../src/util/bytes.js';
import { Slicer } from '../../../src/util/slicer.js';
import { startServices } from '../service-node.js';

const params = networkParams({ network: 'regtest' });
const ADDRESS = 'mud4VMfbBqXNpbt8ur33KHKx8pk3npSq8c';

function hexOf(block: Block): string {
  return toHex(encode(blockCodec(params.txFormat), block));
}

/** Blocks of another node, for submission to a new one. */
async function minted(count: number): Promise<Block[]> {
  const { chain, ask } = startServices(params, { operate: [0] });
  assert.equal(await ask('generatetoaddress', `[${count}, "${ADDRESS}"]`), String(count));
  return Array.from({ length: count }, (_, i) => {
    const entry = chain.entryAt(i + 1);
    return (entry && chain.block(entry)) as Block;
  });
}

const blocks = await minted(3);
const [first, second, third] = blocks as [Block, Block, Block];

function fresh() {
  const node = startServices(params);
  const submit = (hex: string) => node.ask('submitblock', JSON.stringify([hex]));
  const submitHeader = (hex: string) => node.ask('submitheader', JSON.stringify([hex]));
  return { ...node, submit, submitHeader };
}

test('submitblock: null for a block of the chain, then duplicate', async () => {
  const { chain, submit } = fresh();
  assert.equal(await submit(hexOf(first)), 'null');
  assert.equal(chain.tip.height, 1);
  assert.equal(await submit(hexOf(first)), '"duplicate"');
});

test('submitblock: unknown parents and invalid blocks are reported, the tip stays', async () => {
  const { chain, submit } = fresh();
  assert.equal(await submit(hexOf(second)), '"prev-blk-not-found"');
  const changed = { ...first, header: { ...first.header, merkleRoot: new Uint8Array(32).fill(1) } };
  assert.equal(await submit(hexOf(changed)), '"bad-txnmrklroot"');
  assert.equal(chain.tip.height, 0);
});

test('submitblock: a block known as invalid stays so', async () => {
  const { chain, submit, ask } = fresh();
  await submit(hexOf(first));
  await ask('invalidateblock', JSON.stringify([formatHash(first.hash)]));
  assert.equal(chain.tip.height, 0);
  await ask('reconsiderblock', JSON.stringify([formatHash(first.hash)]));
  assert.equal(chain.tip.height, 1);
});

test('submitblock: bytes after the block are ignored', async () => {
  const { submit } = fresh();
  assert.equal(await submit(`${hexOf(first)}00ff`), 'null');
});

test('submitblock: a coinbase without its witness nonce gets one', async () => {
  const segwit = networkParams({ network: 'regtest', segwitHeight: 1 });
  const source = startServices(segwit, { operate: [0] });
  await source.ask('generatetoaddress', `[1, "${ADDRESS}"]`);
  const block = source.chain.block(source.chain.tip) as Block;
  const [coinbase] = block.transactions as [Transaction];
  const bare = makeTransaction({ ...coinbase, vin: coinbase.vin.map((input) => ({ ...input, witness: [] })) }, segwit.txFormat);
  assert.notEqual(bare.raw.length, coinbase.raw.length);
  const target = startServices(segwit);
  assert.equal(await target.ask('submitblock', JSON.stringify([hexOf({ ...block, transactions: [bare] })])), 'null');
  const stored = target.chain.block(target.chain.tip)?.transactions[0];
  assert.deepEqual(stored?.vin[0]?.witness, [Buffer.alloc(32)]);
});

test('submitblock: a block must begin with a coinbase', async () => {
  const { submit } = fresh();
  assert.equal(await submit(hexOf({ ...first, transactions: [] })), '-22 Block does not start with a coinbase');
  const [coinbase] = first.transactions as [Transaction];
  const spending = makeTransaction(
    { ...coinbase, vin: coinbase.vin.map((input) => ({ ...input, prevout: { txid: new Uint8Array(32).fill(1), vout: 0 }, witness: [] })) },
    params.txFormat,
  );
  const other = hexOf({ ...first, transactions: [spending] });
  assert.equal(await submit(other), '-22 Block does not start with a coinbase');
  assert.equal(await submit(other.slice(0, -2)), '-22 Block decode failed');
});

const noBlocks = ['', '0', 'zz', '00', hexOf(first).slice(0, -2), 'ff'.repeat(300)];
for (const hex of noBlocks) {
  test(`submitblock: '${hex.slice(0, 12)}' of ${hex.length} digits is not a block`, async () => {
    assert.equal(await fresh().submit(hex), '-22 Block decode failed');
  });
}

test('submitblock: the second argument may be anything', async () => {
  const { ask } = fresh();
  assert.equal(await ask('submitblock', JSON.stringify([hexOf(first), { any: 1 }])), 'null');
});

test('submitheader: a header is accepted before its block', async () => {
  const { chain, submitHeader } = fresh();
  const header = toHex(encode(blockHeader, first.header));
  assert.equal(await submitHeader(header), 'null');
  assert.deepEqual([chain.tip.height, chain.bestHeader.height], [0, 1]);
  assert.equal(await submitHeader(header), 'null');
  // A whole block begins with its header.
  assert.equal(await submitHeader(hexOf(second)), 'null');
  assert.equal(chain.bestHeader.height, 2);
});

test('submitheader: refuses unknown parents, invalid headers and invalid bytes', async () => {
  const { submitHeader } = fresh();
  const text = `-25 Must submit previous header (${formatHash(second.hash)}) first`;
  assert.equal(await submitHeader(toHex(encode(blockHeader, third.header))), text);
  const late = { ...first.header, bits: 0x1d00ffff };
  assert.equal(await submitHeader(toHex(encode(blockHeader, late))), '-25 bad-diffbits');
  assert.equal(await submitHeader('00'), '-22 Block header decode failed');
});

test('submitblock: a long block is decoded in a later turn if this one is used up', async () => {
  const request = { hexdata: 'zz'.repeat(60_000), dummy: undefined };
  const call = { signal: new AbortController().signal } as CallContext;
  const submit = () => submitBlock({ chain: {} as never }, request, call);
  await new Promise((resolve) => setImmediate(resolve));
  const slicer = new Slicer();
  while (!slicer.pause());
  const answer = submit();
  assert.ok(answer instanceof Promise);
  await assert.rejects(answer, /Block decode failed/);
});
