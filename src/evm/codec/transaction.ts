import { recoverCompact } from '../../crypto/ecdsa.js';
import { keccak256, longKeccak256 } from '../../crypto/keccak.js';
import { DecodeError } from '../../primitives/codec.js';
import { concatBytes, EMPTY_BYTES, toHex } from '../../util/bytes.js';
import { Lru } from '../../util/lru.js';
import { finish, type Steps } from '../../util/slicer.js';
import type { AccessListItem } from '../execute.js';
import { ADDRESS_SIZE, addressBytes, addressWord, encodeInteger, WORD_SIZE, wordBytes } from '../words.js';
import { decodeAccessList, encodeAccessList } from './access-list.js';
import { bytesOf, encodeRlp, firstItemsOf, integerOf, type Rlp, sizedWord } from './rlp.js';

/** Fields that all kinds of transactions have. Amounts are wei, addresses numbers. */
interface CommonFields {
  readonly nonce: bigint;
  readonly gasLimit: bigint;
  /** Undefined for the creation of a contract. */
  readonly to: bigint | undefined;
  readonly value: bigint;
  readonly data: Uint8Array;
  /** Empty for legacy transactions. */
  readonly accessList: readonly AccessListItem[];
  readonly signature: Signature;
}

/** Signature of a transaction. Scalars are numbers below the order of the curve. */
export interface Signature {
  /** Parity of the y coordinate, 0 or 1. */
  readonly parity: number;
  readonly r: bigint;
  readonly s: bigint;
}

/** Transaction without type byte: v 27, 28, or 35 and more with a chain id. */
export interface LegacyTransaction extends CommonFields {
  readonly type: 0;
  readonly gasPrice: bigint;
  /** Undefined for a signature that is valid on every chain. @see EIP-155 */
  readonly chainId: bigint | undefined;
}

/** @see EIP-2930 */
export interface AccessListTransaction extends CommonFields {
  readonly type: 1;
  readonly gasPrice: bigint;
  readonly chainId: bigint;
}

/** @see EIP-1559 */
export interface FeeMarketTransaction extends CommonFields {
  readonly type: 2;
  readonly maxPriorityFee: bigint;
  readonly maxFee: bigint;
  readonly chainId: bigint;
}

export type EvmTransaction = LegacyTransaction | AccessListTransaction | FeeMarketTransaction;

/** A transaction with what is derived from it. */
export interface SignedEvmTransaction {
  readonly tx: EvmTransaction;
  /** Address of the signer, or of the impersonated sender. */
  readonly sender: bigint;
  /** Hash of the canonical encoding, 32 bytes in natural order. */
  readonly hash: Uint8Array;
}

/** Rules of a network about signatures. */
export interface SignatureRules {
  /** True where {@link impersonationOf} makes valid signatures. */
  readonly allowsImpersonation?: boolean;
}

const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const SMALL_SIZE = 8;
/** `v` of a signature without a chain id. */
const PLAIN_V = 27n;
/** Smallest `v` with a chain id; 35 and 36, for chain id 0, are refused. @see docs/protocol/evm-engine.md 5.2 */
const FIRST_CHAIN_V = 37n;
const CHAIN_V = 35n;
/** Senders of decoded transactions by their hashes, which cover the signatures. */
const senders = new Lru<string, bigint>(50_000);
const LEGACY_FIELDS = 9;
/** Fields up to `v`, which `defid` reads first: only those after it may be beyond the announced end of the list. */
const LEGACY_FIELDS_INSIDE = 7;
const ACCESS_LIST_FIELDS = 11;
const FEE_MARKET_FIELDS = 12;

/** Decodes a signed transaction of any kind and recovers its sender. @throws {DecodeError} @see docs/protocol/evm-engine.md 5.1 */
export function decodeEvmTransaction(raw: Uint8Array, rules: SignatureRules = {}): SignedEvmTransaction {
  return finish(decodeLongEvmTransaction(raw, rules));
}

/** Sliced {@link decodeEvmTransaction}, for megabytes. @throws {DecodeError} */
export function* decodeLongEvmTransaction(raw: Uint8Array, rules: SignatureRules): Steps<SignedEvmTransaction> {
  const tx = yield* unrecovered(raw);
  const hash = yield* longKeccak256(yield* encoded(tx));
  const impersonated = rules.allowsImpersonation ? impersonatedSender(tx.signature) : undefined;
  return { tx, sender: impersonated ?? (yield* knownSender(tx, hash)), hash };
}

/**
 * Reserved form that stands for the signature of a sender: its address, and the scalar 0, which no key can produce. So it is invalid
 * wherever the rules do not allow it, and the hash of the transaction depends on the sender.
 */
export function impersonationOf(sender: bigint): Signature {
  return { parity: 0, r: sender, s: 0n };
}

/** Sender that the reserved form of a signature names; undefined for any other signature. */
function impersonatedSender({ parity, r, s }: Signature): bigint | undefined {
  return parity === 0 && s === 0n && r > 0n && r < 1n << BigInt(8 * ADDRESS_SIZE) ? r : undefined;
}

/** Sender of a transaction, recovered once: a block consists mostly of transactions that the mempool has decoded. */
function* knownSender(tx: EvmTransaction, hash: Uint8Array): Steps<bigint> {
  const key = toHex(hash);
  const known = senders.get(key);
  if (known !== undefined) return known;
  const sender = yield* recovered(tx);
  senders.set(key, sender);
  return sender;
}

/** Address of the key that signed. @throws {DecodeError} if no key could have made the signature */
export function recoverSender(tx: EvmTransaction): bigint {
  return finish(recovered(tx));
}

function* recovered(tx: EvmTransaction): Steps<bigint> {
  const { parity, r, s } = tx.signature;
  if (r === 0n || s === 0n) throw new DecodeError('invalid signature');
  const compact = concatBytes(Uint8Array.of(Number(PLAIN_V) + parity), wordBytes(r), wordBytes(s));
  const key = recoverCompact(compact, yield* longKeccak256(yield* unsigned(tx)))?.publicKey;
  if (!key) throw new DecodeError('invalid signature');
  return addressWord(keccak256(key.subarray(1)).subarray(12));
}

/** Canonical bytes: type byte unless it is legacy, then RLP. */
export function encodeEvmTransaction(tx: EvmTransaction): Uint8Array {
  return finish(encoded(tx));
}

function* encoded(tx: EvmTransaction): Steps<Uint8Array> {
  const { r, s } = tx.signature;
  const signature = [encodeInteger(signatureV(tx)), encodeInteger(r), encodeInteger(s)];
  return tx.type === 0 ? encodeRlp([...legacyFields(tx), ...signature]) : typed(tx.type, [...(yield* typedFields(tx)), ...signature]);
}

/** `v` of a signature: of a legacy transaction it contains the chain too, of others it is the parity. */
export function signatureV(tx: EvmTransaction): bigint {
  const parity = BigInt(tx.signature.parity);
  if (tx.type !== 0) return parity;
  return parity + (tx.chainId === undefined ? PLAIN_V : CHAIN_V + 2n * tx.chainId);
}

/** Bytes whose hash is signed. */
export function encodeUnsigned(tx: EvmTransaction): Uint8Array {
  return finish(unsigned(tx));
}

function* unsigned(tx: EvmTransaction): Steps<Uint8Array> {
  if (tx.type !== 0) return typed(tx.type, yield* typedFields(tx));
  const chain = tx.chainId === undefined ? [] : [encodeInteger(tx.chainId), EMPTY_BYTES, EMPTY_BYTES];
  return encodeRlp([...legacyFields(tx), ...chain]);
}

/** Highest price of a unit of gas that the sender pays. */
export function priceCap(tx: EvmTransaction): bigint {
  return tx.type === 2 ? tx.maxFee : tx.gasPrice;
}

/** Price of a unit of gas in a block with a base fee. */
export function effectivePrice(tx: EvmTransaction, baseFee: bigint): bigint {
  if (tx.type !== 2) return tx.gasPrice;
  const price = tx.maxPriorityFee + baseFee;
  return price < tx.maxFee ? price : tx.maxFee;
}

/** As {@link decodeEvmTransaction}, without the sender, whose recovery takes most of the time. @throws {DecodeError} */
export function decodeUnrecovered(raw: Uint8Array): EvmTransaction {
  return finish(unrecovered(raw));
}

function* unrecovered(raw: Uint8Array): Steps<EvmTransaction> {
  const [first] = raw;
  if (first === 1) return yield* decodeWithAccessList(fieldsOf(raw.subarray(1), ACCESS_LIST_FIELDS));
  if (first === 2) return yield* decodeFeeMarket(fieldsOf(raw.subarray(1), FEE_MARKET_FIELDS));
  if (first === undefined || first <= 0x7f) throw new DecodeError('unknown type of transaction');
  return decodeLegacy(fieldsOf(raw, LEGACY_FIELDS, LEGACY_FIELDS_INSIDE));
}

/** Encoded item. */
type Field = Uint8Array | undefined;
type Fields = readonly Field[];

function fieldsOf(bytes: Uint8Array, count: number, inside?: number): Fields {
  const fields = firstItemsOf(bytes, count + 1, inside);
  if (fields.length !== count) throw new DecodeError(`RLP list of ${count} fields expected`);
  return fields;
}

function decodeLegacy([nonce, gasPrice, gasLimit, to, value, data, v, r, s]: Fields): LegacyTransaction {
  const { chainId, parity } = decodeV(integerOf(v, SMALL_SIZE));
  const signature = { parity, r: decodeWord(r), s: decodeWord(s) };
  return { type: 0, gasPrice: decodeWord(gasPrice), chainId, ...common([nonce, gasLimit, to, value, data], [], signature) };
}

function decodeV(v: bigint): { readonly chainId: bigint | undefined; readonly parity: number } {
  if (v === PLAIN_V || v === PLAIN_V + 1n) return { chainId: undefined, parity: Number(v - PLAIN_V) };
  if (v < FIRST_CHAIN_V) throw new DecodeError('invalid signature');
  return { chainId: (v - CHAIN_V) / 2n, parity: Number((v - CHAIN_V) % 2n) };
}

function* decodeWithAccessList(fields: Fields): Steps<AccessListTransaction> {
  const [chainId, nonce, gasPrice, gasLimit, to, value, data, accessList, parity, r, s] = fields;
  const signature = typedSignature(parity, r, s);
  const rest = common([nonce, gasLimit, to, value, data], yield* decodeAccessList(accessList), signature);
  return { type: 1, chainId: integerOf(chainId, SMALL_SIZE), gasPrice: decodeWord(gasPrice), ...rest };
}

function* decodeFeeMarket(fields: Fields): Steps<FeeMarketTransaction> {
  const [chainId, nonce, maxPriorityFee, maxFee, gasLimit, to, value, data, accessList, parity, r, s] = fields;
  const rest = common([nonce, gasLimit, to, value, data], yield* decodeAccessList(accessList), typedSignature(parity, r, s));
  const prices = { maxPriorityFee: decodeWord(maxPriorityFee), maxFee: decodeWord(maxFee) };
  return { type: 2, chainId: integerOf(chainId, SMALL_SIZE), ...prices, ...rest };
}

function common(fields: Fields, accessList: readonly AccessListItem[], signature: Signature): CommonFields {
  const [nonce, gasLimit, to, value, data] = fields;
  if (signature.r >= CURVE_ORDER || signature.s >= CURVE_ORDER) throw new DecodeError('invalid signature');
  return {
    nonce: decodeWord(nonce),
    gasLimit: decodeWord(gasLimit),
    to: decodeTo(bytesOf(to)),
    value: decodeWord(value),
    data: bytesOf(data),
    accessList,
    signature,
  };
}

function typedSignature(parity: Field, r: Field, s: Field): Signature {
  const bit = Number(integerOf(parity, SMALL_SIZE));
  if (bit > 1) throw new DecodeError('invalid signature');
  return { parity: bit, r: decodeWord(r), s: decodeWord(s) };
}

function decodeTo(bytes: Uint8Array): bigint | undefined {
  return bytes.length === 0 ? undefined : sizedWord(bytes, ADDRESS_SIZE);
}

function decodeWord(value: Field): bigint {
  return integerOf(value, WORD_SIZE);
}

function legacyFields({ nonce, gasPrice, gasLimit, to, value, data }: LegacyTransaction): readonly Rlp[] {
  return [encodeInteger(nonce), encodeInteger(gasPrice), encodeInteger(gasLimit), encodeTo(to), encodeInteger(value), data];
}

function* typedFields(tx: AccessListTransaction | FeeMarketTransaction): Steps<readonly Rlp[]> {
  const prices = tx.type === 1 ? [tx.gasPrice] : [tx.maxPriorityFee, tx.maxFee];
  const { chainId, nonce, gasLimit, to, value, data } = tx;
  const numbers = [chainId, nonce, ...prices, gasLimit].map(encodeInteger);
  return [...numbers, encodeTo(to), encodeInteger(value), data, yield* encodeAccessList(tx.accessList)];
}

function encodeTo(to: bigint | undefined): Uint8Array {
  return to === undefined ? EMPTY_BYTES : addressBytes(to);
}

function typed(type: number, fields: readonly Rlp[]): Uint8Array {
  return concatBytes(Uint8Array.of(type), encodeRlp(fields));
}
