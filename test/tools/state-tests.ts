/**
 * Runs the published state tests of Ethereum (`GeneralStateTests` with expected results of Shanghai), which are not part of this
 * repository, and prints the differences. Accounts are removed at the end of each transaction here, as the tests expect.
 *
 *     node --import tsx test/tools/state-tests.ts FOLDER [part of a path]
 */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { keccak256 } from '../../src/crypto/keccak.js';
import { Code } from '../../src/evm/code.js';
import { treeRoot } from '../../src/evm/codec/ordered-root.js';
import { encodeRlp } from '../../src/evm/codec/rlp.js';
import { decodeEvmTransaction, effectivePrice, priceCap } from '../../src/evm/codec/transaction.js';
import { executeMessage, hasTooMuchInitCode } from '../../src/evm/execute.js';
import { STANDARD_PRECOMPILES } from '../../src/evm/precompiles/standard.js';
import { BlockState } from '../../src/evm/state/block-state.js';
import type { Log } from '../../src/evm/state/transaction-state.js';
import { EMPTY_ROOT } from '../../src/evm/state/trie.js';
import { addressBytes, encodeInteger, readWord, wordBytes } from '../../src/evm/words.js';
import { fromHex, toHex } from '../../src/util/bytes.js';
import { filesBelow } from '../shared.js';
import { MemoryState } from '../unit/evm/memory-state.js';

interface Account {
  readonly balance: string;
  readonly nonce: string;
  readonly code: string;
  readonly storage: Readonly<Record<string, string>>;
}
interface Post {
  readonly hash: string;
  readonly logs: string;
  readonly txbytes: string;
  readonly expectException?: string;
}
interface StateTest {
  readonly env: Readonly<Record<string, string>>;
  readonly pre: Readonly<Record<string, Account>>;
  readonly post: Readonly<Record<string, readonly Post[]>>;
}

const NO_CODE_HASH = new Uint8Array(32);
const RECENT_BLOCKS = 256n;
const [folder = '', part = ''] = process.argv.slice(2);

function bytes(hex: string): Uint8Array {
  return fromHex(hex.slice(2));
}

function load(pre: StateTest['pre']): MemoryState {
  const store = new MemoryState();
  for (const [name, { balance, nonce, code, storage }] of Object.entries(pre)) {
    const address = BigInt(name);
    const codeHash = code === '0x' ? NO_CODE_HASH : keccak256(bytes(code));
    store.putAccount(address, { balance: BigInt(balance), nonce: BigInt(nonce), storageRoot: EMPTY_ROOT, codeHash });
    store.putCode(address, codeHash, new Code(bytes(code)));
    for (const [slot, value] of Object.entries(storage)) store.putSlot(address, BigInt(slot), BigInt(value));
  }
  return store;
}

/** Executes the transaction. @returns its logs @throws if it is invalid */
function run(store: MemoryState, env: StateTest['env'], raw: Uint8Array): readonly Log[] {
  const { tx, sender } = decodeEvmTransaction(raw);
  const state = new BlockState(store);
  const baseFee = BigInt(env.currentBaseFee ?? '0x0a');
  const number = BigInt(env.currentNumber ?? '0x1');
  const coinbase = BigInt(env.currentCoinbase ?? '0x0');
  const account = state.account(sender);
  const balance = account?.balance ?? 0n;
  if (hasTooMuchInitCode(tx)) throw new Error('init code');
  if (priceCap(tx) < baseFee || (tx.type === 2 && tx.maxPriorityFee > tx.maxFee)) throw new Error('price');
  if (tx.nonce !== (account?.nonce ?? 0n)) throw new Error('nonce');
  if (state.code(sender).size > 0) throw new Error('sender is a contract');
  if (tx.gasLimit > BigInt(env.currentGasLimit ?? '0')) throw new Error('gas limit');
  if (balance < tx.gasLimit * priceCap(tx) + tx.value) throw new Error('balance');
  const price = effectivePrice(tx, baseFee);
  state.write(sender, { basic: { nonce: tx.nonce, balance: balance - tx.gasLimit * price } });
  const result = executeMessage(
    { from: sender, ...tx },
    {
      below: state,
      environment: {
        number,
        timestamp: BigInt(env.currentTimestamp ?? '0x0'),
        coinbase,
        gasLimit: BigInt(env.currentGasLimit ?? '0x0'),
        baseFee,
        difficulty: BigInt(env.currentRandom ?? '0x0'),
        chainId: 1n,
        gasPrice: price,
        origin: sender,
        blockHash: (n) => (n < number && n + RECENT_BLOCKS >= number ? readWord(keccak256(Buffer.from(n.toString())), 0) : 0n),
      },
      findPrecompile: (address) => STANDARD_PRECOMPILES.get(address),
    },
  );
  if (
    !result.isSuccess &&
    result.usedGas === tx.gasLimit &&
    state.account(sender)?.nonce === tx.nonce &&
    result.changes.accounts.length === 0
  )
    throw new Error('intrinsic gas');
  state.apply(result.changes);
  const after = state.account(sender);
  state.write(sender, { basic: { nonce: after?.nonce ?? 0n, balance: (after?.balance ?? 0n) + (tx.gasLimit - result.usedGas) * price } });
  const reward = result.usedGas * (price - baseFee);
  const miner = state.account(coinbase) ?? { nonce: 0n, balance: 0n };
  if (!state.isDeleted(coinbase) || reward > 0n) state.write(coinbase, { basic: { nonce: miner.nonce, balance: miner.balance + reward } });
  store.settle(state, coinbase);
  return result.logs;
}

function stateRoot(store: MemoryState): string {
  const entries = [...store.accounts].map(([address, { nonce, balance }]) => {
    const slots = [...(store.slots.get(address) ?? [])].filter(([, value]) => value !== 0n);
    const storage = treeRoot(slots.map(([slot, value]) => ({ key: keccak256(wordBytes(slot)), value: encodeRlp(encodeInteger(value)) })));
    const record = [encodeInteger(nonce), encodeInteger(balance), storage, keccak256(store.code(address).bytes)];
    return { key: keccak256(addressBytes(address)), value: encodeRlp(record) };
  });
  return `0x${toHex(treeRoot(entries))}`;
}

function logsHash(logs: readonly Log[]): string {
  const items = logs.map(({ address, topics, data }) => [addressBytes(address), topics.map(wordBytes), data]);
  return `0x${toHex(keccak256(encodeRlp(items)))}`;
}

function check(test: StateTest, post: Post): string | undefined {
  const store = load(test.pre);
  let logs: readonly Log[] = [];
  try {
    logs = run(store, test.env, bytes(post.txbytes));
    if (post.expectException !== undefined) return `expected ${post.expectException}`;
  } catch (error) {
    if (post.expectException === undefined) return `refused: ${(error as Error).message}`;
  }
  const root = stateRoot(store);
  if (root !== post.hash) return `state ${root}, expected ${post.hash}`;
  return logsHash(logs) === post.logs ? undefined : 'logs';
}

let passed = 0;
let failed = 0;
for (const file of filesBelow(folder, '.json').filter((path) => path.includes(part))) {
  for (const [name, test] of Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, StateTest>))
    for (const [i, post] of (test.post?.Shanghai ?? []).entries()) {
      const difference = check(test, post);
      if (difference === undefined) passed += 1;
      else {
        failed += 1;
        console.log(`${relative(folder, file)} ${name} ${i}: ${difference}`);
      }
    }
}
console.log(`${passed} passed, ${failed} differ`);
process.exitCode = passed === 0 || failed > 0 ? 1 : 0;
