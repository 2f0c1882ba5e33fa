import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recoverCompact } from '../../src/crypto/ecdsa.js';
import { hash160 } from '../../src/crypto/hash.js';
import { networkParams } from '../../src/params/index.js';
import { block, blockSizes } from '../../src/primitives/block.js';
import { ByteWriter, decode, encode } from '../../src/primitives/codec.js';
import { formatHash } from '../../src/primitives/hash.js';
import { blockHeader, hashToSign } from '../../src/primitives/header.js';
import { merkleRoot } from '../../src/primitives/merkle.js';
import { compactSizeLength, serializeTransaction, type TxFormat } from '../../src/primitives/transaction.js';
import { decodeDestination } from '../../src/script/address.js';
import { fromHex, toHex } from '../../src/util/bytes.js';
import { readRecording, recordings } from '../shared.js';
import { paramsOfFlags } from './recorded-chain.js';

const regtest = networkParams({ network: 'regtest' });

/** Key ids, in hex, of the operators that regtest starts with. */
const genesisOperators = new Set(
  regtest.masternode.genesis.map(({ operatorAddress }) => {
    const destination = decodeDestination(operatorAddress, regtest.address);
    assert.ok(destination && 'hash' in destination);
    return toHex(destination.hash);
  }),
);

/** Encodes a block from its fields again. The codec of a transaction would only copy the bytes that it was read from. */
function rebuild(hex: string, format: TxFormat): { hash: string; hex: string; minter: string | undefined; transactions: number } {
  const value = decode(block(format), fromHex(hex));
  const { header, transactions } = value;
  assert.equal(formatHash(merkleRoot(transactions.map(({ txid }) => txid)).root), formatHash(header.merkleRoot));
  const w = new ByteWriter();
  blockHeader.write(w, header);
  const count = transactions.length;
  if (compactSizeLength(count) === 1) w.u8(count);
  else {
    w.u8(0xfd);
    w.u16(count);
  }
  for (const tx of transactions) w.bytes(serializeTransaction(tx, format));
  assert.equal(blockSizes(value).size, hex.length / 2);
  assert.equal(toHex(encode(block(format), value)), hex);
  const signer = recoverCompact(header.signature, hashToSign(header));
  return {
    hash: formatHash(value.hash),
    hex: toHex(w.finish()),
    minter: signer && toHex(hash160(signer.publicKey)),
    transactions: count,
  };
}

for (const folder of ['base', 'calls', 'state', 'finance']) {
  const paths = recordings(folder);
  test(`blocks of golden/${folder} are read, written to the same bytes, and hash as recorded`, { skip: paths.length === 0 }, () => {
    const tally = { blocks: 0, transactions: 0, genesisMinters: 0, otherMinters: 0 };
    for (const path of paths) {
      const { header, steps } = readRecording(path);
      const format = paramsOfFlags(header.flags).txFormat;
      for (const step of steps) {
        if (!('hex' in step)) continue;
        const { hash, hex, minter, transactions } = rebuild(step.hex, format);
        assert.equal(hash, step.hash, `${header.name} ${step.block}`);
        assert.equal(hex, step.hex, `${header.name} ${step.block}`);
        assert.ok(minter, `${header.name} ${step.block}: no signer`);
        tally.blocks += 1;
        tally.transactions += transactions;
        if (genesisOperators.has(minter)) tally.genesisMinters += 1;
        else tally.otherMinters += 1;
      }
    }
    console.log(`golden/${folder}: ${tally.blocks} blocks with ${tally.transactions} transactions in ${paths.length} recordings`);
    console.log(`golden/${folder}: ${tally.genesisMinters} signed by operators of genesis, ${tally.otherMinters} by others`);
    assert.ok(tally.blocks > 0);
  });
}
