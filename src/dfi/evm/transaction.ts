import { recoverCompact, signCompact } from '../../crypto/ecdsa.js';
import { keccak256 } from '../../crypto/hash.js';
import { decodeInteger, decodeRlp, encodeRlp, type Rlp, requireBytes } from '../../evm/codec/rlp.js';
import { decodeNumber, encodeInteger } from '../../evm/words.js';
import { DecodeError } from '../../primitives/codec.js';
import { EVM_ADDRESS_SIZE, evmAddressOf } from '../../script/erc55.js';
import { concatBytes, EMPTY_BYTES } from '../../util/bytes.js';
import { encodeWord } from '../kernel/evm-numbers.js';

/** Legacy Ethereum transaction without signature. Amounts are wei. */
export interface LegacyTransaction {
  readonly nonce: bigint;
  readonly gasPrice: bigint;
  readonly gasLimit: bigint;
  /** 20 bytes; undefined for the creation of a contract. */
  readonly to: Uint8Array | undefined;
  readonly value: bigint;
  readonly data: Uint8Array;
}

export interface SignedTransaction extends LegacyTransaction {
  /** 0 legacy, 1 EIP-2930 (access list), 2 EIP-1559 (two prices). For 1 and 2 all other fields are empty. */
  readonly type: number;
  /** Address of the key that signed, 20 bytes. */
  readonly sender: Uint8Array;
}

const WORD_SIZE = 32;
/** `v` of a signature without a chain id. */
const PLAIN_V = 27n;
/** `v` of a signature for chain id 0. @see EIP-155 */
const CHAIN_V = 35n;
const LEGACY_FIELDS = 9;
/** Number of fields of typed transactions, by type. @see EIP-2718 */
const TYPED_FIELDS: ReadonlyMap<number, number> = new Map([
  [1, 11],
  [2, 12],
]);

/** Hash of a signed transaction. @returns 32 bytes in display order */
export function transactionHash(raw: Uint8Array): Uint8Array {
  return keccak256(raw);
}

/** Signs a transaction for a chain. @returns RLP bytes of the signed transaction @see EIP-155 */
export function signTransaction(tx: LegacyTransaction, secretKey: Uint8Array, chainId: number): Uint8Array {
  const signature = signCompact(signingHash(tx, BigInt(chainId)), secretKey, false);
  const v = CHAIN_V + 2n * BigInt(chainId) + (BigInt(signature[0] ?? 0) - PLAIN_V);
  const [r, s] = [signature.subarray(1, 1 + WORD_SIZE), signature.subarray(1 + WORD_SIZE)].map(decodeNumber) as [bigint, bigint];
  return encodeRlp([...fieldsOf(tx), ...[v, r, s].map(encodeInteger)]);
}

/** Decodes a signed transaction and recovers its sender. @throws {DecodeError} if the bytes or the signature are invalid */
export function decodeTransaction(raw: Uint8Array): SignedTransaction {
  const type = raw[0] ?? 0;
  const typedFields = TYPED_FIELDS.get(type);
  if (typedFields === undefined) return decodeLegacy(requireList(decodeRlp(raw), LEGACY_FIELDS));
  requireList(decodeRlp(raw.subarray(1)), typedFields);
  const nothing = { nonce: 0n, gasPrice: 0n, gasLimit: 0n, to: undefined, value: 0n, data: EMPTY_BYTES, sender: EMPTY_BYTES };
  return { type, ...nothing };
}

function requireList(value: Rlp, length: number): readonly Rlp[] {
  if (value instanceof Uint8Array || value.length !== length) throw new DecodeError('RLP list of fields expected');
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
  if (bytes.length !== EVM_ADDRESS_SIZE) throw new DecodeError('not an address');
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

/** Hash that is signed. With a chain id, the signature is valid on that chain only. */
function signingHash(tx: LegacyTransaction, chainId: bigint | undefined): Uint8Array {
  const chain = chainId === undefined ? [] : [encodeInteger(chainId), EMPTY_BYTES, EMPTY_BYTES];
  return keccak256(encodeRlp([...fieldsOf(tx), ...chain]));
}

function fieldsOf({ nonce, gasPrice, gasLimit, to, value, data }: LegacyTransaction): readonly Uint8Array[] {
  return [encodeInteger(nonce), encodeInteger(gasPrice), encodeInteger(gasLimit), to ?? EMPTY_BYTES, encodeInteger(value), data];
}
