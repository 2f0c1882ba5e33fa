import type { Ancestor } from '../consensus/ancestry.js';
import type { CheckedBlock } from '../consensus/block.js';
import { checkCoinbase } from '../consensus/coinbase.js';
import { BlockInvalid, TxInvalid } from '../consensus/errors.js';
import { MAX_BLOCK_SIGOPS_COST } from '../consensus/limits.js';
import { findKernel } from '../consensus/pos/kernel.js';
import { nextStakeModifier, recoverMinter } from '../consensus/pos/signature.js';
import { blockScriptFlags } from '../consensus/script-flags.js';
import { BlockScripts, type ScriptHelpers } from '../consensus/scripts.js';
import { isBip68Active, nullInputLocksPass, sequenceLocksPass } from '../consensus/sequence-locks.js';
import { sigOpsCost } from '../consensus/sigops.js';
import { spendsOutputs } from '../consensus/transaction.js';
import { creditCommunity } from '../dfi/accounts/coinbase.js';
import { payAnchorReward } from '../dfi/anchors/reward.js';
import { updateTeams } from '../dfi/anchors/teams.js';
import { COLLATERAL_OUTPUT } from '../dfi/context/auth.js';
import { DefiExecution } from '../dfi/execution/block.js';
import { reasonOfFailure } from '../dfi/execution/input-trial.js';
import { hintReads } from '../dfi/execution/read-hints.js';
import type { BlockTimeAt, HeightContext } from '../dfi/kernel/block-context.js';
import { TxRejected } from '../dfi/kernel/rejected.js';
import {
  isActiveMasternode,
  type Masternode,
  masternodeByOperator,
  masternodes,
  newCollaterals,
  rewardScript,
} from '../dfi/masternodes/columns.js';
import { recordBlockTime, stakeOf } from '../dfi/masternodes/staking.js';
import { createGenesisMasternode } from '../dfi/masternodes/transactions.js';
import { movedCollaterals, tokenCreations } from '../dfi/tokens/columns.js';
import { createNativeToken } from '../dfi/tokens/genesis.js';
import { isActive, type NetworkParams } from '../params/network.js';
import { isMoneyRange } from '../primitives/amount.js';
import type { Block } from '../primitives/block.js';
import { ByteReader, encodeText } from '../primitives/codec.js';
import type { Hash160, Hash256 } from '../primitives/hash.js';
import type { OutPoint } from '../primitives/outpoint.js';
import { isCoinbase, type Transaction, type TxIn, type TxOut } from '../primitives/transaction.js';
import { isUnspendable } from '../script/script.js';
import type { Overlay } from '../storage/overlay.js';
import type { StateView, UndoLog, WritableView } from '../storage/view.js';
import { byteText, equalBytes } from '../util/bytes.js';
import { finish, type Steps } from '../util/slicer.js';
import { type Coin, coins } from './coins.js';
import { checkBlockInputs } from './input-checks.js';

/** Context in which a block is connected: all that a rule may know besides the block and the state. */
export interface ConnectContext extends HeightContext {
  readonly parent: Ancestor;
  readonly parentModifier: Hash256;
  /** Block times of the chain that the block extends, by height. */
  readonly blockTime: BlockTimeAt;
  /** Block hashes of the chain that the block extends, by height. */
  readonly blockHash: (height: number) => Hash256 | undefined;
  /** False for assumed-valid blocks. */
  readonly checkScripts: boolean;
  /** True to record the account history. */
  readonly keepsHistory: boolean;
  /** True to record the vault history. */
  readonly keepsVaultHistory?: boolean;
  readonly scripts?: ScriptHelpers;
}

export interface ConnectedBlock {
  /** Satoshis of DFI. */
  readonly fees: bigint;
  /** Coins that each transaction spent, in the order of its inputs; empty for coinbase-like ones. */
  readonly spent: readonly (readonly Coin[])[];
}

const NO_COINS: readonly Coin[] = [];
/** Coins that are read from the store in one step. */
const COINS_AT_ONCE = 256;

/**
 * Connects a block: changes `view`, an overlay of the state of its parent, to its own.
 * @throws {BlockInvalid} if the block breaks a rule; the caller must then drop `view`, which is partly written
 * @see docs/protocol/chain.md 4.5
 */
export function connectBlock(block: CheckedBlock, at: ConnectContext, view: Overlay): ConnectedBlock {
  return finish(connectSteps(block, at, view));
}

/**
 * {@link connectBlock} in steps: some reads of the store, a transaction, or the work at the end of the block. Until the last step `view` is
 * partly written, and the state below it must not change.
 * @param early scripts of the block, some of which are queued already
 */
export function* connectSteps(block: CheckedBlock, at: ConnectContext, view: Overlay, early?: BlockScripts): Steps<ConnectedBlock> {
  if (view.wantsHints) hintBlock(block, at, view);
  const minter = checkProofOfStake(block, at, view);
  if (minter) checkRewardAddress(block, at, minter);
  const scripts = early ?? new BlockScripts(blockScriptFlags(at.height, at.params), at.params.txFormat, at.scripts);
  const { height, params, blockTime } = at;
  const { time } = block.header;
  const coin = (point: OutPoint) => view.get(coins, point)?.out;
  const defi = new DefiExecution(block, { view, height, time, params, blockTime, coin }, at);
  const result = yield* connectVerified(block, at, view, scripts, defi);
  yield;
  defi.prepareSplits();
  defi.finish();
  if (minter) countMintedBlock(minter, block, at, view);
  const { header } = block;
  updateTeams(view, { height, stakeModifier: header.stakeModifier, minter: () => recoverMinter(header) }, params);
  return result;
}

/** Hints the coins that the block spends, and the rows that its messages name, so that they are read ahead. */
function hintBlock({ transactions }: Block, at: ConnectContext, view: Overlay): void {
  view.hintRows(
    coins,
    transactions.flatMap((tx) => (spendsOutputs(tx) ? tx.vin.map(({ prevout }) => prevout) : [])),
  );
  hintReads(transactions, view, at);
}

/** Creates the genesis state: coins of all outputs, and the first masternodes. Nothing is checked. @see docs/protocol/chain.md 1.8 */
export function connectGenesis(params: NetworkParams, view: WritableView): ConnectedBlock {
  const { transactions } = params.genesis;
  createNativeToken(view);
  for (const tx of transactions) {
    createGenesisMasternode(view, tx, params);
    addCoins(tx, 0, view);
  }
  return { fees: 0n, spent: transactions.map(() => NO_COINS) };
}

/** Masternode that minted a block. */
interface Minter {
  readonly node: Masternode;
  readonly masternodeId: Hash256;
  /** Key that signed the block. */
  readonly operatorKey: Hash160;
  readonly subNode: number;
}

/**
 * Checks that the minter is an active masternode whose kernel meets the target and whose count of minted blocks is right.
 * @returns undefined if proof of stake is not checked on this network (`-dummypos`)
 * @see docs/protocol/chain.md 3.4
 */
function checkProofOfStake({ header }: Block, at: ConnectContext, view: StateView): Minter | undefined {
  const { height, params } = at;
  if (params.pos.dummy) return undefined;
  const failed = new BlockInvalid('high-hash', 'consensus', 'proof of stake failed');
  const key = recoverMinter(header);
  const identified = key && masternodeByOperator(view, key);
  if (!key || !identified || !isActiveMasternode(view, identified.node, height, params)) throw failed;
  const stake = stakeOf(view, identified, height, at.blockTime, params);
  const kernel = { height, time: header.time, bits: header.bits, stakeModifier: header.stakeModifier };
  const subNode = stake && findKernel(kernel, stake, params);
  if (subNode === undefined) throw failed;
  const counts = header.mintedBlocks === BigInt(identified.node.mintedBlocks + 1);
  if (!counts || !equalBytes(nextStakeModifier(at.parentModifier, key), header.stakeModifier)) throw new BlockInvalid('bad-minted-blocks');
  return { node: identified.node, masternodeId: identified.id, operatorKey: key, subNode };
}

/** Checks that a masternode with a reward address is paid there. @see docs/protocol/chain.md 4.2 */
function checkRewardAddress({ transactions }: Block, { height, params }: ConnectContext, { node }: Minter): void {
  if (!isActive(params, 'fortCanning', height)) return;
  const paid = transactions[0]?.vout[0]?.scriptPubKey;
  if (node.rewardType === 0 || !paid) return;
  const allowed = rewardScript(node, isActive(params, 'metachain', height));
  if (!equalBytes(allowed, paid)) throw new BlockInvalid('bad-rewardaddress');
}

function countMintedBlock(
  { masternodeId, operatorKey, subNode }: Minter,
  { header }: Block,
  { height, params }: ConnectContext,
  view: WritableView,
): void {
  const node = view.get(masternodes, masternodeId);
  if (!node) return;
  view.put(masternodes, masternodeId, { ...node, mintedBlocks: node.mintedBlocks + 1 });
  // A transaction of the block may have given the operator key to another masternode.
  const operated = masternodeByOperator(view, operatorKey)?.id ?? masternodeId;
  recordBlockTime(view, { masternodeId: operated, subNode, height, time: header.time }, params);
}

/** Checks that no earlier transaction with the same id has unspent outputs. Outputs that cannot be spent have no coins. @see BIP30 */
function* checkNoOverwrite(block: Block, view: Overlay): Steps<void> {
  const created: OutPoint[] = [];
  for (const { txid, vout } of block.transactions) {
    for (let i = 0; i < vout.length; i++) if (!isUnspendable((vout[i] as TxOut).scriptPubKey)) created.push({ txid, vout: i });
  }
  const found = yield* readCoins(created, view);
  if (found) throw new BlockInvalid('bad-txns-BIP30', 'consensus', 'tried to overwrite transaction');
}

/** Caches coins in `view` in steps, with one batch read each. @returns true if there is one */
function* readCoins(points: readonly OutPoint[], view: Overlay): Steps<boolean> {
  let found = false;
  for (let from = 0; from < points.length; from += COINS_AT_ONCE) {
    if (from > 0) yield;
    const read = view.getMany(coins, points.slice(from, from + COINS_AT_ONCE));
    for (let i = 0; i < read.length; i++) if (read[i] !== undefined) found = true;
  }
  return found;
}

function creditCommunityShares(view: WritableView, { height, params }: ConnectContext): void {
  try {
    creditCommunity(view, height, params);
  } catch (error) {
    if (error instanceof TxRejected) throw new BlockInvalid('bad-cb-community-rewards', 'consensus', error.message);
    throw error;
  }
}

function* connectTransactions(
  block: Block,
  at: ConnectContext,
  view: Overlay,
  scripts: BlockScripts,
  defi: DefiExecution,
): Steps<ConnectedBlock> {
  const connection: Connection = { at, view, scripts, defi, segwit: at.height >= at.params.buried.segwit, fees: 0n, sigOps: 0 };
  const spent: (readonly Coin[])[] = [];
  const { transactions } = block;
  for (let txIndex = 0; txIndex < transactions.length; txIndex++) {
    spent.push(connectTransaction(transactions[txIndex] as Transaction, txIndex, connection));
    yield;
  }
  return { fees: connection.fees, spent };
}

/** A block whose transactions are being connected. */
interface Connection {
  readonly at: ConnectContext;
  readonly view: WritableView;
  readonly scripts: BlockScripts;
  readonly defi: DefiExecution;
  /** True if witnesses count as signature operations. */
  readonly segwit: boolean;
  /** Satoshis of DFI, of the transactions so far. */
  fees: bigint;
  /** Cost of signature operations so far. */
  sigOps: number;
}

/** @returns the coins that the transaction spent @throws {BlockInvalid} if it breaks a rule */
function connectTransaction(tx: Transaction, txIndex: number, connection: Connection): readonly Coin[] {
  try {
    return applyTransaction(tx, txIndex, connection);
  } catch (error) {
    if (error instanceof TxInvalid) throw new BlockInvalid(error.reason, 'consensus', error.debug);
    throw error;
  }
}

/** @throws {BlockInvalid} or {TxInvalid} */
function applyTransaction(tx: Transaction, txIndex: number, connection: Connection): readonly Coin[] {
  const { at, view, scripts, defi, segwit } = connection;
  const spends = spendsOutputs(tx);
  let spentHere = NO_COINS;
  if (spends) {
    const found = coinsOf(tx, view);
    const execute = (spent: readonly Coin[]) => defi.transaction({ tx, txIndex, spent });
    connection.fees += checkBlockInputs(tx, found, { height: at.height, params: at.params, view, execute });
    if (!isMoneyRange(connection.fees))
      throw new BlockInvalid('bad-txns-accumulated-fee-outofrange', 'consensus', 'accumulated fee in the block out of range');
    spentHere = found as readonly Coin[];
    if (!sequenceLocksPass(tx, spentHere, at.parent, isBip68Active(at.height, at.params))) throw nonFinal();
  } else if (!isCoinbase(tx) && !nullInputLocksPass(tx, at.parent, at.params)) throw nonFinal();
  connection.sigOps += sigOpsCost(tx, spentHere, segwit);
  if (connection.sigOps > MAX_BLOCK_SIGOPS_COST) throw new BlockInvalid('bad-blk-sigops', 'consensus', 'too many sigops');
  const { burn } = at.params.scripts;
  for (const coin of spentHere) if (equalBytes(coin.out.scriptPubKey, burn)) throw new BlockInvalid('burnt-output');
  if (at.checkScripts && spentHere.length > 0) scripts.check(tx, spentHere);
  const failure = defi.transaction({ tx, txIndex, spent: spentHere });
  if (failure !== undefined) throw new BlockInvalid(reasonOfFailure(tx, at.height, at.params), 'consensus', failure);
  if (isCoinbase(tx)) payAnchorReward(tx, view, at);
  if (spends) for (const { prevout } of tx.vin) view.delete(coins, prevout);
  addCoins(tx, at.height, view);
  return spentHere;
}

/** Coins that the inputs spend; undefined for one that is missing. */
function coinsOf({ vin }: Transaction, view: StateView): (Coin | undefined)[] {
  const found = new Array<Coin | undefined>(vin.length);
  for (let i = 0; i < vin.length; i++) found[i] = view.get(coins, (vin[i] as TxIn).prevout);
  return found;
}

function coinKey(point: OutPoint): string {
  return encodeText(coins.key, point);
}

/** Caches in `view` the state that checks of the block's inputs read, in batches. */
function* prefetchSpent(block: Block, view: Overlay): Steps<void> {
  const points: OutPoint[] = [];
  const collaterals: Hash256[] = [];
  for (const tx of block.transactions) {
    if (!spendsOutputs(tx)) continue;
    for (const { prevout } of tx.vin) {
      points.push(prevout);
      if (prevout.vout === COLLATERAL_OUTPUT) collaterals.push(prevout.txid);
    }
  }
  yield* readCoins(points, view);
  view.prefetch(masternodes, collaterals);
  view.prefetch(newCollaterals, collaterals);
  view.prefetch(movedCollaterals, collaterals);
  view.prefetch(tokenCreations, collaterals);
}

/** Queues the scripts that spend outputs of earlier blocks. Other threads verify them during the steps that follow. */
function* queueScripts({ transactions }: Block, view: StateView, scripts: BlockScripts): Steps<void> {
  for (const tx of transactions) {
    if (!spendsOutputs(tx) || scripts.isQueued(tx)) continue;
    scripts.queue(tx, coinsOf(tx, view));
    yield;
  }
}

/**
 * Connects the transactions and waits for the verdict on their scripts. If the work fails or is given up, queued scripts are abandoned.
 */
function* connectVerified(
  block: Block,
  at: ConnectContext,
  view: Overlay,
  scripts: BlockScripts,
  defi: DefiExecution,
): Steps<ConnectedBlock> {
  let isVerified = false;
  try {
    yield* prefetchSpent(block, view);
    if (at.checkScripts) yield* queueScripts(block, view, scripts);
    yield* checkNoOverwrite(block, view);
    defi.begin();
    const result = yield* connectTransactions(block, at, view, scripts, defi);
    creditCommunityShares(view, at);
    checkCoinbase(block.transactions[0] as Transaction, at.height, result.fees, at.params);
    yield* scripts.help();
    yield;
    awaitVerdict(scripts);
    isVerified = true;
    return result;
  } finally {
    if (!isVerified) scripts.abandon();
  }
}

/** Scripts are checked in parallel, so the error, like that of `defid`, does not say which transaction failed. */
function awaitVerdict(scripts: BlockScripts): void {
  try {
    scripts.verifyDeferred();
  } catch (error) {
    if (error instanceof TxInvalid) throw new BlockInvalid('block-validation-failed', 'consensus', error.debug);
    throw error;
  }
}

function nonFinal(): BlockInvalid {
  return new BlockInvalid('bad-txns-nonfinal', 'consensus', 'contains a non-BIP68-final transaction');
}

/** Adds the spendable outputs of a transaction as coins. */
function addCoins(tx: Transaction, height: number, view: WritableView): void {
  const coinbase = isCoinbase(tx);
  for (let vout = 0; vout < tx.vout.length; vout++) {
    const out = tx.vout[vout] as TxOut;
    if (!isUnspendable(out.scriptPubKey)) view.put(coins, { txid: tx.txid, vout }, { out, height, coinbase });
  }
}

/**
 * Coins that each transaction of a connected block spent, in the order of its inputs. Coins from earlier blocks are found in the undo
 * log, the others are outputs of the block itself.
 */
export function spentCoinsOf(block: Block, height: number, undo: UndoLog): readonly (readonly Coin[])[] {
  const known = new Map<string, Coin>();
  for (const { column, key, value } of undo) {
    if (column !== coins.name || !value) continue;
    known.set(byteText(key), coins.value.read(new ByteReader(value)));
  }
  return block.transactions.map((tx) => {
    const spent = spendsOutputs(tx) ? tx.vin.map(({ prevout }) => known.get(coinKey(prevout)) as Coin) : NO_COINS;
    const coinbase = isCoinbase(tx);
    tx.vout.forEach((out, vout) => {
      known.set(coinKey({ txid: tx.txid, vout }), { out, height, coinbase });
    });
    return spent;
  });
}
