import type { Ancestor } from '../consensus/ancestry.js';
import { WITNESS_NONCE, witnessCommitmentScript } from '../consensus/block.js';
import { nextBits } from '../consensus/pos/difficulty.js';
import { blockSubsidy, communityAccountShares, foundationShare, legacyShare, rewardShare } from '../consensus/subsidy.js';
import { transactionVersion } from '../consensus/transaction.js';
import { blockVersion } from '../consensus/versionbits.js';
import { isActive, knowsWitness, type NetworkParams } from '../params/network.js';
import type { Block } from '../primitives/block.js';
import { type Hash256, NULL_HASH } from '../primitives/hash.js';
import { type BlockHeader, blockHash } from '../primitives/header.js';
import { merkleRoot } from '../primitives/merkle.js';
import { NULL_OUTPOINT } from '../primitives/outpoint.js';
import { makeTransaction, SEQUENCE_FINAL, type Transaction, type TxOut, transactionWeight } from '../primitives/transaction.js';
import { Op } from '../script/opcodes.js';
import { scriptNumber } from '../script/script.js';
import { concatBytes, EMPTY_BYTES } from '../util/bytes.js';

/** Weight reserved for the header and the coinbase. */
export const RESERVED_WEIGHT = 4_000;
/** Parts of a block to assemble. */
export interface TemplateInput {
  /** Parent of the new block. */
  readonly parent: Ancestor & { readonly hash: Hash256 };
  /** Seconds since 1970. */
  readonly time: number;
  /** Script that the coinbase pays to. */
  readonly scriptPubKey: Uint8Array;
  /** Transactions after the coinbase, in block order. */
  readonly transactions?: readonly Transaction[];
  /** Fees of those transactions, satoshis. */
  readonly fees?: bigint;
  /** Commitment outputs without value, after those that pay. */
  readonly commitments?: readonly TxOut[];
  /** Number in the input of the coinbase that makes a block differ from an equal one; 0 writes none. */
  readonly extraNonce?: number | undefined;
  /** Block version; by default it signals for the active deployments (BIP9). */
  readonly version?: number | undefined;
}

export interface Template {
  /** Complete except for the stake: zero modifier, minted blocks 1, no signature. */
  readonly block: Block;
  /** Weight as in `getmininginfo`: the reserve, and the transactions without the coinbase. */
  readonly weight: number;
}

/** A block on top of `parent`, unsigned. @see docs/protocol/chain.md 6.1 */
export function assembleBlock(
  { parent, time, scriptPubKey, transactions = [], fees = 0n, version, commitments = [], extraNonce = 0 }: TemplateInput,
  params: NetworkParams,
): Template {
  const height = parent.height + 1;
  const outputs = [...coinbaseOutputs(scriptPubKey, height, fees, params), ...commitments];
  const all = [makeCoinbase(outputs, height, extraNonce, transactions, params), ...transactions];
  const header: BlockHeader = {
    version: version ?? blockVersion(parent, params),
    prevHash: parent.hash,
    merkleRoot: merkleRoot(all.map((tx) => tx.txid)).root,
    time,
    bits: nextBits(parent, params),
    stakeModifier: NULL_HASH,
    height: BigInt(height),
    mintedBlocks: 1n,
    signature: EMPTY_BYTES,
  };
  const weight = transactions.reduce((sum, tx) => sum + transactionWeight(tx), RESERVED_WEIGHT);
  return { block: withHeader(all, header), weight };
}

/** Block of the transactions with a header, and its hash. */
export function withHeader(transactions: readonly Transaction[], header: BlockHeader): Block {
  return { header, hash: blockHash(header), transactions };
}

function makeCoinbase(
  outputs: readonly TxOut[],
  height: number,
  extraNonce: number,
  transactions: readonly Transaction[],
  params: NetworkParams,
): Transaction {
  const nonce = extraNonce === 0 ? EMPTY_BYTES : scriptNumber(extraNonce);
  const fields = {
    version: transactionVersion(params, height),
    vin: [
      {
        prevout: NULL_OUTPOINT,
        scriptSig: concatBytes(scriptNumber(height), Uint8Array.of(Op.ZERO), nonce),
        sequence: SEQUENCE_FINAL,
        witness: [] as readonly Uint8Array[],
      },
    ],
    vout: outputs,
    lockTime: 0,
  };
  if (!knowsWitness(params)) return makeTransaction(fields, params.txFormat);
  // The coinbase counts as a null leaf, so the commitment does not depend on the output that will hold it.
  const bare = makeTransaction(fields, params.txFormat);
  const commitment = { value: 0n, scriptPubKey: witnessCommitmentScript([bare, ...transactions], WITNESS_NONCE), tokenId: 0 };
  // The commitment is added before segwit activates, but a coinbase must not have a witness then.
  const witness = height >= params.buried.segwit ? [WITNESS_NONCE] : [];
  const vin = fields.vin.map((input) => ({ ...input, witness }));
  return makeTransaction({ ...fields, vin, vout: [...outputs, commitment] }, params.txFormat);
}

/**
 * Outputs of a coinbase by era: the minter first, then the foundation if it has a share. Between Eunos and Fort Canning, fees are lost.
 * Before AMK the foundation's share is policy of the minter, not consensus, so the foundation debt of `defid` is not tracked.
 */
export function coinbaseOutputs(scriptPubKey: Uint8Array, height: number, fees: bigint, params: NetworkParams): TxOut[] {
  const reward = blockSubsidy(height, params);
  const foundation = foundationOutput(reward, height, fees, params);
  const outputs = [{ value: minterShare(reward, foundation, height, fees, params), scriptPubKey, tokenId: 0 }];
  if (foundation > 0n) outputs.push({ value: foundation, scriptPubKey: params.scripts.foundationShare, tokenId: 0 });
  return outputs;
}

function foundationOutput(reward: bigint, height: number, fees: bigint, params: NetworkParams): bigint {
  if (!isActive(params, 'amk', height)) return ((reward + fees) * params.subsidy.foundationPercent) / 100n;
  // Before Eunos `defid` does not look at Grand Central, which a private network may activate earlier.
  return isActive(params, 'eunos', height) ? foundationShare(reward, height, params) : legacyShare(reward, 'foundation', params);
}

function minterShare(reward: bigint, foundation: bigint, height: number, fees: bigint, params: NetworkParams): bigint {
  if (!isActive(params, 'eunos', height)) return reward + fees - foundation - communityAccountShares(reward, height, params);
  const share = rewardShare(reward, 'masternode', params);
  return isActive(params, 'fortCanning', height) ? share + fees : share;
}
