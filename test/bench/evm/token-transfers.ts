import { keccak256, useFastKeccak } from '../../../src/crypto/keccak.js';
import { BlockBuilder, type BuiltBlock } from '../../../src/evm/block/block-builder.js';
import type { LegacyTransaction } from '../../../src/evm/codec/transaction.js';
import { tokenAddress } from '../../../src/evm/contracts/addresses.js';
import { Dst20Slot, mappingSlot } from '../../../src/evm/contracts/slots.js';
import { STANDARD_PRECOMPILES } from '../../../src/evm/precompiles/standard.js';
import { addressBytes, wordBytes } from '../../../src/evm/words.js';
import { concatBytes, fromHex } from '../../../src/util/bytes.js';
import { MemoryState } from '../../unit/evm/memory-state.js';

const TRANSFERS = 2_000;
const RUNS = 5;
const SENDER = 0x5e4den;
const FUNDS = 10n ** 24n;
const GAS_LIMIT = 1_000_000_000n;
const TRANSFER = fromHex('a9059cbb');

/**
 * Transfers of a token to as many receivers, each through the proxy of its contract. The program is bundled like the daemon, so that the
 * loader of TypeScript adds nothing. The first run is that of a node that has just started; the last ones are compiled code.
 */
export async function tokenTransfers(): Promise<void> {
  await useFastKeccak();
  for (let i = 0; i < RUNS; i++) transferAll();
}

function transferAll(): void {
  const store = new MemoryState();
  const token = { id: 1, name: Buffer.from('Bitcoin'), symbol: Buffer.from('BTC') };
  const genesis = newBlock(store, undefined, 100);
  genesis.startBlock([token]);
  const parent = genesis.finish();
  store.putAccount(SENDER, { nonce: 0n, balance: FUNDS, storageRoot: new Uint8Array(32), codeHash: new Uint8Array(32) });
  store.putSlot(tokenAddress(1), mappingSlot(Dst20Slot.balances, SENDER), FUNDS);
  const block = newBlock(store, parent, 101);
  block.startBlock([]);
  const transactions = Array.from({ length: TRANSFERS }, (_, i) => transferOf(i));
  const seconds = secondsOf(() => {
    for (const tx of transactions)
      if (!block.addTransaction({ tx, sender: SENDER, hash: new Uint8Array(32) }).isSuccess) throw new Error('transfer failed');
  });
  const finish = secondsOf(() => block.finish());
  const floor = secondsOf(() => {
    for (let i = 0; i < TRANSFERS * 10; i++) keccak256(wordBytes(BigInt(i)));
  });
  console.log(`${TRANSFERS} transfers: ${Math.round(TRANSFERS / seconds)}/s, ${ratio(seconds, floor)} times 10 hashes each`);
  console.log(`roots and header of that block: ${finish.toFixed(3)} s`);
}

function transferOf(i: number): LegacyTransaction {
  const receiver = addressBytes(0xabc000n + BigInt(i));
  const data = concatBytes(TRANSFER, new Uint8Array(12), receiver, wordBytes(1n));
  const call = { nonce: BigInt(i), gasPrice: 10n ** 10n, gasLimit: 100_000n, to: tokenAddress(1), value: 0n, data };
  return { type: 0, chainId: undefined, accessList: [], signature: { parity: 0, r: 1n, s: 1n }, ...call };
}

function newBlock(store: MemoryState, parent: BuiltBlock | undefined, height: number): BlockBuilder {
  return new BlockBuilder({
    parent: parent && { ...parent.header, hash: parent.hash },
    store,
    beneficiary: 0xb0bn,
    bits: 0x207fffff,
    timestamp: 1_700_000_000 + height,
    gasLimit: GAS_LIMIT,
    gasTargetFactor: 2n,
    dvmHeight: height,
    chainId: 1133n,
    upgrades: { df23: Number.POSITIVE_INFINITY, df24: Number.POSITIVE_INFINITY },
    blockHash: () => undefined,
    findPrecompile: (address) => STANDARD_PRECOMPILES.get(address),
  });
}

/** Seconds of processor time of a step. */
export function secondsOf(step: () => void): number {
  const before = process.cpuUsage();
  step();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

/** Quotient with two decimals. */
export function ratio(a: number, b: number): string {
  return (a / b).toFixed(2);
}
