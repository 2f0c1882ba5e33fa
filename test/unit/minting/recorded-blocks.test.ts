import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recoverMinter } from '../../../src/consensus/pos/signature.js';
import { publicKeyOf } from '../../../src/crypto/ecdsa.js';
import { hash160 } from '../../../src/crypto/hash.js';
import { type PrivateKey, parseWif } from '../../../src/crypto/keys.js';
import { signBlock } from '../../../src/minting/forge.js';
import { assembleBlock, withHeader } from '../../../src/minting/template.js';
import type { NetworkParams } from '../../../src/params/network.js';
import { block as blockCodec } from '../../../src/primitives/block.js';
import { decode, encode } from '../../../src/primitives/codec.js';
import type { Transaction } from '../../../src/primitives/transaction.js';
import { fromHex, toHex } from '../../../src/util/bytes.js';
import { emptyChain } from '../../chains/recorded-chain.js';
import { readRecording, sharedPath } from '../../shared.js';

/** Recordings whose flags reach different eras. Their first blocks contain only a coinbase. */
const cases = [
  { folder: 'base', name: 'rpc_getmininginfo', blocks: 62 },
  { folder: 'base', name: 'rpc_deriveaddresses', blocks: 200 },
  { folder: 'state', name: 'rpc_mn_basic', blocks: 110 },
  { folder: 'state', name: 'feature_community_development_funds', blocks: 120 },
  { folder: 'finance', name: 'feature_loan_scheme', blocks: 110 },
];

function keysOf({ masternode, address }: NetworkParams): Map<string, PrivateKey> {
  const keys = new Map<string, PrivateKey>();
  for (const { operatorKey } of masternode.genesis) {
    const key = operatorKey === undefined ? undefined : parseWif(operatorKey, address);
    if (key) keys.set(toHex(hash160(publicKeyOf(key.secret, key.compressed))), key);
  }
  return keys;
}

for (const { folder, name, blocks } of cases) {
  const path = sharedPath('golden', folder, `${name}.jsonl.gz`);
  test(`assembleBlock: reproduces the blocks of defid in ${name}, signatures included`, { skip: path === undefined }, () => {
    const recording = readRecording(path as string);
    const { chain, clock } = emptyChain(recording);
    const keys = keysOf(chain.params);
    let remade = 0;
    for (const step of recording.steps) {
      if (!('hex' in step) || step.block > blocks) continue;
      clock.set(step.time);
      const bytes = fromHex(step.hex);
      const { header, transactions } = decode(blockCodec(chain.params.txFormat), bytes);
      const key = keys.get(toHex(recoverMinter(header) ?? new Uint8Array(0)));
      const [coinbase] = transactions as [Transaction];
      if (key && transactions.length === 1) {
        const scriptPubKey = coinbase.vout[0]?.scriptPubKey as Uint8Array;
        const { block } = assembleBlock({ parent: chain.tip, time: header.time, scriptPubKey }, chain.params);
        const { stakeModifier, mintedBlocks } = header;
        const signed = signBlock(withHeader(block.transactions, { ...block.header, stakeModifier, mintedBlocks }), key);
        assert.equal(toHex(encode(blockCodec(chain.params.txFormat), signed)), step.hex, `${name} block ${step.block}`);
        remade += 1;
      }
      chain.submitBlock(bytes);
    }
    assert.equal(remade, blocks);
  });
}
