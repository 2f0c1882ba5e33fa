import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type EvmHeader, encodeHeader, MIX_HASH, NONCE, OMMERS_HASH } from '../../../src/evm/codec/header.js';
import { encodeRlp } from '../../../src/evm/codec/rlp.js';
import { encodeInteger } from '../../../src/evm/words.js';
import { toHex } from '../../../src/util/bytes.js';

const HEADER: EvmHeader = {
  parentHash: new Uint8Array(32).fill(1),
  beneficiary: new Uint8Array(20).fill(2),
  stateRoot: new Uint8Array(32).fill(3),
  transactionsRoot: new Uint8Array(32).fill(4),
  receiptsRoot: new Uint8Array(32).fill(5),
  logsBloom: new Uint8Array(256).fill(6),
  difficulty: 0x207fffffn,
  number: 0n,
  gasLimit: 30_000_000n,
  gasUsed: 127n,
  timestamp: 128n,
  extraData: Buffer.from('DFI: 1'),
  baseFee: 10_000_000_000n,
};

const cases: readonly { readonly name: string; readonly change: Partial<EvmHeader> }[] = [
  { name: 'small numbers', change: {} },
  {
    name: 'numbers around the end of the safe integers',
    change: { number: 2n ** 53n - 1n, gasLimit: 2n ** 53n, gasUsed: 2n ** 256n - 1n },
  },
  { name: 'numbers with zero bytes', change: { number: 256n, timestamp: 65_536n, baseFee: 2n ** 40n } },
  { name: 'no extra data', change: { extraData: new Uint8Array(0) } },
  { name: 'a byte that is its own encoding', change: { extraData: Uint8Array.of(0x7f) } },
  { name: 'a byte that is not', change: { extraData: Uint8Array.of(0x80) } },
  { name: 'extra data of 55 bytes', change: { extraData: new Uint8Array(55).fill(7) } },
  { name: 'extra data of 56 bytes', change: { extraData: new Uint8Array(56).fill(7) } },
  { name: 'extra data larger than the memory for headers', change: { extraData: new Uint8Array(70_000).fill(7) } },
  { name: 'the seal of a start state', change: { seal: { mixHash: new Uint8Array(32).fill(8), nonce: new Uint8Array(8).fill(9) } } },
];

for (const { name, change } of cases) {
  test(`a header is the list of its fields: ${name}`, () => {
    const header = { ...HEADER, ...change };
    const { difficulty, number, gasLimit, gasUsed, timestamp, extraData, seal, baseFee } = header;
    const hashes = [header.stateRoot, header.transactionsRoot, header.receiptsRoot, header.logsBloom];
    const numbers = [difficulty, number, gasLimit, gasUsed, timestamp].map(encodeInteger);
    const ends = [extraData, seal?.mixHash ?? MIX_HASH, seal?.nonce ?? NONCE, encodeInteger(baseFee)];
    const fields = [header.parentHash, OMMERS_HASH, header.beneficiary, ...hashes, ...numbers, ...ends];
    assert.equal(toHex(encodeHeader(header)), toHex(encodeRlp(fields)));
  });
}
