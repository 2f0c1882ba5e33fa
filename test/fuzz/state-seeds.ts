import { snapshotBases } from '../../src/chain/records.js';
import { storedRules } from '../../src/chain/stored-rules.js';
import { anchorConfirms, currentTeams } from '../../src/dfi/anchors/columns.js';
import { messageAttributes } from '../../src/dfi/attributes/attributes.js';
import { attributeAt } from '../../src/dfi/attributes/path.js';
import { type AttributeValue, attributeValue } from '../../src/dfi/attributes/value.js';
import { alarmProgress, heightAlarms, priceAlarms, vaultAlarms } from '../../src/dfi/auctions/alarm-columns.js';
import { commitmentOutput } from '../../src/dfi/evm/commitment.js';
import { customTxs } from '../../src/dfi/execution/registry.js';
import { pendingRemovals } from '../../src/dfi/governance/columns.js';
import { masternodeTimelocks, newCollaterals, pendingUpdates, stakerTimes } from '../../src/dfi/masternodes/columns.js';
import { poolAverages, poolSamples } from '../../src/dfi/pools/average-columns.js';
import { customRewardHistory, earnedPerShare } from '../../src/dfi/pools/history-columns.js';
import { splitRecords } from '../../src/dfi/splits/columns.js';
import { movedCollaterals, tokenCollaterals } from '../../src/dfi/tokens/columns.js';
import { lockedTokens } from '../../src/dfi/tokens/lock-columns.js';
import { vaultFees } from '../../src/dfi/vaults/columns.js';
import { blockRows, LOG_KEY, logStates, targetCursors } from '../../src/events/columns.js';
import { signEvmTransaction } from '../../src/evm/codec/sign.js';
import { encodeEvmTransaction } from '../../src/evm/codec/transaction.js';
import { blockFilters } from '../../src/indexes/block-filters.js';
import { golombSet } from '../../src/indexes/filter/golomb.js';
import { indexPositions } from '../../src/indexes/position.js';
import { transactionPositions } from '../../src/indexes/transactions.js';
import { type DumpedTransaction, encodeDump } from '../../src/mempool/dump.js';
import { encode } from '../../src/primitives/codec.js';
import type { Column } from '../../src/storage/view.js';
import * as wallet from '../../src/wallet/store/records.js';
import { row } from './evm-seeds.js';
import { bytes, hash, hash20, payment } from './wire-seeds.js';

type Seed = readonly [name: string, seed: Uint8Array];

/** A row of a wallet. */
function walletRow<K, V>(column: Column<K, V>, key: K, value: V): readonly Seed[] {
  return [
    [`wallet-${column.name}-key`, encode(column.key, key)],
    [`wallet-${column.name}-value`, encode(column.value, value)],
  ];
}

/** A message of a custom transaction. */
function custom(type: string, message: object): Seed {
  const found = customTxs.find((each) => each.type === type);
  if (!found?.codec) throw new Error(`no transaction of type ${type}`);
  return [`custom-${found.name}-${type.charCodeAt(0)}`, encode(found.codec, message)];
}

const balances = [
  { tokenId: 0, amount: 5n },
  { tokenId: 128, amount: 7n },
];
const script = bytes(22, 9);
const anchor = {
  btcTxHash: hash(1),
  anchorHeight: 2,
  previousAnchorHeight: 1,
  rewardKeyId: hash20(1),
  rewardKeyType: 1,
  blockHash: hash(2),
  btcTxHeight: 3,
};
const dexFlow = { swaps: 1n, feeBurn: 2n, commissions: 3n };
const evmFees = { total: 1n, min: 2n, minHash: hash(1), max: 3n, maxHash: hash(2) };
const transfers = {
  dvmEvmTotal: balances,
  evmDvmTotal: balances,
  dvmIn: balances,
  evmIn: balances,
  dvmOut: balances,
  evmOut: balances,
  dvmCurrent: balances,
  evmCurrent: balances,
};

const attributeValues: readonly AttributeValue[] = [
  { kind: 'bool', value: true },
  { kind: 'amount', value: 5n },
  { kind: 'balances', value: balances },
  { kind: 'payback', value: { fees: balances, payback: balances } },
  { kind: 'pair', value: { token: 'DFI', currency: 'USD' } },
  { kind: 'splits', value: [{ id: 1, multiplier: -2n }] },
  { kind: 'descendant', value: { id: 1, height: 2 } },
  { kind: 'ascendant', value: { id: 1, text: 'split' } },
  { kind: 'direction', value: 1 },
  { kind: 'dex', value: [{ pool: 3, a: dexFlow, b: dexFlow }] },
  { kind: 'scripts', value: [script] },
  { kind: 'texts', value: ['a', 'bc'] },
  { kind: 'formats', value: [1, 2] },
  { kind: 'transfers', value: transfers },
  { kind: 'evm', value: { burnt: evmFees, priority: evmFees } },
  { kind: 'fractions', value: [{ id: 1, multiplier: 5n }] },
];

const dumped: readonly DumpedTransaction[] = [{ tx: payment, time: 1_600_000_000, feeDelta: -5n }];
const note = ['comment', 'text'] as const;

const call = { nonce: 1n, gasLimit: 0n, to: 7n, value: 5n, data: bytes(70, 1), accessList: [], chainId: 1133n };
const signed = encodeEvmTransaction(signEvmTransaction({ type: 0, gasPrice: 0n, ...call }, hash(1)));
const accessed = { ...call, accessList: [{ address: 7n, keys: [1n] }] };
const feeMarket = encodeEvmTransaction(signEvmTransaction({ type: 2, maxFee: 9n, maxPriorityFee: 1n, ...accessed }, hash(1)));
const transferItem = { address: script, amount: { tokenId: 0, amount: 5n }, domain: 2, data: signed };

/** Nested lists, deeper than the stack. */
function nestedLists(depth: number): Uint8Array {
  const parts: Uint8Array[] = [];
  let size = 0;
  for (let left = depth; left > 0; left--) {
    const head =
      size <= 55
        ? [0xc0 + size]
        : size <= 0xff
          ? [0xf8, size]
          : size <= 0xffff
            ? [0xf9, size >> 8, size & 0xff]
            : [0xfa, size >> 16, (size >> 8) & 0xff, size & 0xff];
    parts.push(Uint8Array.from(head));
    size += head.length;
  }
  return Buffer.concat(parts.reverse());
}

/** Records that do not occur in the recordings. */
export const stateSeeds: readonly Seed[] = [
  custom('N', { tokenTx: hash(1), isDat: true }),
  custom('-', { removals: [{ name: 'ATTRIBUTES', keys: ['v0/a'] }], unsetHeight: 5 }),
  custom('+', {}),
  custom('W', { vaultId: hash(1) }),
  custom('!', { part: 5n }),
  custom('6', { orderTx: hash(1) }),
  custom('7', { offerTx: hash(1) }),
  custom('8', { transfers: [{ src: { ...transferItem, domain: 3 }, dst: transferItem }] }),
  ['evm-transaction', signed],
  ['evm-transaction', feeMarket],
  custom('9', signed),
  ['evm-transaction', nestedLists(10_000)],
  ['evm-commitment', commitmentOutput({ hash: hash(1), burnt: 0n, priority: 0n }, hash20(1)).scriptPubKey],
  ...attributeValues.map((value): Seed => ['attribute-value', encode(attributeValue, value)]),
  [
    'attributes',
    encode(
      messageAttributes,
      attributeValues.slice(0, 3).map((value) => ({ key: attributeAt('v0/token/1/dex_in_fee_pct'), value })),
    ),
  ],
  ['golomb-set', encode(golombSet(19), [5, 600_000, 40_000_000])],
  ['mempool-dump', Buffer.concat([...encodeDump({ transactions: dumped, feeDeltas: [[hash(3), 9n]] })])],
  ...row(blockRows, 7, {
    ...{ isUndone: true, height: 5, hash: hash(1), prevHash: hash(2), time: 1_600_000_000, transactions: 3 },
    differences: [{ column: 'dfi/balance', key: bytes(5, 1), before: bytes(8, 2), after: undefined }],
  }),
  ...row(targetCursors, 'webhook:example.org', 'cursor'),
  ...row(storedRules, 0, { height: 1_000, hash: hash(1), known: 'taproot', statuses: ['started', 'locked_in'] }),
  ...row(snapshotBases, 0, { height: 500, hash: hash(1), digest: '00ff', options: ['acindex'] }),
  ...row(logStates, LOG_KEY, { id: bytes(8, 3), first: 1, next: 8, tip: hash(2) }),
  ...row(indexPositions, 'transaction', [hash(1), hash(2)]),
  ...row(transactionPositions, hash(1), { blockHash: hash(2), position: 300 }),
  ...row(blockFilters, hash(1), { filter: bytes(9, 3), header: hash(2) }),
  ...row(masternodeTimelocks, hash(1), 520),
  ...row(newCollaterals, hash(1), { height: 5, masternodeId: hash(2) }),
  ...row(pendingUpdates, hash20(1), 5),
  ...row(stakerTimes, { masternodeId: hash(1), height: 5 }, 1_600_000_000n),
  ...row(currentTeams, 0, [hash20(1), hash20(2)]),
  ...row(anchorConfirms, hash(1), anchor),
  ...row(movedCollaterals, hash(1), 128),
  ...row(tokenCollaterals, 128, hash(1)),
  ...row(pendingRemovals, { height: 5, name: 'ATTRIBUTES' }, ['v0/a', 'v0/b']),
  ...row(vaultFees, hash(1), 5n),
  ...row(priceAlarms, { cause: 'rise-of-loan', tokenId: 3, price: 1.5, vaultId: hash(1) }, 0),
  ...row(heightAlarms, { height: 5, vaultId: hash(1) }, 0),
  ...row(vaultAlarms, hash(1), { height: 5, prices: [{ cause: 'fall', tokenId: 3, price: 1.5 }] }),
  ...row(alarmProgress, 0, { height: 5, next: hash(1) }),
  ...row(customRewardHistory, { pool: 1, height: 5 }, balances),
  ...row(
    earnedPerShare,
    { height: 5, pool: 1 },
    { coinbase: 1n, loan: 2n, tokenA: 1, tokenB: 2, commissionA: 3n, commissionB: 4n, custom: [{ tokenId: 1, amount: 5n }] },
  ),
  ...row(poolSamples, { height: 5, source: 1, destination: 2 }, 7n),
  ...row(poolAverages, { source: 1, destination: 2 }, 7n),
  ...row(splitRecords, 1, { newId: 2, multiplier: -3n, isFraction: false }),
  ...row(lockedTokens, script, balances),
  ...walletRow(wallet.keys, bytes(33, 2), { secret: hash(1), isSealed: false }),
  ...[wallet.keyMetadata, wallet.scriptMetadata].flatMap((column) =>
    walletRow(column, bytes(33, 2), {
      createdAt: 1_600_000_000,
      origin: { fingerprint: bytes(4, 1), path: [0x8000_0000, 5] },
      seedId: hash20(1),
    }),
  ),
  ...walletRow(wallet.pool, 5, { publicKey: bytes(33, 2), internal: true, createdAt: 1_600_000_000 }),
  ...[wallet.scripts, wallet.watched, wallet.used].flatMap((column) => walletRow(column, script, script)),
  ...walletRow(wallet.leftovers, wallet.ONLY, true),
  ...walletRow(wallet.book, script, { label: 'label', purpose: 'receive' }),
  ...walletRow(wallet.transactions, hash(1), {
    raw: payment.raw,
    blockHash: hash(2),
    blockIndex: 1,
    isAbandoned: false,
    receivedAt: 1_600_000_000,
    smartTime: 1_600_000_000,
    isFromMe: true,
    order: 5,
    notes: [note],
  }),
  ...walletRow(wallet.masterKeys, 0, { salt: bytes(16, 1), cost: { logN: 15, passes: 1 }, sealed: bytes(60, 2) }),
  ...walletRow(wallet.flags, wallet.ONLY, 1n),
  ...walletRow(wallet.hdChain, wallet.ONLY, { seedId: hash20(1), external: 5, internal: 6 }),
  ...walletRow(wallet.syncedTo, wallet.ONLY, hash(1)),
];
