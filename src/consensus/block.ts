import { sha256d } from '../crypto/hash.js';
import { isActive, type NetworkParams } from '../params/network.js';
import { type Block, blockSizes } from '../primitives/block.js';
import type { BlockOutline } from '../primitives/block-outline.js';
import { type Hash256, NULL_HASH } from '../primitives/hash.js';
import type { BlockHeader } from '../primitives/header.js';
import { type MerkleRoot, merkleRoot, merkleSteps, merkleStepsOf } from '../primitives/merkle.js';
import { hasWitness, isCoinbase, type Transaction, type TxOut, WITNESS_SCALE_FACTOR } from '../primitives/transaction.js';
import { scriptNumber } from '../script/script.js';
import { countSigOps } from '../script/sigops.js';
import { compareBytes, concatBytes, equalBytes } from '../util/bytes.js';
import type { Steps } from '../util/slicer.js';
import type { Ancestor } from './ancestry.js';
import { BlockInvalid, TxInvalid } from './errors.js';
import { MAX_BLOCK_SIGOPS_COST, MAX_BLOCK_WEIGHT } from './limits.js';
import { checkTransaction, isAllowedCoinbaseLike, isFinal } from './transaction.js';

declare const checked: unique symbol;

/** A block that passed `checkBlock`: all checks that need no ancestors. */
export type CheckedBlock = Block & { readonly [checked]: true };

/** Roots over the transactions of a block. Hashing takes most of the time of its checks. */
export interface BlockRoots {
  readonly txids: MerkleRoot;
  /** Undefined if the block does not commit to its witnesses. */
  readonly wtxids: MerkleRoot | undefined;
}

/** Computes the roots in steps, for checks that need not compute them then. */
export function* blockRoots(block: Block): Steps<BlockRoots> {
  const txids = yield* merkleSteps(block.transactions.map(txidOf));
  yield;
  const commits = witnessCommitmentIndex(block) !== -1;
  return { txids, wtxids: commits ? yield* merkleSteps(block.transactions.map(witnessLeafOf)) : undefined };
}

/**
 * @param height height of the block
 * @param roots those of the block, if they are known
 * @throws {BlockInvalid} in the order of docs/protocol/chain.md 4.2, without proof of stake and reward address
 */
export function checkBlock(block: Block, height: number, params: NetworkParams, roots?: BlockRoots): CheckedBlock {
  checkMerkleRoot(block, hasMixedRoot(height, params), roots);
  const count = block.transactions.length;
  const tooLong = blockSizes(block).strippedSize * WITNESS_SCALE_FACTOR > MAX_BLOCK_WEIGHT;
  if (count === 0 || count * WITNESS_SCALE_FACTOR > MAX_BLOCK_WEIGHT || tooLong)
    throw new BlockInvalid('bad-blk-length', 'consensus', 'size limits failed');
  if (!isCoinbase(block.transactions[0] as Transaction)) throw new BlockInvalid('bad-cb-missing', 'consensus', 'first tx is not coinbase');
  for (let i = 1; i < count; i++) {
    const tx = block.transactions[i] as Transaction;
    if (!isCoinbase(tx) || isAllowedCoinbaseLike(tx, height, params)) continue;
    throw new BlockInvalid('bad-cb-multiple', 'consensus', 'more than one coinbase');
  }
  const metachain = isActive(params, 'metachain', height);
  for (const tx of block.transactions) checkTransactionOf(tx, metachain);
  if (legacySigOps(block.transactions) * WITNESS_SCALE_FACTOR > MAX_BLOCK_SIGOPS_COST) {
    throw new BlockInvalid('bad-blk-sigops', 'consensus', 'out-of-bounds SigOpCount');
  }
  return block as CheckedBlock;
}

/**
 * Checks the commitments of the header to the transactions and, from segwit on, to their witnesses. A stored block that fails was altered
 * after it was received.
 * @param roots those of the block, if they are known
 * @throws {BlockInvalid} of kind `mutated`
 */
export function checkCommitments(block: Block, height: number, params: NetworkParams, roots?: BlockRoots): void {
  checkMerkleRoot(block, hasMixedRoot(height, params), roots);
  checkWitness(block, height >= params.buried.segwit, roots);
}

/** {@link checkCommitments} of an outline: to the transactions, and to their witnesses if it has the leaves of their tree. */
export function* checkOutline(outline: BlockOutline, height: number, params: NetworkParams): Steps<void> {
  const { header, coinbase, hasWitness, witnessLeaves } = outline;
  const txids = yield* merkleStepsOf(outline.txids);
  requireMerkleRoot(txids, header, hasMixedRoot(height, params));
  if (!witnessLeaves) return;
  const wtxids = yield* merkleStepsOf(witnessLeaves);
  requireCommitment(coinbase, height >= params.buried.segwit, { hasWitness: () => hasWitness, root: () => wtxids });
}

function hasMixedRoot(height: number, params: NetworkParams): boolean {
  return isActive(params, 'eunos', height) && !isActive(params, 'eunosKampung', height);
}

/** Checks the merkle root. A mixed root also covers account changes, which are not recomputed here: only duplicates are detected then. */
function checkMerkleRoot({ header, transactions }: Block, isMixed: boolean, roots?: BlockRoots): void {
  requireMerkleRoot(roots?.txids ?? merkleRoot(transactions.map(txidOf)), header, isMixed);
}

function requireMerkleRoot({ root, mutated }: MerkleRoot, header: BlockHeader, isMixed: boolean): void {
  if (!isMixed && !equalBytes(root, header.merkleRoot)) {
    throw new BlockInvalid('bad-txnmrklroot', 'mutated', 'hashMerkleRoot mismatch');
  }
  if (mutated) throw new BlockInvalid('bad-txns-duplicate', 'mutated', 'duplicate transaction');
}

const txidOf = ({ txid }: Transaction): Hash256 => txid;
/** Leaf of the tree of witness ids; that of the coinbase, which contains the root, is null. */
const witnessLeafOf = ({ wtxid }: Transaction, index: number): Hash256 => (index === 0 ? NULL_HASH : wtxid);

function checkTransactionOf(tx: Transaction, metachain: boolean): void {
  try {
    checkTransaction(tx, { metachain });
  } catch (error) {
    if (!(error instanceof TxInvalid)) throw error;
    const debug = `Transaction check failed (tx hash ${Buffer.from(tx.txid).reverse().toString('hex')}) ${error.debug}`;
    throw new BlockInvalid(error.reason, 'consensus', debug);
  }
}

/** Signature operations in the scripts of transactions, without those of the outputs that they spend. */
function legacySigOps(transactions: readonly Transaction[]): number {
  let count = 0;
  for (const tx of transactions) {
    for (const input of tx.vin) count += countSigOps(input.scriptSig, false);
    for (const out of tx.vout) count += countSigOps(out.scriptPubKey, false);
  }
  return count;
}

/**
 * Checks a block in the context of its ancestors.
 * @param roots those of the block, if they are known
 * @throws {BlockInvalid} in the order of docs/protocol/chain.md 4.4
 */
export function checkBlockContext(block: CheckedBlock, parent: Ancestor, params: NetworkParams, roots?: BlockRoots): void {
  const height = parent.height + 1;
  const cutoff = height >= params.buried.csv ? parent.medianTimePast() : block.header.time;
  for (const tx of block.transactions) {
    if (!isFinal(tx, height, cutoff)) throw new BlockInvalid('bad-txns-nonfinal', 'consensus', 'non-final transaction');
  }
  if (height >= params.buried.bip34) checkCoinbaseHeight(block, height);
  checkWitness(block, height >= params.buried.segwit, roots);
  if (blockSizes(block).weight > MAX_BLOCK_WEIGHT) throw new BlockInvalid('bad-blk-weight', 'consensus', 'weight limit failed');
}

function checkCoinbaseHeight(block: Block, height: number): void {
  const prefix = scriptNumber(height);
  const scriptSig = block.transactions[0]?.vin[0]?.scriptSig ?? NULL_HASH;
  if (compareBytes(scriptSig.subarray(0, prefix.length), prefix) !== 0) {
    throw new BlockInvalid('bad-cb-height', 'consensus', 'block height mismatch in coinbase');
  }
}

const COMMITMENT_SIZE = 38;
const COMMITMENT_HEADER = Uint8Array.of(0x6a, 0x24, 0xaa, 0x21, 0xa9, 0xed);

/** Index of the coinbase output that commits to the witnesses: the last one of that form, or -1. */
export function witnessCommitmentIndex({ transactions }: Pick<Block, 'transactions'>): number {
  return commitmentIndexIn(transactions[0]?.vout ?? []);
}

function commitmentIndexIn(outputs: readonly TxOut[]): number {
  return outputs.findLastIndex(
    ({ scriptPubKey }) =>
      scriptPubKey.length >= COMMITMENT_SIZE && equalBytes(scriptPubKey.subarray(0, COMMITMENT_HEADER.length), COMMITMENT_HEADER),
  );
}

/** Witness of the coinbase of blocks that this node makes: the commitment covers 32 zero bytes. @see BIP141 */
export const WITNESS_NONCE = new Uint8Array(32);

/** Output script that commits to the witnesses of a block. @param nonce witness of the coinbase, 32 bytes @see BIP141 */
export function witnessCommitmentScript(transactions: readonly Transaction[], nonce: Uint8Array): Uint8Array {
  return concatBytes(COMMITMENT_HEADER, witnessCommitment(witnessRoot(transactions), nonce));
}

function witnessRoot(transactions: readonly Transaction[]): MerkleRoot {
  return merkleRoot(transactions.map(witnessLeafOf));
}

function witnessCommitment({ root }: MerkleRoot, nonce: Uint8Array): Uint8Array {
  return sha256d(concatBytes(root, nonce));
}

function checkWitness({ transactions }: Block, segwit: boolean, roots?: BlockRoots): void {
  requireCommitment(transactions[0] as Transaction, segwit, {
    hasWitness: () => transactions.some(hasWitness),
    root: () => roots?.wtxids ?? witnessRoot(transactions),
  });
}

/** Facts about the witnesses of a block, computed when they are needed. */
interface Witnesses {
  hasWitness(): boolean;
  root(): MerkleRoot;
}

function requireCommitment(coinbase: Transaction, segwit: boolean, witnesses: Witnesses): void {
  const index = segwit ? commitmentIndexIn(coinbase.vout) : -1;
  if (index === -1) {
    if (witnesses.hasWitness()) throw new BlockInvalid('unexpected-witness', 'mutated', 'unexpected witness data found');
    return;
  }
  const [nonce, ...more] = coinbase.vin[0]?.witness ?? [];
  if (nonce?.length !== 32 || more.length > 0)
    throw new BlockInvalid('bad-witness-nonce-size', 'mutated', 'invalid witness reserved value size');
  const script = coinbase.vout[index]?.scriptPubKey ?? NULL_HASH;
  const claimed = script.subarray(COMMITMENT_HEADER.length, COMMITMENT_SIZE);
  if (!equalBytes(claimed, witnessCommitment(witnesses.root(), nonce))) {
    throw new BlockInvalid('bad-witness-merkle-match', 'mutated', 'witness merkle commitment mismatch');
  }
}
