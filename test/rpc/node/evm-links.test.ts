import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { putEvmBlock } from '../../../src/dfi/evm/blocks.js';
import { evmStateAccounts } from '../../../src/dfi/evm/state-columns.js';
import type { BlockEntry } from '../../../src/evm/block/block-builder.js';
import type { Hash256 } from '../../../src/primitives/hash.js';
import { formatHash } from '../../../src/primitives/hash.js';
import { logVmMaps } from '../../../src/services/node/evm/all-links.js';
import { dumpEvmDb, logEvmAccountStates } from '../../../src/services/node/evm/dumps.js';
import { vmMap } from '../../../src/services/node/evm/links.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { Overlay } from '../../../src/storage/overlay.js';
import { toHex } from '../../../src/util/bytes.js';
import { GRAND_CENTRAL, heights } from '../../unit/dfi/fixture.js';
import { asker } from '../state-asker.js';

/** Height of the DVM block with EVM block 0. */
const FIRST = 4;
/** Blocks of the active chain. */
const BLOCKS = 8;

const bytes = (first: number, last: number): Uint8Array => {
  const made = new Uint8Array(32).fill(0xa0);
  made[0] = first;
  made[31] = last;
  return made;
};
/** Display order of DVM hashes is reversed, so that order and bytes of keys are not the same. */
const dvmHash = (height: number): Hash256 => bytes(height, 100 - height) as Hash256;
const evmHash = (number: number): Uint8Array => bytes(0xe0 - number, number);
const txid = (number: number, index: number): Hash256 => bytes(16 * number + index, 0xf0 - index) as Hash256;
const entryHash = (number: number, index: number): Uint8Array => bytes(0xff - number, index);

function entry(number: number, index: number): BlockEntry {
  const signature = { parity: 0, r: 1n, s: 1n };
  const fields = { nonce: BigInt(index), gasPrice: 1n, gasLimit: 21_000n, to: 5n, value: 7n, data: new Uint8Array(), accessList: [] };
  const receipt = {
    isSuccess: true,
    usedGas: 21_000n,
    logs: [{ address: 7n, topics: [1n], data: new Uint8Array(2) }],
    isSystem: index === 0,
  };
  const tx = { type: 0, chainId: 1n, ...fields, signature } as const;
  return { tx, sender: 9n, hash: entryHash(number, index), receipt, contract: undefined, price: 3n } as BlockEntry;
}

function header(number: number) {
  const root = new Uint8Array(32);
  const roots = { parentHash: root, stateRoot: root, transactionsRoot: root, receiptsRoot: root, logsBloom: new Uint8Array(256) };
  const figures = { difficulty: 1n, number: BigInt(number), gasLimit: 30_000_000n, gasUsed: 21_000n, timestamp: 5n, baseFee: 10n ** 10n };
  return { ...roots, ...figures, beneficiary: new Uint8Array(20), extraData: new Uint8Array(1) };
}

/** Chain whose last blocks have EVM blocks: a system entry, then a transaction of each of two DVM transactions. */
function started(evmDumps = { enabled: true, maxBytes: 1_000_000 }) {
  const store = new MemoryStore();
  const overlay = new Overlay(store);
  for (let height = FIRST; height < BLOCKS; height++) {
    const number = height - FIRST;
    const entries = [0, 1, 2].map((index) => entry(number, index));
    const txids = new Map([1, 2].map((index) => [index, txid(number, index)]));
    putEvmBlock(overlay, { header: header(number), hash: evmHash(number), entries } as never, {
      dvmHeight: height,
      dvmHash: dvmHash(height),
      txids,
    });
  }
  for (const address of [2n, 1n]) {
    const account = { nonce: address, balance: 10n ** 20n, storageRoot: bytes(1, 1), codeHash: new Uint8Array(32), incarnation: 0 };
    overlay.put(evmStateAccounts, address, account);
  }
  store.write(overlay.changes());
  const entries = Array.from({ length: BLOCKS }, (_, height) => ({ height, hash: dvmHash(height) }));
  const chain = {
    params: heights({ ...GRAND_CENTRAL, metachain: 2 }),
    state: store,
    snapshot: () => store.snapshot(),
    tip: entries.at(-1),
    entry: (hash: Hash256) => entries.find((each) => formatHash(each.hash) === formatHash(hash)),
    entryAt: (height: number) => entries[height],
  };
  return asker({ dumpEvmDb, logEvmAccountStates, logVmMaps, vmMap }, { chain: chain as never, evmDumps });
}

describe('vmmap', () => {
  const ask = started();
  const answer = async (input: string, type?: number) => {
    const text = await ask('vmmap', type === undefined ? [input] : [input, type]);
    return text.startsWith('{')
      ? Object.values(JSON.parse(text) as object)
          .slice(1)
          .join(' ')
      : text;
  };
  const dvm = formatHash(dvmHash(5));
  const evm = toHex(evmHash(1));
  const tx = formatHash(txid(1, 2));
  const evmTx = toHex(entryHash(1, 2));

  test('maps blocks and transactions both ways', async () => {
    assert.equal(await ask('vmmap', [`0x${evm}`, 4]), `{"input":"0x${evm}","type":"BlockHashEVMToDVM","output":"${dvm}"}`);
    assert.equal(await answer(dvm, 3), `BlockHashDVMToEVM 0x${evm}`);
    assert.equal(await answer(evm, 4), `BlockHashEVMToDVM ${dvm}`);
    assert.equal(await answer(tx, 5), `TxHashDVMToEVM 0x${evmTx}`);
    assert.equal(await answer(`0x${tx}`, 5), `TxHashDVMToEVM 0x${evmTx}`, 'the prefix is ignored');
    assert.equal(await answer(evmTx, 6), `TxHashEVMToDVM ${tx}`);
    assert.equal(await answer('5', 1), 'BlockNumberDVMToEVM 1');
    assert.equal(await answer('1', 2), 'BlockNumberEVMToDVM 5');
    assert.equal(await answer('+01', 2), 'BlockNumberEVMToDVM 5');
  });

  test('detects the type', async () => {
    assert.equal(await answer(dvm), `BlockHashDVMToEVM 0x${evm}`);
    assert.equal(await answer(`0x${evm}`, 0), `BlockHashEVMToDVM ${dvm}`);
    assert.equal(await answer(tx), `TxHashDVMToEVM 0x${evmTx}`);
    assert.equal(await answer(evmTx), `TxHashEVMToDVM ${tx}`);
    assert.equal(await answer('5'), 'BlockNumberDVMToEVM 1');
    const none = '-8 Automatic detection not viable for input';
    assert.equal(await answer('3'), none, 'a height and an EVM block number');
    for (const input of ['8', '-1', 'test', '', evm.toUpperCase(), '00'.repeat(32)]) assert.equal(await answer(input), none, input);
    assert.equal(await answer(String(2n ** 32n + 4n)), `-8 Invalid block number: ${2n ** 32n + 4n}`, 'low bits are a height');
  });

  test('refuses unknown inputs', async () => {
    for (const type of [3, 4, 5, 6]) {
      for (const input of ['0x00', 'garbage', `${evm}0x00`, `0x00${evm}`, evm.toUpperCase(), `0x${'00'.repeat(32)}`])
        assert.equal(await answer(input, type), `-32600 Key not found: ${input.replace(/^0x/, '')}`);
      assert.equal(await answer('0x', type), '-32600 Key not found: 0x');
    }
    assert.equal(await answer(toHex(entryHash(1, 0)), 6), `-32600 Key not found: ${toHex(entryHash(1, 0))}`, 'a system entry');
    for (const input of ['-1', 'garbage', '1000000000', '8', '', evm, String(2n ** 64n)])
      assert.equal(await answer(input, 1), `-8 Invalid block number: ${input}`);
    assert.equal(await answer('3', 1), `-8 Key not found: ${formatHash(dvmHash(3))}`, 'without an EVM block');
    for (const input of ['-1', 'garbage', '', evm, String(2n ** 64n)])
      assert.equal(await answer(input, 2), `-8 Invalid block number: ${input}`);
    for (const input of ['4', '1000000000', String(2n ** 64n - 1n)]) assert.equal(await answer(input, 2), '-8 Invalid block number');
    for (const type of [-1, 7, 100]) assert.equal(await answer(dvm, type), '-8 Invalid parameter');
    assert.equal(await ask('vmmap', [5]), '-1 JSON value is not a string as expected');
    assert.equal(await ask('vmmap', ['5', '1']), '-1 JSON value is not an integer as expected');
  });
});

describe('logvmmaps', () => {
  const ask = started();
  const links = async (type: number) => {
    const { indexes, count } = JSON.parse(await ask('logvmmaps', [type])) as { indexes: Record<string, string>; count: number };
    assert.equal(Object.keys(indexes).length, count);
    assert.deepEqual(Object.keys(indexes), Object.keys(indexes).sort());
    return indexes;
  };

  test('lists all links in the order of their keys', async () => {
    const numbers = [0, 1, 2, 3];
    const blocks = numbers.map((number) => [formatHash(dvmHash(FIRST + number)), toHex(evmHash(number))] as const);
    const txs = numbers.flatMap((number) =>
      [1, 2].map((index) => [formatHash(txid(number, index)), toHex(entryHash(number, index))] as const),
    );
    const reversed = (pairs: readonly (readonly [string, string])[]) => Object.fromEntries(pairs.map(([key, value]) => [value, key]));
    assert.deepEqual(await links(0), Object.fromEntries(blocks));
    assert.deepEqual(await links(1), reversed(blocks));
    assert.deepEqual(await links(2), Object.fromEntries(txs));
    assert.deepEqual(await links(3), reversed(txs));
  });

  test('refuses other types', async () => {
    for (const type of [-1, 4]) assert.equal(await ask('logvmmaps', [type]), '-8 type out of range');
  });
});

describe('dumps of the EVM', () => {
  test('need -ethdebug', async () => {
    const ask = started({ enabled: false, maxBytes: 1 });
    const disabled = 'debug_* RPCs have not been enabled';
    assert.equal(await ask('dumpevmdb'), `-1 Failed to get dumpdb logs: ${disabled}`);
    assert.equal(await ask('logevmaccountstates'), `-1 Failed to log evm account states: ${disabled}`);
  });

  test('print accounts in the order of addresses, and tables from the last row down', async () => {
    const ask = started();
    const accounts = (JSON.parse(await ask('logevmaccountstates')) as string).split('\n');
    assert.equal(accounts.length, 3);
    const roots = `code_hash: 0x${'00'.repeat(32)}, storage_root: 0x${toHex(bytes(1, 1))}`;
    assert.equal(accounts[0], `Account Account { nonce: 1, balance: 100000000000000000000, ${roots} }:`);
    const dump = async (options: object) => (JSON.parse(await ask('dumpevmdb', [options])) as string).split('\n').slice(0, -1);
    const blocks = await dump({ dumparg: 'blocks' });
    assert.equal(blocks.length, 5);
    assert.equal(blocks[0], 'blocks');
    assert.match(String(blocks[1]), new RegExp(`^3: \\{"hash":"0x${toHex(evmHash(3))}","dvmHeight":7,`));
    assert.deepEqual(
      (await dump({ dumparg: 'blockmap', limit: '2' })).slice(1),
      [0, 1].map((number) => `0x${toHex(evmHash(number))}: ${number}`),
    );
    assert.deepEqual(
      (await dump({ dumparg: 'logs', from: '1' })).slice(1).map((line) => line.split(':')[0]),
      ['1', '0'],
    );
    assert.equal((await dump({ limit: '1' })).length, 10, 'a name and a row of each table');
    assert.equal((await dump({ limit: '1', other: 5 })).length, 10, 'other members are ignored');
  });

  test('refuse what cannot be printed', async () => {
    const failed = '-1 Failed to get dumpdb logs: ';
    const ask = started();
    assert.equal(await ask('dumpevmdb', [{ dumparg: 'none' }]), `${failed}Invalid dump arg`);
    assert.equal(await ask('dumpevmdb', [{ limit: '1.5' }]), `${failed}Invalid limit`);
    assert.equal(await ask('dumpevmdb', [{ limit: 5 }]), '-3 Expected type string for limit, got number');
    const small = started({ enabled: true, maxBytes: 10 });
    assert.equal(await small('dumpevmdb'), `${failed}exceed response max size limit`);
  });
});
