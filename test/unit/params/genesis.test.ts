import assert from 'node:assert/strict';
import { test } from 'node:test';
import { publicKeyOf } from '../../../src/crypto/ecdsa.js';
import { hash160 } from '../../../src/crypto/hash.js';
import { parseWif } from '../../../src/crypto/keys.js';
import { type NetworkOptions, networkParams } from '../../../src/params/index.js';
import { block } from '../../../src/primitives/block.js';
import { decode, encode } from '../../../src/primitives/codec.js';
import { formatHash } from '../../../src/primitives/hash.js';
import { blockHeader } from '../../../src/primitives/header.js';
import { merkleRoot } from '../../../src/primitives/merkle.js';
import { decodeDestination } from '../../../src/script/address.js';
import { toHex } from '../../../src/util/bytes.js';
import { protocolData } from '../../shared.js';

interface Expected {
  readonly name: string;
  readonly options: NetworkOptions;
  readonly data: string;
  readonly hash: string;
  readonly merkleRoot: string;
  readonly coinbase: string;
  /** Satoshis in all outputs of the coinbase. */
  readonly supply: bigint;
  readonly masternodes: readonly string[];
}

const REGTEST_MASTERNODES = [
  'e86c027861cc0af423313f4152a44a83296a388eb51bf1a6dde9bd75bed55fb4',
  '18a2c79448e8feeed9ee3e6a5ea9b2640062557ddac8e9ac2ee04f62ed484f24',
  '35db8101a4fb72d27af93622a20cdfee160466112252ac2866d5ccd564b55b25',
  '3a64ec587a39d3f5b1e1944c6f800709453ce8fe7a65a63cec8cc2dd26ad8671',
  '9453c482d36d38b94849feaacd0fe627cf26ff95895b7a12aa6c03d9d024b23c',
  '5a9f884dcfe5650b9454e0a48d83a817b41f3abe1f5e3e6c71d5718b956b675e',
  '73ca119312bcb15d09ee87d9629de53cce815b22c8e51d67fee6dffb67a7287a',
  '03280abd3d3ae8dc294c1a572cd7912c3c3e53044943eac62c2f6c4687c87f10',
];

const TEST = {
  data: 'genesis-testnet.json',
  hash: '034ac8c88a1a9b846750768c1ad6f295bc4d0dc4b9b418aee5c0ebd609be8f90',
  merkleRoot: 'b71cfd828e692ca1b27e9df3a859740851047a5b5a68f659a908e8815aa35f38',
  coinbase: '04732958bd886fb23561673b4c9abad484cbe20658670f5ceeef3f2bcd98ad51',
  supply: 30_000_000_000_000_000n,
  masternodes: [
    '0e252cecef2581006eb4bf503dd430c403f2f0a8b54519c2b222c601e0f0c2d2',
    'ec394fdd294275ec09579fe2cb9df1d4dff852d1457cf18985a8813986716861',
    'd974445172d94e25468575ccbd3de28dd8c3231276e700b1b17f2e7589b3d1ac',
    '2a7ddddb0056bd814a580ec3a0420d6316a198e6ca60267f1d04cd6abe2ba31e',
  ],
};

const cases: readonly Expected[] = [
  {
    name: 'main',
    options: { network: 'main' },
    data: 'genesis-main.json',
    hash: '279b1a87aedc7b9471d4ad4e5f12967ab6259926cd097ade188dfcf22ebfe72a',
    merkleRoot: '03d771953b10d3506b3c3d9511e104d715dd29279be4b072ffc5218bb18adacf',
    coinbase: '38a428686f98876f3346b3ba878680006cb5b55dc2abb68e9b369b176c647ddd',
    supply: 58_800_000_000_000_000n,
    masternodes: [
      'ec6d7185414fecccf2bc3aa58d668b6548ad6c48daa1ad6d33cea178a7a1f233',
      'd8e47a9a0ed41e565264253cf265b71ec8b8535df1a4b15bf3b30cf86741cff1',
      'dd6df6d393f1e6f653bdeb27c0367a718a5ef54dd158429ad26a1d91668693c0',
    ],
  },
  { name: 'test', options: { network: 'test' }, ...TEST },
  { name: 'devnet', options: { network: 'devnet' }, ...TEST },
  { name: 'changi', options: { network: 'changi' }, ...TEST },
  {
    name: 'regtest',
    options: { network: 'regtest' },
    data: 'genesis-regtest.json',
    hash: '0091f00915b263d08eba2091ba70ba40cea75242b3f51ea29f4a1b8d7814cd01',
    merkleRoot: 'c4b6f1f9a7bbb61121b949b57be05e8651e7a0c55c38eb8aaa6c6602b1abc444',
    coinbase: '7eab5c88d62a0ceb9b0a53f60c0d955d80306c221b1a33d4c16983af5c598c62',
    supply: 5_000_000_000n,
    masternodes: REGTEST_MASTERNODES,
  },
  {
    name: 'jellyfish regtest',
    options: { network: 'regtest', jellyfish: true },
    data: 'genesis-regtest-jellyfish.json',
    hash: 'd744db74fb70ed42767ae028a129365fb4d7de54ba1b6575fb047490554f8a7b',
    merkleRoot: '5615dbbb379da893dd694e02d25a7955e1b7471db55f42bbd82b5d3f5bdb8d38',
    coinbase: '9fb9c46b1d12dae8a4a35558f7ef4b047df3b444b1ead61d334e4f187f5f58b7',
    supply: 40_000_010_000_000_000n,
    masternodes: REGTEST_MASTERNODES,
  },
];

for (const expected of cases) {
  const params = networkParams(expected.options);
  const { genesis } = params;

  test(`genesis of ${expected.name}: hash, merkle root, coinbase, masternodes`, () => {
    assert.equal(formatHash(genesis.hash), expected.hash);
    assert.equal(formatHash(genesis.header.merkleRoot), expected.merkleRoot);
    assert.equal(formatHash(merkleRoot(genesis.transactions.map((tx) => tx.txid)).root), expected.merkleRoot);
    assert.equal(encode(blockHeader, genesis.header).length, 125);
    const [coinbase, ...creations] = genesis.transactions;
    assert.ok(coinbase);
    assert.equal(formatHash(coinbase.txid), expected.coinbase);
    assert.equal(
      coinbase.vout.reduce((sum, out) => sum + out.value, 0n),
      expected.supply,
    );
    assert.deepEqual(
      params.masternode.genesis.map(({ id }) => formatHash(id)),
      expected.masternodes,
    );
    assert.deepEqual(
      creations.map(({ txid }) => formatHash(txid)),
      expected.masternodes,
    );
  });

  test(`genesis of ${expected.name}: every byte`, () => {
    const data = protocolData<{ readonly blockHex: string; readonly headerHex: string }>(expected.data);
    assert.equal(toHex(encode(block(params.txFormat), genesis)), data.blockHex);
    assert.equal(toHex(encode(blockHeader, genesis.header)), data.headerHex);
    assert.deepEqual(decode(block(params.txFormat), encode(block(params.txFormat), genesis)).hash, genesis.hash);
  });
}

test('the published keys of regtest are those of its masternodes', () => {
  const { masternode, address } = networkParams({ network: 'regtest' });
  assert.equal(masternode.genesis.length, 8);
  for (const node of masternode.genesis) {
    for (const [wif, text] of [
      [node.ownerKey, node.ownerAddress],
      [node.operatorKey, node.operatorAddress],
    ] as const) {
      const key = parseWif(wif ?? '', address);
      const destination = decodeDestination(text, address);
      assert.ok(key && destination && 'hash' in destination);
      assert.equal(toHex(hash160(publicKeyOf(key.secret, key.compressed))), toHex(destination.hash));
    }
  }
});
