import assert from 'node:assert/strict';
import { MemoryBlocks } from '../../../src/chain/block-store.js';
import { Chain } from '../../../src/chain/chain.js';
import { hash160 } from '../../../src/crypto/hash.js';
import { TransactionIndex } from '../../../src/indexes/transactions.js';
import { OceanIndex } from '../../../src/ocean/index/ocean-index.js';
import { TipCache } from '../../../src/ocean/node/tip-cache.js';
import { networkParams } from '../../../src/params/index.js';
import { formatHash } from '../../../src/primitives/hash.js';
import type { Transaction, TxOut } from '../../../src/primitives/transaction.js';
import { encodeDestination, scriptOf } from '../../../src/script/address.js';
import { pushData } from '../../../src/script/script.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { FixedClock } from '../../../src/util/clock.js';
import { silentLogger } from '../../../src/util/logger.js';
import { blockOn, bytesOf, extend, OP_TRUE_SCRIPT, spend } from '../../chains/block-builder.js';
import { type FakeOperations, oceanNode } from './ask.js';

const params = networkParams({ network: 'regtest', dummyPos: true });
const SHARED = { type: 'sh', hash: hash160(OP_TRUE_SCRIPT) } as const;

/** Address whose coins any transaction of the tests can spend, and its script. */
export const ADDRESS = encodeDestination(SHARED, params.address);
export const SCRIPT = scriptOf(SHARED);

function paysAddress(value: bigint): TxOut {
  return { value, scriptPubKey: SCRIPT, tokenId: 0 };
}

/** A chain of 102 blocks with indexes, and the API above them. */
export async function oceanChain(operations: FakeOperations = {}) {
  const clock = new FixedClock(params.genesis.header.time + 100_000);
  const chain = new Chain({ params }, { store: new MemoryStore(), blocks: new MemoryBlocks(), clock, log: silentLogger });
  const deps = { store: new MemoryStore(), chain, log: silentLogger };
  const txIndex = new TransactionIndex(deps);
  const rows = new OceanIndex({ ...deps, state: () => chain.state, params });
  for (const index of [txIndex, rows]) index.start();
  while (![txIndex, rows].every(({ synced }) => synced)) await new Promise((resolve) => setImmediate(resolve));
  const coinbases = extend(chain, 102).map(({ transactions: [coinbase] }) => coinbase as Transaction);
  const ask = oceanNode(operations, { chain, txIndex, rows, perTip: new TipCache(() => chain.tip.hash) });
  /** Mines a block with the transactions. */
  const mine = (...transactions: readonly Transaction[]): void => {
    const { status } = chain.submitBlock(bytesOf(chain, blockOn(chain, chain.tip, { transactions })));
    assert.equal(status, 'accepted');
  };
  const stop = (): void => {
    for (const index of [txIndex, rows]) index.stop();
  };
  return { chain, rows, ask, mine, coinbases, stop };
}

type World = Awaited<ReturnType<typeof oceanChain>>;

/** Mines a payment of a coinbase to the address, in outputs of these satoshis. */
export function payAddress({ chain, mine, coinbases }: World, ...values: readonly bigint[]): Transaction {
  const point = { txid: (coinbases.shift() as Transaction).txid, vout: 0 };
  const tx = spend(chain, [point], [], { version: 4, vout: values.map(paysAddress) });
  mine(tx);
  return tx;
}

/** Mines a transaction that spends outputs of a payment to the address. */
export function spendFromAddress({ chain, mine }: World, { txid }: Transaction, ...outputs: readonly number[]): Transaction {
  const vin = outputs.map((vout) => ({
    prevout: { txid, vout },
    scriptSig: pushData(OP_TRUE_SCRIPT),
    sequence: 0xffffffff,
    witness: [],
  }));
  const tx = spend(chain, [], [100n], { version: 4, vin });
  mine(tx);
  return tx;
}

/** Txid in display order. */
export function txidOf({ txid }: Transaction): string {
  return formatHash(txid);
}
