import { BlockInvalid } from '../../consensus/errors.js';
import type { NetworkParams } from '../../params/network.js';
import {
  type ByteReader,
  type Codec,
  DecodeError,
  decode,
  encode,
  fixedBytes,
  i64,
  list,
  struct,
  u32,
  varBytes,
} from '../../primitives/codec.js';
import type { Transaction, TxOut } from '../../primitives/transaction.js';
import { EVM_ADDRESS_SIZE } from '../../script/erc55.js';
import { Op } from '../../script/opcodes.js';
import { buildScript, readOp } from '../../script/script.js';
import { concatBytes, equalBytes } from '../../util/bytes.js';
import { byteString } from '../kernel/text.js';

/** Sets the balance of an account in the DVM. */
export interface BalanceChange {
  readonly kind: 'balance';
  readonly owner: Uint8Array;
  readonly tokenId: number;
  /** Satoshis. */
  readonly amount: bigint;
}

/** Sets the price of a token for all oracles that report it. */
export interface PriceChange {
  readonly kind: 'price';
  readonly token: string;
  readonly currency: string;
  /** Satoshis of the currency for one token. */
  readonly price: bigint;
}

/** Sets the balance of an account in the EVM. */
export interface EvmBalanceChange {
  readonly kind: 'evm-balance';
  /** 20 bytes. */
  readonly address: Uint8Array;
  /** Wei, 32 bytes, big-endian. */
  readonly balance: Uint8Array;
}

/** Sets the nonce of an account in the EVM. */
export interface EvmNonceChange {
  readonly kind: 'evm-nonce';
  /** 20 bytes. */
  readonly address: Uint8Array;
  readonly nonce: bigint;
}

/** Sets the code of an account in the EVM. */
export interface EvmCodeChange {
  readonly kind: 'evm-code';
  /** 20 bytes. */
  readonly address: Uint8Array;
  readonly code: Uint8Array;
}

/** Sets a slot of the storage of an account in the EVM. */
export interface EvmSlotChange {
  readonly kind: 'evm-slot';
  /** 20 bytes. */
  readonly address: Uint8Array;
  /** 32 bytes. */
  readonly slot: Uint8Array;
  /** 32 bytes. */
  readonly value: Uint8Array;
}

/** Change of the state that a block of a development network carries. */
export type DevelopmentChange = BalanceChange | PriceChange | EvmBalanceChange | EvmNonceChange | EvmCodeChange | EvmSlotChange;

const evmAddress = fixedBytes(EVM_ADDRESS_SIZE);
const word = fixedBytes(32);

/** Fields by kind. The position of a kind is its number in bytes. */
const FIELDS: { readonly [K in DevelopmentChange['kind']]: Codec<Omit<Extract<DevelopmentChange, { kind: K }>, 'kind'>> } = {
  balance: struct({ owner: varBytes, tokenId: u32, amount: i64 }),
  price: struct({ token: byteString, currency: byteString, price: i64 }),
  'evm-balance': struct({ address: evmAddress, balance: word }),
  'evm-nonce': struct({ address: evmAddress, nonce: i64 }),
  'evm-code': struct({ address: evmAddress, code: varBytes }),
  'evm-slot': struct({ address: evmAddress, slot: word, value: word }),
};
const KINDS = Object.keys(FIELDS) as readonly DevelopmentChange['kind'][];

/** A change: the number of its kind in a byte, then its fields. */
const change: Codec<DevelopmentChange> = {
  write(w, value) {
    w.u8(KINDS.indexOf(value.kind));
    (FIELDS[value.kind] as Codec<object>).write(w, value);
  },
  read(r: ByteReader) {
    const kind = KINDS[r.u8()];
    if (!kind) throw new DecodeError('unknown kind of change');
    return { kind, ...(FIELDS[kind] as Codec<object>).read(r) } as DevelopmentChange;
  },
};

const changes = list(change);
const MARKER = Uint8Array.from(Buffer.from('DfDv', 'latin1'));

/** Coinbase output with the changes that a block makes before its transactions. */
export function changesOutput(made: readonly DevelopmentChange[]): TxOut {
  return { value: 0n, scriptPubKey: buildScript(Op.RETURN, concatBytes(MARKER, encode(changes, made))), tokenId: 0 };
}

/** Changes that a coinbase carries; none on a network that is not for development. @throws {BlockInvalid} if they are malformed */
export function changesOf(
  { vout }: Pick<Transaction, 'vout'>,
  { isRegtest }: Pick<NetworkParams, 'isRegtest'>,
): readonly DevelopmentChange[] {
  if (!isRegtest) return [];
  return vout.flatMap(({ scriptPubKey }) => {
    const data = scriptPubKey[0] === Op.RETURN ? readOp(scriptPubKey, 1)?.data : undefined;
    if (!data || !equalBytes(data.subarray(0, MARKER.length), MARKER)) return [];
    try {
      return decode(changes, data.subarray(MARKER.length));
    } catch (error) {
      if (error instanceof DecodeError) throw new BlockInvalid('bad-dev-changes', 'consensus', error.message);
      throw error;
    }
  });
}
