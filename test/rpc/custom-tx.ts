import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DefinedTx } from '../../src/dfi/context/custom-tx.js';
import { formatAmount } from '../../src/primitives/amount.js';
import { decode } from '../../src/primitives/codec.js';
import { formatHash, parseHash256 } from '../../src/primitives/hash.js';
import { TX_VERSION_TOKENS, type TxOut } from '../../src/primitives/transaction.js';
import { destinationOf, encodeDestination } from '../../src/script/address.js';
import { customTxPayload } from '../../src/script/custom-tx.js';
import { toHex } from '../../src/util/bytes.js';
import type { WalletNode } from './wallet/wallet-node.js';

export const TXID = /^[0-9a-f]{64}$/;

type Node = Pick<WalletNode, 'call' | 'modules' | 'wallets' | 'chain'>;

/** Custom transaction in the mempool. */
export interface SentTx {
  /** Message, decoded by the codec of the chain; bytes as hex, 32 bytes as a displayed hash. */
  readonly body: unknown;
  /** `<amount> <address>` of every output but the change; output 0 is `<amount> message`. */
  readonly outputs: readonly string[];
  /** Address of the change, which is the last output. */
  readonly change: string;
  /** `<txid>:<vout>` of the spent coins, in order. */
  readonly spent: readonly string[];
}

const HASH_SIZE = 32;
const MAX_FEE = 10_000_000n;
const SEQUENCE_NO_REPLACEMENT = 0xffff_fffe;

/** Finds the sent transaction in the mempool; checks that it pays its fee and has only DFI. */
export function sentTx<Body>({ modules, chain }: Node, answer: unknown, definition: DefinedTx<Body>): SentTx {
  assert.match(String(answer), TXID);
  const entry = modules.mempool.pool.get(parseHash256(String(answer)));
  assert.ok(entry, 'it is in the mempool');
  const { tx, fee } = entry;
  assert.ok(fee > 0n && fee < MAX_FEE, `fee ${fee}`);
  assert.deepEqual([tx.version, tx.lockTime], [TX_VERSION_TOKENS, 0]);
  assert.ok(tx.vin.every(({ sequence }) => sequence >= SEQUENCE_NO_REPLACEMENT) && tx.vout.every(({ tokenId }) => tokenId === 0));
  const payload = customTxPayload(tx);
  assert.ok(payload && definition.codec);
  assert.equal(payload.type, definition.type);
  const payee = ({ scriptPubKey }: TxOut): string => {
    const destination = destinationOf(scriptPubKey);
    return destination ? encodeDestination(destination, chain.params.address) : 'message';
  };
  const last = tx.vout.at(-1);
  return {
    body: readable(decode(definition.codec, payload.body)),
    outputs: tx.vout.slice(0, -1).map((out) => `${formatAmount(out.value)} ${payee(out)}`),
    change: last ? payee(last) : '',
    spent: tx.vin.map(({ prevout }) => `${formatHash(prevout.txid)}:${prevout.vout}`),
  };
}

function readable(value: unknown): unknown {
  if (value instanceof Uint8Array) return value.length === HASH_SIZE ? formatHash(value) : toHex(value);
  if (Array.isArray(value)) return value.map(readable);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, readable(member)]));
}

/** Script of an address, as `sentTx` shows it. */
export async function scriptHex({ call }: Pick<WalletNode, 'call'>, address: string): Promise<string> {
  return ((await call('getaddressinfo', [address])) as { readonly scriptPubKey: string }).scriptPubKey;
}

/** State that a refused call must not change: the mempool, and in each wallet the transactions and the reserved coins. */
async function traces({ call, modules, wallets }: Node): Promise<unknown> {
  const { pool } = modules.mempool;
  const own = [...wallets.loaded()].map(async ({ name }) => {
    const { txcount } = (await call('getwalletinfo', [], name)) as { txcount: number };
    return { name, txcount, reserved: await call('listlockunspent', [], name) };
  });
  return { pooled: pool.size, changes: pool.updates, wallets: await Promise.all(own) };
}

/** Asserts the answer, and that the call sends nothing and reserves no coin. */
export async function assertRefused(node: Node, refusal: Refusal): Promise<void> {
  const { method, args, answer, wallet } = refusal;
  const before = await traces(node);
  const given = await node.call(method, typeof args === 'function' ? args() : args, wallet);
  const expected = typeof answer === 'function' ? answer() : answer;
  if (typeof expected === 'string') assert.equal(given, expected);
  else assert.match(String(given), expected);
  assert.deepEqual(await traces(node), before);
}

export interface Refusal {
  readonly method: string;
  /** A function if the value depends on the first steps of the test. */
  readonly args: readonly unknown[] | (() => readonly unknown[]);
  readonly answer: string | RegExp | (() => string);
  /** Wallet of the call. */
  readonly wallet?: string | undefined;
}

/** One test per row: method, arguments, and code and text of the answer. */
export type RefusalRow = readonly [method: string, args: Refusal['args'], answer: Refusal['answer'], wallet?: string];

export function testRefusals(node: () => Node, rows: readonly RefusalRow[]): void {
  for (const [index, [method, args, answer, wallet]] of rows.entries()) {
    const shown = typeof answer === 'function' ? 'as the state has it' : String(answer).split('\n').join(' ');
    test(`${method} refuses, case ${index + 1}: ${shown.slice(0, 100)}`, async () =>
      assertRefused(node(), { method, args, answer, wallet }));
  }
}

/** Answer for a transaction that fails its test run. @param name name of the type in `defid` */
export function tried(name: string, why: string): string {
  return `-32600 Test ${name}Tx execution failed:\n${why}`;
}

/** Error of an input without a signature: of a key, or of a witness key. */
const NO_SIGNATURE = String.raw`(Unable to sign input, invalid stack size \(possibly missing key\)|Witness program hash mismatch)`;
const UNSIGNED = new RegExp(
  String.raw`^-25 (Add-on auth TX failed: )?Can't sign TX: \[\{"txid":"[0-9a-f]{64}",.*"error":"${NO_SIGNATURE}"\}\]$`,
);

/** Locks the wallet: calls that would succeed fail to sign. Must be the last test of its node. */
export function testLocked(node: () => Node, calls: readonly (readonly [method: string, args: Refusal['args']])[]): void {
  test('a locked wallet signs nothing', async (t) => {
    await node().call('encryptwallet', ['secret']);
    for (const [method, args] of calls) {
      await t.test(method, async () => assertRefused(node(), { method, args, answer: UNSIGNED }));
    }
  });
}
