import type { Code } from '../code.js';
import type { LegacyTransaction } from '../codec/transaction.js';
import * as address from '../contracts/addresses.js';
import { creationData, RESERVED, runtimeCode, TOKEN_PROXY, TRANSFER_DOMAIN_PROXY } from '../contracts/codes.js';
import { Dst20Slot, IMPLEMENTATION, IntrinsicsSlot, mappingSlot, shortText } from '../contracts/slots.js';
import type { Account } from '../state/account.js';
import { type BlockState, codeHashOf } from '../state/block-state.js';
import { EntryRefused } from './entry-error.js';

/** Gas limit of the transactions that record system entries. */
const MAX_GAS = (1n << 64n) - 1n;
const RESERVED_HASH = codeHashOf(RESERVED);
const INTRINSICS_VERSION = 1n;

/** A token whose contract is deployed or renamed. */
export interface TokenEntry {
  readonly id: number;
  /** UTF-8, at most 32 bytes, like the symbol. */
  readonly name: Uint8Array;
  readonly symbol: Uint8Array;
}

/** Transaction that records a change made by the node itself. */
export interface SystemEntry {
  readonly tx: LegacyTransaction;
  /** Contract that was changed. */
  readonly contract: bigint;
}

/** Upgrades of the token contract by height of the DVM block. @see docs/protocol/evm-engine.md 7.5 */
export interface UpgradeHeights {
  readonly df23: number;
  readonly df24: number;
}

/** Contracts of the first EVM block, without tokens. */
export function deployGenesis(state: BlockState, dvmHeight: number, baseFee: bigint): readonly SystemEntry[] {
  for (const reserved of address.reservedAddresses()) state.write(reserved, { code: RESERVED, reset: true });
  const deploy = (contract: bigint, name: Parameters<typeof runtimeCode>[0], storage: readonly (readonly [bigint, bigint])[] = []) => {
    const code = name === 'transferDomain' ? TRANSFER_DOMAIN_PROXY : runtimeCode(name);
    return deployContract(state, { contract, code, data: creationData(name), storage, baseFee });
  };
  return [
    deploy(address.REGISTRY, 'registry', [[mappingSlot(0n, 0n), address.INTRINSICS]]),
    deploy(address.INTRINSICS, 'intrinsicsV1', counters(0n, dvmHeight)),
    deploy(address.TRANSFER_DOMAIN_V1, 'transferDomainV1'),
    deploy(address.TRANSFER_DOMAIN, 'transferDomain', [[IMPLEMENTATION, address.TRANSFER_DOMAIN_V1]]),
    deploy(address.DST20_V1, 'dst20V1'),
  ];
}

/** Block counters, which contracts read. */
export function updateIntrinsics(state: BlockState, evmNumber: bigint, dvmHeight: number): void {
  state.write(address.INTRINSICS, { storage: counters(evmNumber, dvmHeight) });
}

function counters(evmNumber: bigint, dvmHeight: number): readonly (readonly [bigint, bigint])[] {
  return [
    [IntrinsicsSlot.version, INTRINSICS_VERSION],
    [IntrinsicsSlot.evmBlocks, evmNumber],
    [IntrinsicsSlot.dvmBlocks, BigInt(dvmHeight)],
  ];
}

/** True at the heights of {@link deployUpgrades}. */
export function isUpgradeHeight(dvmHeight: number, { df23, df24 }: UpgradeHeights): boolean {
  return dvmHeight === df23 || dvmHeight === df24;
}

/** New versions of the token contract, at exactly their heights. */
export function deployUpgrades(
  state: BlockState,
  dvmHeight: number,
  { df23, df24 }: UpgradeHeights,
  baseFee: bigint,
): readonly SystemEntry[] {
  const entries: SystemEntry[] = [];
  if (dvmHeight === df23) entries.push(deployUpgrade(state, address.DST20_V2, 'dst20V2', baseFee));
  if (dvmHeight === df24) entries.push(deployUpgrade(state, address.DST20_V3, 'dst20V3', baseFee));
  return entries;
}

/** The implementation slot is set on the implementation itself, as `defid` does. */
function deployUpgrade(state: BlockState, contract: bigint, name: 'dst20V2' | 'dst20V3', baseFee: bigint): SystemEntry {
  const entry = deployContract(state, { contract, code: runtimeCode(name), data: creationData(name), storage: [], baseFee });
  state.write(contract, { storage: [[IMPLEMENTATION, contract]] });
  return entry;
}

/** True for an account that the contract of a new token may replace. */
export function isFreeForToken(account: Pick<Account, 'codeHash'> | undefined): boolean {
  return account === undefined || Buffer.from(account.codeHash).equals(RESERVED_HASH);
}

/** Refusal of a token whose address is not free, see {@link isFreeForToken}. */
export function addressInUse({ symbol }: TokenEntry): EntryRefused {
  return new EntryRefused(`Token ${Buffer.from(symbol).toString()} address is already in use`);
}

/** Contract of a new token. @throws {EntryRefused} if the address is in use */
export function deployToken(state: BlockState, token: TokenEntry, implementation: bigint, baseFee: bigint): SystemEntry {
  const contract = address.tokenAddress(token.id);
  if (!isFreeForToken(state.account(contract))) throw addressInUse(token);
  const storage = tokenSlots(token, implementation);
  const data = creationData('transferDomain');
  return deployContract(state, { contract, code: TOKEN_PROXY, data, storage, baseFee, nonce: BigInt(token.id) });
}

/** New name, symbol and implementation of a token's contract. */
export function updateToken(state: BlockState, token: TokenEntry, implementation: bigint, baseFee: bigint): SystemEntry {
  const contract = address.tokenAddress(token.id);
  state.write(contract, { storage: tokenSlots(token, implementation) });
  return { contract, tx: recordOf(new Uint8Array(0), baseFee, BigInt(token.id)) };
}

function tokenSlots({ name, symbol }: TokenEntry, implementation: bigint): readonly (readonly [bigint, bigint])[] {
  return [
    [Dst20Slot.name, shortText(name)],
    [Dst20Slot.symbol, shortText(symbol)],
    [IMPLEMENTATION, implementation],
  ];
}

/** Implementation of token contracts at a height. */
export function tokenImplementation(dvmHeight: number, { df23, df24 }: UpgradeHeights): bigint {
  if (dvmHeight >= df24) return address.DST20_V3;
  return dvmHeight >= df23 ? address.DST20_V2 : address.DST20_V1;
}

interface Deployment {
  /** Address. */
  readonly contract: bigint;
  /** Code that the account has afterwards. */
  readonly code: Code;
  /** Creation code as the recorded transaction shows it; it is not run. */
  readonly data: Uint8Array;
  /** Slots and values. */
  readonly storage: readonly (readonly [bigint, bigint])[];
  /** Base fee of the block, wei. */
  readonly baseFee: bigint;
  /** Nonce of the recorded transaction; 0 by default. */
  readonly nonce?: bigint;
}

function deployContract(state: BlockState, { contract, code, data, storage, baseFee, nonce = 0n }: Deployment): SystemEntry {
  state.write(contract, { code, storage, reset: true });
  return { contract, tx: recordOf(data, baseFee, nonce) };
}

/** The signature is artificial; the address that it recovers to means nothing. */
function recordOf(data: Uint8Array, baseFee: bigint, nonce: bigint): LegacyTransaction {
  const signature = { parity: 0, r: 1n, s: 1n };
  const call = { nonce, gasPrice: baseFee, gasLimit: MAX_GAS, to: undefined, value: 0n, data };
  return { type: 0, chainId: undefined, accessList: [], signature, ...call };
}
