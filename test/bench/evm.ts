import { keccak256, useFastKeccak } from '../../src/crypto/keccak.js';
import { Code } from '../../src/evm/code.js';
import { executeMessage } from '../../src/evm/execute.js';
import { useFastCurve } from '../../src/evm/precompiles/bn254.js';
import { STANDARD_PRECOMPILES } from '../../src/evm/precompiles/standard.js';
import { BlockState } from '../../src/evm/state/block-state.js';
import { commitBlock } from '../../src/evm/state/commit.js';
import { wordBytes } from '../../src/evm/words.js';
import { fromHex } from '../../src/util/bytes.js';
import { RecordedNode } from '../unit/ethereum/recorded-node.js';
import { MemoryState } from '../unit/evm/memory-state.js';
import { workerProgram } from '../worker-program.js';
import { ratio, secondsOf } from './evm/token-transfers.js';

const CALLS = 5_000;
const BLOCK_GAS = 30_000_000n;
const SENDER = 0x5e4den;
const FUNDS = 10n ** 24n;
const CODE_ADDRESS = 0xc0den;

/** Time of a block of 30 million gas that repeats one piece of code. */
function worstCases(): void {
  const floor = secondsOf(() => {
    for (let i = 0; i < 100_000; i++) keccak256(wordBytes(BigInt(i)));
  });
  console.log(`floor: 100,000 hashes in ${floor.toFixed(2)} s`);
  for (const [name, piece] of Object.entries(PIECES)) {
    const seconds = secondsOf(() => runLoop(piece));
    console.log(`30M gas of ${name.padEnd(24)} ${seconds.toFixed(2).padStart(6)} s, ${ratio(seconds, floor)} floors`);
  }
}

/** Code that a loop repeats; it leaves the stack as it was. */
const PIECES: Readonly<Record<string, string>> = {
  nothing: '',
  ADD: pieces('600160020150', 16),
  MULMOD: pieces(`7f${'fd'.repeat(32)}7f${'fe'.repeat(32)}7f${'ff'.repeat(32)}0950`, 8),
  EXP: pieces(`7f${'ff'.repeat(32)}60030a50`, 8),
  'KECCAK256 of 32 bytes': pieces('602060002050', 16),
  SLOAD: pieces('60005450', 16),
  'SSTORE, same value': pieces('6001600055', 16),
  'MSTORE, MLOAD': pieces('600160405260405150', 16),
  BALANCE: pieces('61aaaa3150', 16),
  'CALL of an empty account': pieces('600060006000600060006161a85af150', 4),
  CREATE: pieces('600060006000f050', 2),
  ecrecover: precompile(1, 128, 32, signatureInput()),
  'SHA-256 of 128 bytes': precompile(2, 128, 32, ''),
  'RIPEMD-160 of 128 bytes': precompile(3, 128, 32, ''),
  'identity of 128 bytes': precompile(4, 128, 128, ''),
  'modexp of 32 bytes': precompile(5, 192, 32, modexpInput(32)),
  'modexp of 256 bytes': precompile(5, 864, 256, modexpInput(256)),
  'bn254 add': precompile(6, 128, 64, point().repeat(2)),
  'bn254 mul': precompile(7, 96, 64, point() + 'ff'.repeat(32)),
  'bn254 pairing, one pair': precompile(8, 192, 32, point() + twist()),
  'BLAKE2b, 100,000 rounds': precompile(9, 213, 64, `000186a0${'5a'.repeat(208)}01`),
};

function pieces(code: string, times: number): string {
  return code.repeat(times);
}

/** Writes the input to memory once, at the start of the code, then calls in the loop. */
function precompile(address: number, inSize: number, outSize: number, input: string): string {
  const words = (input.match(/.{1,64}/g) ?? []).map((word, i) => `7f${word.padEnd(64, '0')}61${hex(32 * i)}52`).join('');
  return `${words}|61${hex(outSize)}61200061${hex(inSize)}600060${address.toString(16).padStart(2, '0')}5afa50`;
}

function hex(number: number): string {
  return number.toString(16).padStart(4, '0');
}

function signatureInput(): string {
  return `${'11'.repeat(32)}${'00'.repeat(31)}1b${'22'.repeat(32)}${'33'.repeat(32)}`;
}

function modexpInput(size: number): string {
  const length = size.toString(16).padStart(64, '0');
  return `${length.repeat(3)}${'f1'.repeat(3 * size)}`;
}

/** Generator of the first group. */
function point(): string {
  return `${'1'.padStart(64, '0')}${'2'.padStart(64, '0')}`;
}

/** Generator of the second group, imaginary parts first. */
function twist(): string {
  return [
    '198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2',
    '1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed',
    '090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b',
    '12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa',
  ].join('');
}

function runLoop(piece: string): void {
  const [setup, body] = piece.includes('|') ? (piece.split('|') as [string, string]) : ['', piece];
  const start = setup.length / 2;
  const code = new Code(fromHex(`${setup}5b${body}61${hex(start)}56`));
  const below = {
    account: (address: bigint) =>
      address === SENDER || address === CODE_ADDRESS ? { nonce: 1n, balance: FUNDS, storageRoot: EMPTY, codeHash: EMPTY } : undefined,
    code: (address: bigint) => (address === CODE_ADDRESS ? code : new Code(new Uint8Array(0))),
    storage: () => 1n,
  };
  const environment = {
    number: 1n,
    timestamp: 1n,
    coinbase: 0n,
    gasLimit: BLOCK_GAS,
    baseFee: 1n,
    difficulty: 1n,
    chainId: 1n,
    gasPrice: 1n,
    origin: SENDER,
    blockHash: () => 0n,
  };
  const message = { from: SENDER, to: CODE_ADDRESS, value: 0n, data: new Uint8Array(0), gasLimit: BLOCK_GAS, accessList: [] };
  executeMessage(message, { below, environment, findPrecompile: (address) => STANDARD_PRECOMPILES.get(address) });
}

const EMPTY = new Uint8Array(32);

/** Root after 1,000 changed accounts in a small and in a large state. */
function stateRoots(): void {
  const [small, large] = [1_000, 1_000_000].map((size) => rootSeconds(size)) as [number, number];
  console.log(
    `root after 1,000 changed accounts of 1,000: ${small.toFixed(3)} s, of 1,000,000: ${large.toFixed(3)} s, ${ratio(large, small)} times`,
  );
}

function rootSeconds(size: number): number {
  const store = new MemoryState();
  changeAccounts(store, 0, size);
  return secondsOf(() => changeAccounts(store, 0, 1_000));
}

function changeAccounts(store: MemoryState, from: number, count: number): void {
  const block = new BlockState(store);
  for (let i = from; i < from + count; i++) {
    const address = BigInt(`0x${Buffer.from(keccak256(wordBytes(BigInt(i)))).toString('hex', 0, 20)}`);
    block.write(address, { basic: { nonce: (block.account(address)?.nonce ?? 0n) + 1n, balance: 1n } });
  }
  commitBlock(block, store);
}

/** Balances of a token by `eth_call`, at the last block and at an earlier one. */
async function balanceCalls(): Promise<void> {
  const node = new RecordedNode('main').connect();
  const data = `0x70a08231${'c50d87f19c20dfdd140a387a20365f7e4198ca6a'.padStart(64, '0')}`;
  const call = { to: '0xff00000000000000000000000000000000000001', data };
  for (const block of ['latest', '0x4', 'latest', '0x4']) {
    const before = process.cpuUsage();
    for (let i = 0; i < CALLS; i++) await node.call('eth_call', [call, block]);
    const { user, system } = process.cpuUsage(before);
    const seconds = (user + system) / 1e6;
    const floor = secondsOf(() => {
      for (let i = 0; i < CALLS * 10; i++) keccak256(wordBytes(BigInt(i)));
    });
    console.log(`${CALLS} balances at block ${block}: ${Math.round(CALLS / seconds)}/s, ${ratio(seconds, floor)} times 10 hashes each`);
  }
}

/** Speed of the EVM by processor time. */
export async function run(): Promise<void> {
  await Promise.all([useFastCurve(), useFastKeccak()]);
  const { tokenTransfers } = (await import(
    workerProgram('test/bench/evm/token-transfers.ts').href
  )) as typeof import('./evm/token-transfers.js');
  await tokenTransfers();
  worstCases();
  stateRoots();
  await balanceCalls();
}
