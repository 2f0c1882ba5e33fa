import { recoverCompact, signCompact } from '../../crypto/ecdsa.js';
import { keccak256 } from '../../crypto/hash.js';
import { DecodeError } from '../../primitives/codec.js';
import { evmAddressOf } from '../../script/erc55.js';
import { concatBytes, EMPTY_BYTES } from '../../util/bytes.js';
import { decodeNumber, encodeInteger, encodeWord } from '../kernel/evm-numbers.js';
import { decodeInteger, decodeRlp, encodeRlp, type Rlp, requireBytes } from './rlp.js';

/** A transaction of Ethereum in its first form, without a signature. Amounts are wei. */
export interface LegacyTransaction {
  readonly nonce: bigint;
  readonly gasPrice: bigint;
  readonly gasLimit: bigint;
  /** 20 bytes; undefined where a contract is made. */
  readonly to: Uint8Array | undefined;
  readonly value: bigint;
  readonly data: Uint8Array;
}

export interface SignedTransaction extends LegacyTransaction {
  /** 0 legacy, 1 with an access list (EIP-2930), 2 with two prices (EIP-1559). Of the last two nothing else is read. */
  readonly type: number;
  /** 20 bytes: the address of the key that signed. */
  readonly sender: Uint8Array;
}

const WORD_SIZE = 32;
const ADDRESS_SIZE = 20;
/** `v` of a signature without a chain id. */
const PLAIN_V = 27n;
/** `v` of a signature with one, of chain 0. @see EIP-155 */
const CHAIN_V = 35n;
const LEGACY_FIELDS = 9;
/** How many fields the later forms have, by their first byte. */
const TYPED_FIELDS: ReadonlyMap<number, number> = new Map([
  [1, 11],
  [2, 12],
]);

/** Hash that names a transaction. @returns 32 bytes in the order in which Ethereum shows them */
export function transactionHash(raw: Uint8Array): Uint8Array {
  return keccak256(raw);
}

/** @returns the bytes that travel @see EIP-155 */
export function signTransaction(tx: LegacyTransaction, secretKey: Uint8Array, chainId: number): Uint8Array {
  const signature = signCompact(signingHash(tx, BigInt(chainId)), secretKey, false);
  const v = CHAIN_V + 2n * BigInt(chainId) + (BigInt(signature[0] ?? 0) - PLAIN_V);
  const [r, s] = [signature.subarray(1, 1 + WORD_SIZE), signature.subarray(1 + WORD_SIZE)].map(decodeNumber) as [bigint, bigint];
  return encodeRlp([...fieldsOf(tx), ...[v, r, s].map(encodeInteger)]);
}

/** @throws {DecodeError} if these are no bytes of a transaction, or nobody can have signed it */
export function decodeTransaction(raw: Uint8Array): SignedTransaction {
  const type = raw[0] ?? 0;
  const typedFields = TYPED_FIELDS.get(type);
  if (typedFields === undefined) return decodeLegacy(requireList(decodeRlp(raw), LEGACY_FIELDS));
  requireList(decodeRlp(raw.subarray(1)), typedFields);
  const nothing = { nonce: 0n, gasPrice: 0n, gasLimit: 0n, to: undefined, value: 0n, data: EMPTY_BYTES, sender: EMPTY_BYTES };
  return { type, ...nothing };
}

function requireList(value: Rlp, length: number): readonly Rlp[] {
  if (value instanceof Uint8Array || value.length !== length) throw new DecodeError('not a list of fields');
  return value;
}

function decodeLegacy([nonce, gasPrice, gasLimit, to, value, data, v, r, s]: readonly Rlp[]): SignedTransaction {
  const tx: LegacyTransaction = {
    nonce: decodeInteger(nonce, WORD_SIZE),
    gasPrice: decodeInteger(gasPrice, WORD_SIZE),
    gasLimit: decodeInteger(gasLimit, WORD_SIZE),
    to: decodeTo(requireBytes(to)),
    value: decodeInteger(value, WORD_SIZE),
    data: requireBytes(data),
  };
  const sender = recoverSender(tx, decodeInteger(v, 8), [decodeInteger(r, WORD_SIZE), decodeInteger(s, WORD_SIZE)]);
  if (!sender) throw new DecodeError('invalid signature');
  return { type: 0, ...tx, sender };
}

function decodeTo(bytes: Uint8Array): Uint8Array | undefined {
  if (bytes.length === 0) return undefined;
  if (bytes.length !== ADDRESS_SIZE) throw new DecodeError('not an address');
  return bytes;
}

function recoverSender(tx: LegacyTransaction, v: bigint, scalars: readonly bigint[]): Uint8Array | undefined {
  const chainId = v >= CHAIN_V ? (v - CHAIN_V) / 2n : undefined;
  const recoveryId = chainId === undefined ? v - PLAIN_V : (v - CHAIN_V) % 2n;
  if (recoveryId !== 0n && recoveryId !== 1n) return undefined;
  const header = Uint8Array.of(Number(PLAIN_V + recoveryId));
  const recovered = recoverCompact(concatBytes(header, ...scalars.map(encodeWord)), signingHash(tx, chainId));
  return recovered && evmAddressOf(recovered.publicKey);
}

/** What is signed; with a chain id the signature holds on that chain alone. */
function signingHash(tx: LegacyTransaction, chainId: bigint | undefined): Uint8Array {
  const chain = chainId === undefined ? [] : [encodeInteger(chainId), EMPTY_BYTES, EMPTY_BYTES];
  return keccak256(encodeRlp([...fieldsOf(tx), ...chain]));
}

function fieldsOf({ nonce, gasPrice, gasLimit, to, value, data }: LegacyTransaction): readonly Uint8Array[] {
  return [encodeInteger(nonce), encodeInteger(gasPrice), encodeInteger(gasLimit), to ?? EMPTY_BYTES, encodeInteger(value), data];
}
