import { sha256d } from '../crypto/hash.js';
import { ByteWriter, type Codec, encode, i32, struct, u32, u64, varBytes } from './codec.js';
import { type Hash256, hash256 } from './hash.js';

/** Header of a block. Unlike that of Bitcoin it has a stake modifier, a height and a signature, and no nonce. */
export interface BlockHeader {
  readonly version: number;
  readonly prevHash: Hash256;
  readonly merkleRoot: Hash256;
  /** Seconds since 1970. */
  readonly time: number;
  /** Compact target. */
  readonly bits: number;
  readonly stakeModifier: Hash256;
  /** Height as set by the minter. Checked from Fort Canning Museum on; any value may occur before. */
  readonly height: bigint;
  /** Number of blocks minted by the masternode, including this one, as set by the minter. */
  readonly mintedBlocks: bigint;
  /** 65-byte compact signature of the minter; empty in the genesis block. */
  readonly signature: Uint8Array;
}

/** 125 bytes plus the signature, without a nonce. */
export const blockHeader: Codec<BlockHeader> = struct<BlockHeader>({
  version: i32,
  prevHash: hash256,
  merkleRoot: hash256,
  time: u32,
  bits: u32,
  stakeModifier: hash256,
  height: u64,
  mintedBlocks: u64,
  signature: varBytes,
});

/** Hash of all fields, the signature included. */
export function blockHash(header: BlockHeader): Hash256 {
  return sha256d(encode(blockHeader, header));
}

/** Hash that the minter signs: the same fields in another order, without the signature (124 bytes). */
export function hashToSign(header: BlockHeader): Hash256 {
  const w = new ByteWriter(124);
  w.i32(header.version);
  w.bytes(header.prevHash);
  w.bytes(header.merkleRoot);
  w.u32(header.time);
  w.u32(header.bits);
  w.u64(header.height);
  w.u64(header.mintedBlocks);
  w.bytes(header.stakeModifier);
  return sha256d(w.finish());
}
