import type { BlockIndexEntry } from '../../src/chain/block-index.js';
import type { Chain } from '../../src/chain/chain.js';
import { nextBits } from '../../src/consensus/pos/difficulty.js';
import { blockSubsidy } from '../../src/consensus/subsidy.js';
import { blockVersion } from '../../src/consensus/versionbits.js';
import { type Block, block as blockCodec } from '../../src/primitives/block.js';
import { encode } from '../../src/primitives/codec.js';
import { NULL_HASH } from '../../src/primitives/hash.js';
import { type BlockHeader, blockHash } from '../../src/primitives/header.js';
import { merkleRoot } from '../../src/primitives/merkle.js';
import { NULL_OUTPOINT, type OutPoint } from '../../src/primitives/outpoint.js';
import { makeTransaction, type Transaction, type TransactionFields } from '../../src/primitives/transaction.js';
import { buildScript, scriptNumber } from '../../src/script/script.js';
import { concatBytes, EMPTY_BYTES } from '../../src/util/bytes.js';

export const OP_TRUE_SCRIPT = Uint8Array.of(0x51);

export interface BlockParts {
  readonly transactions?: readonly Transaction[];
  readonly header?: Partial<BlockHeader>;
  readonly coinbase?: Partial<TransactionFields>;
  /** Number in the coinbase that makes blocks of the same height differ. */
  readonly tag?: number;
  /** Script that the coinbase pays to. */
  readonly scriptPubKey?: Uint8Array;
}

/** Block above `parent` for a network with `-dummypos`; valid unless the parts make it invalid. */
export function blockOn(
  chain: Pick<Chain, 'params'>,
  parent: BlockIndexEntry,
  { transactions = [], header = {}, coinbase = {}, tag = 0, scriptPubKey = OP_TRUE_SCRIPT }: BlockParts = {},
): Block {
  const { params } = chain;
  const height = parent.height + 1;
  const fields: TransactionFields = {
    version: 2,
    vin: [
      {
        prevout: NULL_OUTPOINT,
        scriptSig: concatBytes(scriptNumber(height), buildScript(Uint8Array.of(tag & 0xff, tag >> 8))),
        sequence: 0xffffffff,
        witness: [],
      },
    ],
    vout: [{ value: blockSubsidy(height, params), scriptPubKey, tokenId: 0 }],
    lockTime: 0,
    ...coinbase,
  };
  const all = [makeTransaction(fields, params.txFormat), ...transactions];
  const full: BlockHeader = {
    version: blockVersion(parent, params),
    prevHash: parent.hash,
    merkleRoot: merkleRoot(all.map((tx) => tx.txid)).root,
    time: parent.medianTimePast() + 1,
    bits: nextBits(parent, params),
    stakeModifier: NULL_HASH,
    height: BigInt(height),
    mintedBlocks: 1n,
    signature: EMPTY_BYTES,
    ...header,
  };
  return { header: full, hash: blockHash(full), transactions: all };
}

export function bytesOf(chain: Pick<Chain, 'params'>, block: Block): Uint8Array {
  return encode(blockCodec(chain.params.txFormat), block);
}

/** Extends a chain by coinbase-only blocks and returns them. */
export function extend(chain: Chain, count: number, tag = 0): Block[] {
  const blocks: Block[] = [];
  for (let i = 0; i < count; i++) {
    const block = blockOn(chain, chain.tip, { tag });
    chain.submitBlock(bytesOf(chain, block));
    blocks.push(block);
  }
  return blocks;
}

/** Transaction that spends outputs with an OP_TRUE script and creates others, of `values` satoshis. */
export function spend(
  chain: Chain,
  points: readonly OutPoint[],
  values: readonly bigint[],
  more: Partial<TransactionFields> = {},
): Transaction {
  const fields: TransactionFields = {
    version: 2,
    vin: points.map((prevout) => ({ prevout, scriptSig: EMPTY_BYTES, sequence: 0xffffffff, witness: [] })),
    vout: values.map((value) => ({ value, scriptPubKey: OP_TRUE_SCRIPT, tokenId: 0 })),
    lockTime: 0,
    ...more,
  };
  return makeTransaction(fields, chain.params.txFormat);
}
