import { keccak256 } from '../../../src/crypto/keccak.js';
import { toWei } from '../../../src/dfi/kernel/evm-numbers.js';
import { formatAddress } from '../../../src/ethereum/values.js';
import { signEvmTransaction, type UnsignedEvmTransaction } from '../../../src/evm/codec/sign.js';
import { encodeEvmTransaction } from '../../../src/evm/codec/transaction.js';
import { TRANSFER_DOMAIN, tokenAddress } from '../../../src/evm/contracts/addresses.js';
import { wordBytes } from '../../../src/evm/words.js';
import { regtest } from '../../../src/params/regtest.js';
import { COIN } from '../../../src/primitives/amount.js';
import { concatBytes, EMPTY_BYTES, toHex } from '../../../src/util/bytes.js';
import type { NodeClient, Question } from '../calls/node-client.js';
import { PRECOMPILES } from '../evm/addresses.js';
import { Op } from '../evm/code-writer.js';
import { creationOf, randomCode } from '../evm/programs.js';
import type { Random } from '../mutate.js';
import type { Draw, KeyAddresses } from './draw.js';

const GWEI = 10n ** 9n;
const CHAIN_ID = BigInt(regtest().evmChainId);
const SLOTS = 4;

/** State of the EVM, from which random transactions take their values. */
export interface EvmValues {
  /** Next nonces by address, pooled transactions counted. */
  readonly nonces: ReadonlyMap<string, bigint>;
  /** Wei by address. */
  readonly balances: ReadonlyMap<string, bigint>;
  /** Contracts that transactions have created. */
  readonly contracts: readonly bigint[];
}

type Argument = 'account' | 'amount';

/** Functions of token contracts. */
const TOKEN_CALLS: readonly (readonly [signature: string, ...Argument[]])[] = [
  ['transfer(address,uint256)', 'account', 'amount'],
  ['transfer(address,uint256)', 'account', 'amount'],
  ['approve(address,uint256)', 'account', 'amount'],
  ['transferFrom(address,address,uint256)', 'account', 'account', 'amount'],
  ['increaseAllowance(address,uint256)', 'account', 'amount'],
  ['balanceOf(address)', 'account'],
  ['upgradeToken(uint256)', 'amount'],
];

/** Reads the state of the EVM of a node. */
export async function evmValues(node: NodeClient, keys: readonly KeyAddresses[], contracts: readonly bigint[]): Promise<EvmValues> {
  const ofKeys = async (method: string, at: string) =>
    new Map(await Promise.all(keys.map(async ({ evm }) => [evm, BigInt(String(await node.result(method, [evm, at])))] as const)));
  return { nonces: await ofKeys('eth_getTransactionCount', 'pending'), balances: await ofKeys('eth_getBalance', 'latest'), contracts };
}

/** A signed transaction in hex with 0x. */
export function evmTransaction(d: Draw, evm: EvmValues): string {
  const key = d.pick(d.keys);
  const next = evm.nonces.get(key.evm) ?? 0n;
  const nonce = d.chance(90) ? next : next + d.pick([-1n, 1n]);
  const common = { ...call(d, evm, key), nonce: nonce < 0n ? 0n : nonce };
  return `0x${toHex(encodeEvmTransaction(signEvmTransaction(priced(d, evm, common), key.secret)))}`;
}

type Call = Pick<UnsignedEvmTransaction, 'nonce' | 'to' | 'value' | 'data' | 'gasLimit'>;

function priced(d: Draw, evm: EvmValues, call: Call): UnsignedEvmTransaction {
  const price = () => d.pick([9n, 10n, 11n, 15n, 40n, 40n, 100n]) * GWEI + BigInt(d.random.below(3));
  const kind = d.random.below(3);
  if (kind === 0) return { type: 0, gasPrice: price(), chainId: d.chance(80) ? CHAIN_ID : undefined, accessList: [], ...call };
  const listed = { chainId: CHAIN_ID, accessList: d.chance(30) ? accessList(d, evm) : [], ...call };
  if (kind === 1) return { type: 1, gasPrice: price(), ...listed };
  const maxFee = price();
  return { type: 2, maxFee, maxPriorityFee: d.pick([0n, 1n, GWEI, maxFee]), ...listed };
}

function accessList(d: Draw, evm: EvmValues) {
  const keys = () => Array.from({ length: d.random.below(3) }, () => BigInt(d.random.below(SLOTS)));
  return Array.from({ length: 1 + d.random.below(3) }, () => ({ address: d.pick(accounts(d, evm)), keys: keys() }));
}

function accounts(d: Draw, evm: EvmValues): readonly bigint[] {
  return [...d.keys.map(({ evm }) => BigInt(evm)), ...evm.contracts, ...evm.contracts, ...tokens(d), ...PRECOMPILES];
}

function tokens(d: Draw): readonly bigint[] {
  return d.values.tokens.map((symbol) => tokenAddress(Number(d.idOf(symbol))));
}

function call(d: Draw, evm: EvmValues, from: KeyAddresses): Omit<Call, 'nonce'> {
  const kind = d.random.below(10);
  const gas = d.pick([100_000n, 300_000n, 300_000n, 1_000_000n, 1_000_000n, 3_000_000n]);
  const gasLimit = d.chance(90) ? gas : BigInt(d.random.below(60_000));
  const value = d.chance(40) ? d.part(BigInt(d.random.below(1_000_000))) : 0n;
  if (kind < 2) {
    const amount = d.part(evm.balances.get(from.evm) ?? 0n) / d.pick([1n, 100n, 100n]);
    return { to: d.pick(accounts(d, evm)), value: amount, data: EMPTY_BYTES, gasLimit: d.chance(50) ? 21_000n : gasLimit };
  }
  if (kind < 5) {
    // Code that runs off its end after a call would show more in traces of `defid`. @see docs/protocol/evm-engine.md 10.9
    const code = concatBytes(randomCode(d.random, accounts(d, evm)), Uint8Array.of(Op.stop));
    return { to: undefined, value, data: d.chance(75) ? creationOf(code) : code, gasLimit };
  }
  if (kind < 8 && evm.contracts.length > 0)
    return { to: d.pick(evm.contracts), value, data: d.random.bytes(d.random.below(100)), gasLimit };
  if (kind === 8) return { to: TRANSFER_DOMAIN, value, data: tokenCall(d, evm), gasLimit };
  return { to: d.pick(tokens(d)), value: d.chance(90) ? 0n : value, data: tokenCall(d, evm), gasLimit };
}

function tokenCall(d: Draw, evm: EvmValues): Uint8Array {
  const [signature, ...kinds] = d.pick(TOKEN_CALLS);
  const words = kinds.map((kind) => (kind === 'account' ? d.pick(accounts(d, evm)) : toWei(d.part(COIN))));
  return concatBytes(keccak256(new TextEncoder().encode(signature)).subarray(0, 4), ...words.map(wordBytes));
}

/** Questions about the state of the EVM. */
export function evmStateQuestions(keys: readonly KeyAddresses[]): readonly Question[] {
  const ofKeys = ['eth_getBalance', 'eth_getTransactionCount'].flatMap((method) => keys.map(({ evm }) => [method, evm] as const));
  return [['eth_getBlockByNumber', 'latest', true], ['eth_gasPrice'], ...ofKeys];
}

/** Random calls of contracts, without effect. */
export function contractCalls(random: Random, keys: readonly KeyAddresses[], contracts: readonly bigint[]): readonly Question[] {
  const methods = ['eth_call', 'eth_estimateGas', 'eth_createAccessList', 'debug_traceCall'];
  return contracts.map((contract) => {
    const data = `0x${toHex(random.bytes(random.below(40)))}`;
    const gas = `0x${(100_000 + random.below(400_000)).toString(16)}`;
    return [random.pick(methods), { from: random.pick(keys).evm, to: formatAddress(contract), data, gas }, 'latest'];
  });
}

/** Questions about the newest EVM block and about contracts. */
export async function evmQuestions(node: NodeClient, contracts: readonly bigint[]): Promise<readonly Question[]> {
  const block = (await node.result('eth_getBlockByNumber', ['latest', false])) as { number: string; transactions: readonly string[] };
  return [
    ['eth_getLogs', { fromBlock: block.number, toBlock: block.number }],
    ...block.transactions.flatMap((hash) => [
      ['eth_getTransactionReceipt', hash] as const,
      ['eth_getTransactionByHash', hash] as const,
      ['debug_traceTransaction', hash] as const,
      ['debug_traceTransaction', hash, { tracer: 'callTracer' }] as const,
    ]),
    ...contracts.map((contract) => ['eth_getCode', formatAddress(contract)] as const),
    ...contracts.flatMap((contract) =>
      Array.from({ length: SLOTS }, (_, slot) => ['eth_getStorageAt', formatAddress(contract), `0x${slot}`] as const),
    ),
  ];
}

/** Contracts that the newest EVM block has created. */
export async function newContracts(node: NodeClient): Promise<readonly bigint[]> {
  const block = (await node.result('eth_getBlockByNumber', ['latest', false])) as { transactions: readonly string[] };
  const receipts = await Promise.all(block.transactions.map((hash) => node.result('eth_getTransactionReceipt', [hash])));
  return receipts.flatMap((receipt) => {
    const { contractAddress } = receipt as { contractAddress: string | null };
    return contractAddress === null ? [] : [BigInt(contractAddress)];
  });
}
