import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { BlockFiles } from '../chain/block-files.js';
import { Chain } from '../chain/chain.js';
import { chainColumns } from '../chain/database.js';
import type { Config } from '../config/config.js';
import { VerifiedScripts } from '../consensus/script-cache.js';
import { SignatureCache } from '../consensus/signature-cache.js';
import { threadsOf, VerifyPool } from '../crypto/verify-pool.js';
import { dfiColumns } from '../dfi/execution/all-columns.js';
import { images } from '../images.js';
import { BlockFilterIndex } from '../indexes/block-filters.js';
import { indexColumns } from '../indexes/index.js';
import { TransactionIndex } from '../indexes/transactions.js';
import type { ScriptMemory } from '../mempool/script-check.js';
import { observeChain } from '../metrics/chain.js';
import { networkParams } from '../params/index.js';
import type { NetworkParams } from '../params/network.js';
import { parseHash256 } from '../primitives/hash.js';
import { StoreDamaged } from '../storage/errors.js';
import { RocksStore } from '../storage/rocks.js';
import type { Logger } from '../util/logger.js';
import { notifier, notifyBlocks } from './notify.js';
import type { StartParts } from './parts.js';

export interface StartedChain {
  readonly chain: Chain;
  /** Verdicts on signatures and scripts that chain and mempool share. */
  readonly memory: ScriptMemory;
  readonly txIndex: TransactionIndex | undefined;
  readonly filterIndex: BlockFilterIndex | undefined;
}

/** How the start is going, for those who ask before it is over. */
export interface StartProgress {
  setWarmup(status: string): void;
  /** The chain is open; it may still be catching up. */
  opened(chain: Chain): void;
  /** The chain wants the node to end. */
  requestStop(): void;
}

/** Time until the disk is looked at again after it was full. */
const RETRY_MS = 2_000;

/** Opens the store, takes in what a kill left behind, and brings the chain and its indexes up. */
export async function startChain(parts: StartParts, progress: StartProgress): Promise<StartedChain> {
  progress.setWarmup('Loading block index...');
  const store = await openStore(parts);
  const params = withTrust(networkParams(parts.config.network), parts.config.chain);
  const memory = scriptMemory(parts.config);
  const log = parts.log.child('chain');
  const blocks = openBlocks(parts, params);
  const pool = verifyingThreads(parts, log);
  const { pruneTargetBytes, stopAtHeight, notifyCommand, accountIndex, vaultIndex } = parts.config.chain;
  const prune = pruneTargetBytes === undefined ? undefined : { targetBytes: pruneTargetBytes };
  const chain = new Chain(
    { params, prune, stopAtHeight, accountHistory: accountIndex, vaultHistory: vaultIndex },
    { store, blocks, clock: parts.clock, log, scripts: { batch: pool.threads > 1 ? pool : undefined, cache: memory.scripts } },
  );
  parts.lifecycle.onStop('chain', () => chain.close());
  progress.opened(chain);
  watchTip(chain, stopAtHeight, progress);
  const notify = notifier(notifyCommand, log);
  if (notify) notifyBlocks(chain, notify);
  retryWhenFull(chain, store, parts);
  await catchUp(chain, pool, log, parts, progress);
  const metrics = observeChain(parts.registry, chain);
  chain.on('timed', ({ stage, seconds }) => metrics.connected(stage, seconds));
  return { chain, memory, ...startIndexes(store, chain, parts) };
}

async function openStore({ config: { paths, chain }, lifecycle }: StartParts): Promise<RocksStore> {
  const directory = join(paths.networkDir, 'chainstate');
  if (rebuilds(chain)) dropDirectory(directory);
  const store = await RocksStore.open(directory, [...chainColumns, ...dfiColumns, ...indexColumns], { cacheBytes: chain.cacheBytes });
  lifecycle.onStop('store', () => store.close());
  return store;
}

/** The database is made anew out of the stored blocks. */
function rebuilds({ reindex, reindexChainState }: Config['chain']): boolean {
  return reindex || reindexChainState;
}

/** Deletes a directory so that a kill leaves it whole or not at all. */
function dropDirectory(directory: string): void {
  const dropped = `${directory}.dropped`;
  rmSync(dropped, { recursive: true, force: true });
  if (existsSync(directory)) renameSync(directory, dropped);
  rmSync(dropped, { recursive: true, force: true });
}

function openBlocks({ config, lifecycle }: StartParts, params: NetworkParams): BlockFiles {
  const { pruneTargetBytes, reindexChainState } = config.chain;
  const prunes = pruneTargetBytes !== undefined;
  const blocks = new BlockFiles(config.paths.blocksDir, { magic: params.p2pMagic, pruned: true });
  lifecycle.onStop('blocks', () => blocks.close());
  if (prunes && reindexChainState) throw new Error('Prune mode is incompatible with -reindex-chainstate. Use full -reindex instead.');
  if (rebuilds(config.chain) && (prunes || blocks.files()[0]?.file !== 0)) blocks.removeBehindGap();
  return blocks;
}

/** The operator may trust another block than the network's parameters name, none at all, or ask for more work. */
function withTrust(params: NetworkParams, { assumeValid, minimumChainWork, checkpoints }: Config['chain']): NetworkParams {
  const trusted =
    assumeValid === undefined ? params.assumeValid : /^0*$/.test(assumeValid) ? undefined : parseHash256(assumeValid.padStart(64, '0'));
  const least = minimumChainWork === undefined ? params.minimumChainWork : BigInt(`0x${minimumChainWork}`);
  return { ...params, assumeValid: trusted, minimumChainWork: least, checkpoints: checkpoints ? params.checkpoints : [] };
}

/** Half for signatures, half for whole transactions. */
function scriptMemory({ mempool }: Config): ScriptMemory {
  const bytes = mempool.signatureCacheBytes / 2;
  return { signatures: new SignatureCache(bytes), scripts: new VerifiedScripts(bytes) };
}

function verifyingThreads({ config, lifecycle }: StartParts, log: Logger): VerifyPool {
  const pool = new VerifyPool(threadsOf(config.chain.scriptThreads), {
    program: images.verifyWorker,
    onError: (error) => log.warn('a verifying thread could not start', { error: error.message }),
  });
  lifecycle.onStop('verifying threads', () => pool.stop());
  return pool;
}

function watchTip(chain: Chain, stopAtHeight: number, progress: StartProgress): void {
  if (stopAtHeight <= 0) return;
  chain.on('tip', ({ height }) => {
    if (height >= stopAtHeight) progress.requestStop();
  });
}

/** A full disk stops the chain, not the node: it is looked at again until there is room. */
function retryWhenFull(chain: Chain, store: Pick<RocksStore, 'revive'>, { lifecycle, log }: StartParts): void {
  const later = () => setTimeout(() => void retry().catch(giveUp), RETRY_MS).unref();
  const retry = async (): Promise<void> => {
    if (lifecycle.isStopping || chain.retry()) return;
    if (chain.hasRoom) await store.revive();
    if (!chain.retry()) later();
  };
  const giveUp = (error: unknown) => log.error('the database could not be opened again', { error: String(error) });
  chain.on('fault', (fault) => {
    if (fault?.kind === 'disk-full') later();
  });
}

/** Takes in stored blocks that the index does not know, or else checks the last ones again. */
async function catchUp(
  chain: Chain,
  pool: VerifyPool,
  log: Logger,
  { config, lifecycle }: StartParts,
  progress: StartProgress,
): Promise<void> {
  const { interrupt } = lifecycle;
  const rebuilding = chain.isRebuilding;
  if (rebuilding) {
    pool.start();
    progress.setWarmup('Reindexing blocks...');
  }
  const recovered = await chain.recover(interrupt);
  interrupt.throwIfAborted();
  if (recovered > 0) log.info('took in stored blocks', { blocks: recovered, height: chain.tip.height });
  pool.start();
  if (rebuilding || chain.tip.height === 0) return;
  progress.setWarmup('Verifying blocks...');
  const { checkLevel, checkBlocks } = config.chain;
  if (!(await chain.verify(checkLevel, checkBlocks, interrupt))) throw new StoreDamaged('Corrupted block database detected');
}

function startIndexes(
  store: RocksStore,
  chain: Chain,
  { config, log, lifecycle }: StartParts,
): Pick<StartedChain, 'txIndex' | 'filterIndex'> {
  const deps = { store, chain, log: log.child('indexes') };
  const txIndex = config.chain.txIndex ? new TransactionIndex(deps) : undefined;
  const filterIndex = config.chain.blockFilterIndex ? new BlockFilterIndex(deps) : undefined;
  for (const [name, index] of Object.entries({ txIndex, filterIndex })) {
    index?.start();
    lifecycle.onStop(name, () => index?.stop());
  }
  return { txIndex, filterIndex };
}
