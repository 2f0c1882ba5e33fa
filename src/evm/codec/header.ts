import { keccak256 } from '../../crypto/keccak.js';
import { encodeInteger } from '../words.js';
import { encodeRlp } from './rlp.js';

/** Header of an EVM block. Hashes are 32 bytes in natural order. @see docs/protocol/evm-engine.md 6.3 */
export interface EvmHeader {
  readonly parentHash: Uint8Array;
  /** 20 bytes. */
  readonly beneficiary: Uint8Array;
  readonly stateRoot: Uint8Array;
  readonly transactionsRoot: Uint8Array;
  readonly receiptsRoot: Uint8Array;
  /** 256 bytes. */
  readonly logsBloom: Uint8Array;
  readonly difficulty: bigint;
  readonly number: bigint;
  readonly gasLimit: bigint;
  readonly gasUsed: bigint;
  /** Seconds. */
  readonly timestamp: bigint;
  readonly extraData: Uint8Array;
  /** Wei. */
  readonly baseFee: bigint;
  /** Only of a block that a start state describes; {@link MIX_HASH} and {@link NONCE} in all others. */
  readonly seal?: { readonly mixHash: Uint8Array; readonly nonce: Uint8Array } | undefined;
}

/** Hash of no ommers, which every block has. */
export const OMMERS_HASH: Uint8Array = keccak256(encodeRlp([]));
/** Mix hash of every mined block. */
export const MIX_HASH: Uint8Array = new Uint8Array(32);
/** Nonce of every mined block. */
export const NONCE: Uint8Array = new Uint8Array(8);

/** RLP of the 16 fields. */
export function encodeHeader(header: EvmHeader): Uint8Array {
  return encodeRlp([
    header.parentHash,
    OMMERS_HASH,
    header.beneficiary,
    header.stateRoot,
    header.transactionsRoot,
    header.receiptsRoot,
    header.logsBloom,
    encodeInteger(header.difficulty),
    encodeInteger(header.number),
    encodeInteger(header.gasLimit),
    encodeInteger(header.gasUsed),
    encodeInteger(header.timestamp),
    header.extraData,
    header.seal?.mixHash ?? MIX_HASH,
    header.seal?.nonce ?? NONCE,
    encodeInteger(header.baseFee),
  ]);
}

/** Hash of the block. */
export function headerHash(header: EvmHeader): Uint8Array {
  return keccak256(encodeHeader(header));
}
