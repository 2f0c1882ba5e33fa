import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attributes } from '../../../src/dfi/attributes/attributes.js';
import { attributeAt } from '../../../src/dfi/attributes/path.js';
import { evmStateAccounts } from '../../../src/dfi/evm/state-columns.js';
import type { CallRequest } from '../../../src/ethereum/calls/call-request.js';
import type { EthereumModules } from '../../../src/ethereum/modules.js';
import { publish, publishRequest } from '../../../src/ethereum/publish.js';
import { decodeEvmTransaction, type EvmTransaction } from '../../../src/evm/codec/transaction.js';
import { EvmIndex } from '../../../src/mempool/evm-index.js';
import { pooledEvm } from '../../../src/mempool/evm-tip.js';
import { Pool } from '../../../src/mempool/pool.js';
import type { Transaction } from '../../../src/primitives/transaction.js';
import { EMPTY_BYTES, toHex } from '../../../src/util/bytes.js';
import { Slicer } from '../../../src/util/slicer.js';
import { turnsOf } from '../../event-loop-turns.js';
import { DfiFixture, GRAND_CENTRAL, heights } from '../dfi/fixture.js';
import { GWEI, legacy, signed } from '../mempool/evm-transactions.js';

const HEIGHT = 200;
const call = { signal: new AbortController().signal } as Parameters<typeof publish>[3];
const { nonce, gasLimit, to, value, signature } = legacy(0);
const priced = {
  nonce,
  gasLimit,
  to,
  value,
  signature,
  data: EMPTY_BYTES,
  chainId: 1133n,
  maxFee: 30n * GWEI,
  maxPriorityFee: 1n,
} as const;
const NO_CODE = { storageRoot: new Uint8Array(32), codeHash: new Uint8Array(32), incarnation: 0 } as const;
const keys = Array.from({ length: 2_000 }, (_, i) => BigInt(i));

/** Publishes EVM transactions that all wait in the mempool. `announced` are hashes of DVM transactions. */
function publisher() {
  const params = heights({ ...GRAND_CENTRAL, metachain: 0 });
  const { view: state } = new DfiFixture(params, HEIGHT);
  state.put(attributes, attributeAt('v0/params/feature/evm'), { kind: 'bool', value: true });
  const announced: string[] = [];
  const pool = { get: () => ({}) };
  const modules = {
    chain: { params, state, tip: { height: HEIGHT - 1, time: 1 }, entryAt: () => undefined },
    mempool: { pool },
    relay: { announce: ({ txid }: { readonly txid: Uint8Array }) => void announced.push(toHex(txid)) },
  } as unknown as EthereumModules;
  return { modules, announced, state, send: async (raw: Uint8Array) => publish(modules, raw, 'given', call) };
}

/** Turns of the event loop that a transaction takes until it is refused, and the reason. */
async function refusal(raw: Uint8Array): Promise<{ readonly turns: number; readonly reason: string }> {
  const { send } = publisher();
  let reason = '';
  const turns = await turnsOf(async () => {
    reason = await send(raw).then(String, (error: Error) => error.message.replace(/^.*\n/, ''));
  });
  return { turns, reason };
}

const long: readonly [name: string, tx: EvmTransaction][] = [
  ['data', legacy(0, { data: new Uint8Array(2_000_000).fill(1) })],
  ['keys', { ...priced, type: 2, accessList: [{ address: 7n, keys }] }],
  ['addresses', { ...priced, type: 2, accessList: keys.map((address) => ({ address, keys: [] })) }],
];
for (const [name, tx] of long) {
  test(`an EVM transaction with many ${name} is decoded in slices before it is refused`, async () => {
    const { turns, reason } = await refusal(signed(tx, 3));
    assert.equal(reason, 'evm tx failed to pre-validate gas limit is below the minimum gas per tx');
    assert.ok(turns > 10, String(turns));
  });
}

test('a long transaction that does not decode is refused after as many slices, by the same words as a short one', async () => {
  const undecodable = 'evm tx failed to pre-validate Error: decoding raw tx to TransactionV2';
  const raw = signed({ ...priced, type: 2, accessList: [{ address: 7n, keys }] }, 3);
  // The last key announces one byte less.
  const lastKey = Buffer.from(raw).lastIndexOf(`a0${'0'.repeat(60)}07cf`, undefined, 'hex');
  raw[lastKey] = 0x9f;
  const { turns, reason } = await refusal(raw);
  assert.equal(reason, undecodable);
  assert.ok(turns > 3, String(turns));
  assert.equal((await refusal(Uint8Array.of(0xc1))).reason, undecodable);
});

test('the answer is the hash; a transaction that waits already is announced again', async () => {
  const raw = signed(legacy(0), 3);
  const { hash, sender } = decodeEvmTransaction(raw);
  const { send, state, announced } = publisher();
  state.put(evmStateAccounts, sender, { ...NO_CODE, nonce: 0n, balance: 10n ** 18n });
  assert.equal(await send(raw), `0x${toHex(hash)}`);
  assert.equal(announced.length, 1);
});

/** Publishes requests of an account with funds, whose transactions enter a mempool. `sent` are the nonces in the order of entry. */
function signer() {
  const { modules, state } = publisher();
  const secret = new Uint8Array(32).fill(3);
  const { sender } = decodeEvmTransaction(signed(legacy(0), 3));
  state.put(evmStateAccounts, sender, { ...NO_CODE, nonce: 0n, balance: 10n ** 20n });
  const pool = new Pool();
  const sent: bigint[] = [];
  const accept = (tx: Transaction) => {
    const evm = pooledEvm(tx, state, {});
    pool.add({ tx, fee: 0n, vsize: 200, sigOpsCost: 4, time: 1, height: 5, spendsCoinbase: false, evm });
    sent.push(evm?.signed.tx.nonce as bigint);
    return { status: 'accepted' };
  };
  const keys = { publicKeyOfEvm: () => new Uint8Array(33), privateKey: () => ({ secret }) };
  const book = { evmAddresses: () => [] };
  const signing = { ...modules, mempool: { pool, evm: new EvmIndex(pool), accept }, wallets: { loaded: () => [{ keys, book }] } };
  const request = { from: sender, to: 7n, gas: 20_000_000n, gasPrice: 30n * GWEI, data: new Uint8Array(200_000).fill(1) } as CallRequest;
  const send = (changes: Partial<CallRequest>) => publishRequest(signing as unknown as EthereumModules, { ...request, ...changes }, call);
  return { sent, send };
}

test('calls without a nonce that are carried in slices at the same time use different nonces', async () => {
  const { sent, send } = signer();
  await new Promise(setImmediate);
  const slicer = new Slicer();
  while (!slicer.pause());
  const hashes = [send({}), send({}), send({ data: EMPTY_BYTES })];
  assert.deepEqual(
    hashes.map((hash) => hash instanceof Promise),
    [true, true, false],
  );
  assert.equal(new Set(await Promise.all(hashes)).size, 3);
  assert.deepEqual(sent, [0n, 1n, 2n]);
});

test('a nonce that the caller gave is kept', async () => {
  const { sent, send } = signer();
  await Promise.all([send({ nonce: 5n }), send({ nonce: 0n })]);
  await send({});
  assert.deepEqual([...sent].sort(), [0n, 1n, 5n]);
});
