import * as blocks from '../../src/dfi/evm/block-columns.js';
import * as history from '../../src/dfi/evm/history-columns.js';
import { evmLogBlocks } from '../../src/dfi/evm/log-columns.js';
import * as state from '../../src/dfi/evm/state-columns.js';
import { encode } from '../../src/primitives/codec.js';
import type { Column } from '../../src/storage/view.js';
import { columnDecoderName } from './column-name.js';
import { bytes, hash, hash20 } from './wire-seeds.js';

type Seed = readonly [name: string, seed: Uint8Array];

/** A row of the chain's store. */
export function row<K, V>(column: Column<K, V>, key: K, value: V): readonly Seed[] {
  return [
    [columnDecoderName(column.name, 'key'), encode(column.key, key)],
    [columnDecoderName(column.name, 'value'), encode(column.value, value)],
  ];
}

const wei = 10n ** 18n;
const header = {
  parentHash: hash(1),
  beneficiary: hash20(2),
  stateRoot: hash(3),
  transactionsRoot: hash(4),
  receiptsRoot: hash(5),
  logsBloom: new Uint8Array(256),
  difficulty: 545_259_519n,
  number: 5n,
  gasLimit: 30_000_000n,
  gasUsed: 21_000n,
  timestamp: 1_700_000_000n,
  extraData: Buffer.from('DFI: 106'),
  baseFee: 10_000_000_000n,
};
const log = { address: 7n, topics: [1n, 2n], data: bytes(5, 1) };
const receipt = { isSuccess: true, usedGas: 21_000n, logs: [log], isSystem: false, contract: 9n, price: 10_000_000_000n };

const account = { nonce: 5n, balance: wei, storageRoot: hash(1), codeHash: hash(2), incarnation: 3 };

/** Rows of the EVM. */
export const evmSeeds: readonly Seed[] = [
  ...row(state.evmStateAccounts, 5n, account),
  ...row(state.evmCodes, hash(1), bytes(9, 1)),
  ...row(state.evmSlots, { address: 5n, incarnation: 3, slot: 7n }, wei),
  ...row(history.evmAccountVersions, { address: 5n, number: 4 }, account),
  ...row(history.evmSlotVersions, { address: 5n, incarnation: 3, slot: 7n, number: 4 }, wei),
  ...row(state.evmAccountNodes, '0a', bytes(40, 1)),
  ...row(state.evmStorageNodes, { address: 5n, incarnation: 3, position: '0a' }, bytes(40, 1)),
  ...row(blocks.evmTips, blocks.EVM_KEY, { number: 5, hash: hash(1) }),
  ...row(blocks.evmHeaders, 5, { hash: hash(1), dvmHeight: 106, dvmHash: hash(2), header }),
  ...row(blocks.evmHeaders, 0, {
    hash: hash(1),
    dvmHeight: 0,
    dvmHash: hash(2),
    header: { ...header, seal: { mixHash: hash(6), nonce: bytes(8, 1) } },
  }),
  ...row(blocks.evmNumbers, hash(1), 5),
  ...row(blocks.evmNumbersByHeight, 106, 5),
  ...row(blocks.evmEntryLists, 5, [{ raw: bytes(60, 1), hash: hash(1), sender: 5n }]),
  ...row(blocks.evmReceiptLists, 5, [receipt, { ...receipt, contract: undefined, isSystem: true }]),
  ...row(blocks.evmPlaces, hash(1), { number: 5, index: 1, txid: hash(2) }),
  ...row(blocks.evmHashes, hash(1), hash(2)),
  ...row(evmLogBlocks, { kind: 16, item: 7n, bucket: 2 }, hash(3)),
];
