import { keccak256 } from '../../crypto/hash.js';
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
}

/** Hash of no ommers. */
const OMMERS_HASH = keccak256(encodeRlp([]));
const MIX_HASH = new Uint8Array(32);
const NONCE = new Uint8Array(8);

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
    MIX_HASH,
    NONCE,
    encodeInteger(header.baseFee),
  ]);
}

/** Hash of the block. */
export function headerHash(header: EvmHeader): Uint8Array {
  return keccak256(encodeHeader(header));
}
