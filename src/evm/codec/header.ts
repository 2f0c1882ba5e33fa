import { keccak256 } from '../../crypto/keccak.js';
import { BackwardRlp, encodeRlp } from './rlp.js';

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
  return written(header).slice();
}

/** Hash of the block. */
export function headerHash(header: EvmHeader): Uint8Array {
  return keccak256(written(header));
}

/** Shared memory: a new array of this size would cost as much as all fields. */
const scratch = new BackwardRlp();

/** View of the encoding, until the next one. */
function written(header: EvmHeader): Uint8Array {
  scratch.reset();
  scratch.number(header.baseFee);
  scratch.bytes(header.seal?.nonce ?? NONCE);
  scratch.bytes(header.seal?.mixHash ?? MIX_HASH);
  scratch.bytes(header.extraData);
  scratch.number(header.timestamp);
  scratch.number(header.gasUsed);
  scratch.number(header.gasLimit);
  scratch.number(header.number);
  scratch.number(header.difficulty);
  scratch.bytes(header.logsBloom);
  scratch.bytes(header.receiptsRoot);
  scratch.bytes(header.transactionsRoot);
  scratch.bytes(header.stateRoot);
  scratch.bytes(header.beneficiary);
  scratch.bytes(OMMERS_HASH);
  scratch.bytes(header.parentHash);
  return scratch.list();
}
