import { randomInt } from 'node:crypto';
import { accessSync, constants, existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { BlockFiles } from '../chain/block-files.js';
import { Chain } from '../chain/chain.js';
import { coins } from '../chain/coins.js';
import { chainColumns } from '../chain/database.js';
import { ExternalBlocks } from '../chain/external-blocks.js';
import { indexActiveChain } from '../chain/index-upgrade.js';
import type { InterruptionPoint } from '../chain/interruption.js';
import type { PruneOptions } from '../chain/pruning.js';
import { BASE_KEY, marks, type SnapshotBase, snapshotBases } from '../chain/records.js';
import { StoredRules } from '../chain/stored-rules.js';
import type { Config } from '../config/config.js';
import { ConfigError } from '../config/errors.js';
import { TIMESTAMP_WINDOW_SEC } from '../consensus/limits.js';
import { VerifiedScripts } from '../consensus/script-cache.js';
import { ScriptPool, threadsOf } from '../consensus/script-pool.js';
import { SignatureCache } from '../consensus/signature-cache.js';
import { dropCounterRoot, dropRedundantRows, refuseLedger } from '../dfi/evm/format-upgrade.js';
import { dfiColumns } from '../dfi/execution/all-columns.js';
import { eventColumns, logStates } from '../events/columns.js';
import { EventJournal } from '../events/journal.js';
import { images } from '../images.js';
import { BlockFilterIndex } from '../indexes/block-filters.js';
import type { Follower } from '../indexes/follower.js';
import { indexColumns } from '../indexes/index.js';
import { allowSpans, TransactionIndex, transactionPositions } from '../indexes/transactions.js';
import type { ScriptMemory } from '../mempool/script-check.js';
import { observeChain } from '../metrics/chain.js';
import { observeHotStore } from '../metrics/hot-store.js';
import { observeIndexes } from '../metrics/indexes.js';
import { observeStore } from '../metrics/store.js';
import { OceanIndex, oceanColumns } from '../ocean/index/ocean-index.js';
import { networkParams } from '../params/index.js';
import type { NetworkParams } from '../params/network.js';
import { formatHash, parseHash256 } from '../primitives/hash.js';
import { COMPANIONS, OBSERVED_COLUMNS } from '../services/events/sources.js';
import { completeImport, databaseOf } from '../snapshot/install.js';
import { StoreDamaged } from '../storage/errors.js';
import { HotStore } from '../storage/hot-store.js';
import { RocksStore } from '../storage/rocks.js';
import type { Store } from '../storage/view.js';
import type { Logger } from '../util/logger.js';
import { blockMagics } from './block-magics.js';
import { consolidateRewards } from './consolidation.js';
import { retryWhenFull } from './disk-retry.js';
import { loadStartState } from './evm-start-state.js';
import { noteHistoryGaps } from './history-gaps.js';
import { notifier, notifyBlocks } from './notify.js';
import type { StartParts } from './parts.js';
import { forgetMarks, keptMarks, prepareRebuild, rebuilds } from './rebuild.js';
import { requireSwapTotals } from './swap-totals-check.js';
import { progressTerminal } from './terminal.js';

/** Chain and indexes of a running node. */
export interface StartedChain {
  readonly chain: Chain;
  readonly store: Store;
  /** Caches of verified signatures and scripts, shared by chain and mempool. */
  readonly memory: ScriptMemory;
  readonly txIndex: TransactionIndex | undefined;
  readonly filterIndex: BlockFilterIndex | undefined;
  readonly oceanIndex: OceanIndex | undefined;
  readonly rules: StoredRules;
  /** False without -acindex, and if the database began with a snapshot that had no history of accounts. */
  readonly keepsHistory: boolean;
  /** False without -vaultindex, and if the database began with a snapshot that had no history of vaults. */
  readonly keepsVaultHistory: boolean;
  /** True if the blocks below the snapshot that the database began with are missing and to be validated. */
  readonly validates: boolean;
}

/** Receiver of the progress of the start-up. */
export interface StartProgress {
  setWarmup(status: string): void;
  /** The chain is open; stored blocks may still be imported. */
  opened(chain: Chain): void;
  /** The node must stop because of -stopatheight. */
  requestStop(): void;
}

/** Share of -dbcache for DeFi state that is kept decoded. */
const HOT_SHARE = 1 / 8;

/** Opens the database, imports blocks stored before an unclean shutdown, and starts the chain and its indexes. */
export async function startChain(parts: StartParts, progress: StartProgress): Promise<StartedChain> {
  progress.setWarmup('Loading block index...');
  const store = await openStore(parts);
  if (parts.config.chain.evmStartState !== undefined) loadStartState(store, parts.config.chain.evmStartState);
  const params = withTrust(networkParams(parts.config.network), parts.config.chain);
  if (params.keepsSwapTotals) requireSwapTotals(store);
  const memory = scriptMemory(parts.config);
  const log = parts.log.child('chain');
  const blocks = openBlocks(parts, params);
  const pool = verifyingThreads(parts, log);
  const { stopAtHeight, notifyCommand, eventRetention } = parts.config.chain;
  const base = store.get(snapshotBases, BASE_KEY);
  refuseRefuted(store, base);
  const { prune, ...stored } = storedData(parts.config.chain, base, store.get(marks, 'pruned'));
  noteHistoryGaps(store, { acindex: stored.keepsHistory, vaultindex: stored.keepsVaultHistory }, log);
  const journal = eventRetention > 0 ? new EventJournal(eventRetention, OBSERVED_COLUMNS, COMPANIONS) : undefined;
  const chain = new Chain(
    {
      params,
      prune,
      stopAtHeight,
      interruptAt: interruptionOf(parts.config.chain.interruptAt),
      mayLackHistory: stored.validates,
      accountHistory: stored.keepsHistory,
      vaultHistory: stored.keepsVaultHistory,
    },
    {
      store,
      blocks,
      clock: parts.clock,
      log,
      journal,
      terminal: progressTerminal(parts.config),
      report: parts.report,
      scripts: { threads: pool.threads > 1 ? pool : undefined, cache: memory.scripts },
    },
  );
  parts.lifecycle.onStop('chain', () => chain.close());
  // The blocks up to the base cannot be disconnected, because they are not stored.
  if (base) chain.addCheckpoint(base);
  progress.opened(chain);
  stopAtLimit(chain, progress);
  const notify = notifier(notifyCommand, log);
  if (notify) notifyBlocks(chain, ({ hash }) => notify(hash));
  retryWhenFull({ chain, store, lifecycle: parts.lifecycle, log: parts.log });
  await catchUp(chain, log, parts, progress);
  await importFiles(chain, log, parts, progress);
  await consolidateRewards(chain, parts, progress);
  crashSometimes(chain, parts);
  const metrics = observeChain(parts.registry, chain);
  chain.on('timed', ({ stage, seconds }) => metrics.connected(stage, seconds));
  return { chain, store, memory, rules: new StoredRules(store, chain), ...stored, ...startIndexes(store, chain, parts) };
}

async function openStore({ config: { paths, chain }, lifecycle, registry, log }: StartParts): Promise<HotStore> {
  if (completeImport(paths)) log.info('completed the import of a snapshot');
  const maxBytes = chain.cacheBytes * HOT_SHARE;
  await prepareRebuild({ paths, chain }, log.child('chain'));
  const rocks = await openDatabase(databaseOf(paths), chain.cacheBytes - maxBytes, log.child('chain'));
  // Each block reads and writes the state of the event log.
  const store = new HotStore(rocks, { columns: [...dfiColumns, logStates], largeColumns: [coins, transactionPositions], maxBytes });
  observeHotStore(registry, store);
  observeStore(registry, rocks);
  lifecycle.onStop('store', () => store.close());
  return store;
}

/** Opens a database with all columns, and migrates it. */
export function openDatabase(directory: string, cacheBytes: number, log: Logger): Promise<RocksStore> {
  return RocksStore.open(directory, [...chainColumns, ...dfiColumns, ...indexColumns, ...oceanColumns, ...eventColumns], {
    cacheBytes,
    migrations: [indexActiveChain(log), refuseLedger, dropRedundantRows(log), dropCounterRoot, allowSpans],
  });
}

/**
 * Blocks and histories that the database has. One that began with a snapshot lacks the blocks up to its base until they are validated, and
 * has only the histories that the snapshot had.
 * @param lowest height from which all blocks are stored; undefined if all are
 * @throws {ConfigError} for indexes that need all blocks
 */
function storedData(
  { pruneTargetBytes, validatesSnapshot, accountIndex, vaultIndex, txIndex, blockFilterIndex }: Config['chain'],
  base: SnapshotBase | undefined,
  lowest: number | undefined,
): { readonly prune: PruneOptions | undefined } & Pick<StartedChain, 'validates' | 'keepsHistory' | 'keepsVaultHistory'> {
  const lacksBlocks = base !== undefined && lowest !== undefined;
  // Blocks above the base that were pruned are not downloaded again.
  const validates = lacksBlocks && validatesSnapshot && pruneTargetBytes === undefined && lowest === base.height + 1;
  if (lacksBlocks && (txIndex || blockFilterIndex)) {
    throw new ConfigError(
      `The chain began with a snapshot of height ${base.height}, which is incompatible with -txindex and -blockfilterindex until all blocks are validated.`,
    );
  }
  const has = (option: string) => !base || base.options.includes(option);
  return {
    prune: pruneTargetBytes === undefined && (validates || !lacksBlocks) ? undefined : { targetBytes: pruneTargetBytes ?? 0 },
    validates,
    keepsHistory: accountIndex && has('acindex'),
    keepsVaultHistory: vaultIndex && has('vaultindex'),
  };
}

/** @throws {StoreDamaged} if the snapshot that the database began with was found to be wrong */
function refuseRefuted(store: Store, base: SnapshotBase | undefined): void {
  const height = store.get(marks, 'refuted');
  if (base && height !== undefined) throw refutation(base, `the blocks up to height ${height} do not lead to its state`);
}

/** Error for a snapshot whose state is not that of the blocks. Those up to it were not stored, so -reindex-chainstate is refused. */
export function refutation({ height, hash }: Pick<SnapshotBase, 'height' | 'hash'>, problem: string): StoreDamaged {
  const snapshot = `a wrong snapshot, of height ${height} and block ${formatHash(hash)}`;
  return new StoreDamaged(`the database began with ${snapshot}: ${problem}; start with -reindex to build the database again`);
}

function openBlocks({ config, lifecycle }: StartParts, params: NetworkParams): BlockFiles {
  const prunes = config.chain.pruneTargetBytes !== undefined;
  const blocks = new BlockFiles(config.paths.blocksDir, { ...blockMagics(params), pruned: true });
  lifecycle.onStop('blocks', () => blocks.close());
  if (rebuilds(config.chain) && (prunes || blocks.files()[0]?.file !== 0)) blocks.removeBehindGap();
  return blocks;
}

/** Parameters with -assumevalid, -minimumchainwork and -checkpoints of the operator. */
function withTrust(params: NetworkParams, { assumeValid, minimumChainWork, checkpoints }: Config['chain']): NetworkParams {
  const trusted =
    assumeValid === undefined ? params.assumeValid : /^0*$/.test(assumeValid) ? undefined : parseHash256(assumeValid.padStart(64, '0'));
  const least = minimumChainWork === undefined ? params.minimumChainWork : BigInt(`0x${minimumChainWork}`);
  return { ...params, assumeValid: trusted, minimumChainWork: least, checkpoints: checkpoints ? params.checkpoints : [] };
}

/** Caches of -maxsigcachesize: half for signatures, half for the scripts of whole transactions. */
function scriptMemory({ mempool }: Config): ScriptMemory {
  const bytes = mempool.signatureCacheBytes / 2;
  return { signatures: new SignatureCache(bytes), scripts: new VerifiedScripts(bytes) };
}

function verifyingThreads({ config, lifecycle }: StartParts, log: Logger): ScriptPool {
  const pool = new ScriptPool(threadsOf(config.chain.scriptThreads), {
    program: images.scriptWorker,
    onError: (error) => log.warn('a verification thread failed', { error: error.message }),
  });
  lifecycle.onStop('verification threads', () => pool.stop());
  return pool;
}

/** A text that is no hash matches no block. `defid` accepts it too. */
function interruptionOf(given: Config['chain']['interruptAt']): InterruptionPoint | undefined {
  if (!given || 'height' in given) return given;
  return /^[0-9a-f]{64}$/.test(given.hash) ? { hash: parseHash256(given.hash) } : undefined;
}

/**
 * Kills the process at random after a write of connected blocks. An end during a write would have no other effect, because a batch is
 * written as a whole or not at all.
 */
function crashSometimes(chain: Chain, { config, lifecycle }: StartParts): void {
  const { crashRatio: ratio } = config.chain;
  if (ratio <= 0) return;
  let isPending = false;
  chain.on('connected', () => {
    isPending = true;
  });
  chain.on('timed', ({ stage }) => {
    if (stage !== 'write' || !isPending) return;
    isPending = false;
    if (!lifecycle.isStopping && randomInt(ratio) === 0) process.kill(process.pid, 'SIGKILL');
  });
}

/** Stops the node once the height of `-stopatheight` is reached, which may be by a stored block that the start has connected. */
function stopAtLimit(chain: Chain, progress: StartProgress): void {
  const stopIfDue = () => {
    if (chain.isStopped) progress.requestStop();
  };
  stopIfDue();
  chain.on('tip', stopIfDue);
}

/** Imports stored blocks that are not in the block index, and verifies the last blocks unless the database was rebuilt. */
async function catchUp(chain: Chain, log: Logger, { config, lifecycle, clock }: StartParts, progress: StartProgress): Promise<void> {
  const { interrupt } = lifecycle;
  const rebuilding = chain.isRebuilding;
  // The blocks of -dev may be ahead on purpose.
  if (!rebuilding && !config.dev) refuseFutureTip(chain, clock);
  if (rebuilding) progress.setWarmup('Reindexing blocks...');
  const recovered = await chain.recover(interrupt, keptMarks(config.paths));
  interrupt.throwIfAborted();
  if (!chain.isRebuilding) forgetMarks(config.paths);
  if (recovered > 0) log.info('imported blocks from disk', { blocks: recovered, height: chain.tip.height });
  if (rebuilding || chain.tip.height === 0) return;
  progress.setWarmup('Verifying blocks...');
  const { checkLevel, checkBlocks } = config.chain;
  if (!(await chain.verify(checkLevel, checkBlocks, interrupt))) throw new StoreDamaged('Corrupted block database detected');
}

/** @throws {ConfigError} if the clock is behind the tip by more than new blocks may be ahead of it: all of them would be refused */
function refuseFutureTip({ tip }: Chain, clock: StartParts['clock']): void {
  if (tip.time <= clock.seconds() + TIMESTAMP_WINDOW_SEC) return;
  throw new ConfigError(
    "The block database contains a block which appears to be from the future. This may be due to your computer's date and time being set " +
      "incorrectly. Only rebuild the block database if you are sure that your computer's date and time are correct. " +
      'Please restart with -reindex or -reindex-chainstate to recover.',
  );
}

/**
 * Imports `bootstrap.dat` of the network's folder, which is renamed afterwards, and the files of -loadblock. One that cannot be read is left
 * out, as in `defid`.
 */
async function importFiles(chain: Chain, log: Logger, { config, lifecycle }: StartParts, progress: StartProgress): Promise<void> {
  const { importedFiles, stopsAfterImport } = config.chain;
  const bootstrap = join(config.paths.networkDir, 'bootstrap.dat');
  const present = existsSync(bootstrap) ? [bootstrap] : [];
  const readable = [...present, ...importedFiles].filter((file) => isReadable(file, log));
  if (readable.length > 0) {
    progress.setWarmup('Importing blocks...');
    const external = new ExternalBlocks(readable, [chain.params.defidFileMagic, chain.params.p2pMagic]);
    try {
      const blocks = await chain.importBlocks(external, lifecycle.interrupt);
      log.info('imported blocks of files', { files: readable.length, blocks, height: chain.tip.height });
    } finally {
      external.close();
    }
    lifecycle.interrupt.throwIfAborted();
    if (readable.includes(bootstrap)) renameImported(bootstrap, log);
  }
  if (stopsAfterImport) progress.requestStop();
}

/** Renames an imported file, so that the next start does not read it again. If that fails, it does, as with `defid`. */
function renameImported(file: string, log: Logger): void {
  try {
    renameSync(file, `${file}.old`);
  } catch (error) {
    log.warn('the imported file cannot be renamed and will be read again', { file, error: (error as Error).message });
  }
}

function isReadable(file: string, log: Logger): boolean {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch (error) {
    log.warn('blocks file cannot be opened', { file, error: (error as Error).message });
    return false;
  }
}

function startIndexes(
  store: HotStore,
  chain: Chain,
  { config, log, lifecycle, registry, report }: StartParts,
): Pick<StartedChain, 'txIndex' | 'filterIndex' | 'oceanIndex'> {
  const deps = { store, chain, log: log.child('indexes'), terminal: progressTerminal(config), report };
  const txIndex = config.chain.txIndex ? new TransactionIndex(deps) : undefined;
  const filterIndex = config.chain.blockFilterIndex ? new BlockFilterIndex(deps) : undefined;
  const { params } = chain;
  const oceanIndex = config.ocean.index ? new OceanIndex({ ...deps, params, state: () => chain.state }) : undefined;
  const started = new Map<string, Follower>();
  for (const [option, index] of Object.entries({ txindex: txIndex, blockfilterindex: filterIndex, oceanarchive: oceanIndex })) {
    if (!index) continue;
    index.start();
    lifecycle.onStop(option, () => index.stop());
    started.set(option, index);
  }
  observeIndexes(registry, started);
  return { txIndex, filterIndex, oceanIndex };
}
