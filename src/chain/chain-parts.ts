import type { Clock } from '../util/clock.js';
import type { Emitter } from '../util/events.js';
import type { Logger } from '../util/logger.js';
import { Activator } from './activation.js';
import { BlockAcceptance } from './block-acceptance.js';
import type { BlockTree } from './block-tree.js';
import { Candidates } from './candidates.js';
import type { ChainDatabase } from './database.js';
import type { ChainDeps, ChainEvents, ChainOptions } from './events.js';
import { FaultGuard } from './faults.js';
import { FlushPace } from './flush-pace.js';
import { Flusher } from './flusher.js';
import { HeaderWindow } from './header-window.js';
import { HeaderAcceptance } from './headers.js';
import { History } from './history.js';
import { Interruption } from './interruption.js';
import { ChainPruner, Pruner } from './pruning.js';
import type { ChainQueries } from './reader.js';
import { BlockRecovery } from './recovery.js';
import { type BlockReader, CheckedBlocks } from './stored-blocks.js';
import { BlockSubmission } from './submission.js';
import { TipConnector } from './tip-connector.js';
import { UnlinkedBlocks } from './unlinked-blocks.js';

/** Foundations that the parts of a chain share. */
interface ChainBase {
  readonly db: ChainDatabase;
  readonly tree: BlockTree;
  readonly blocks: BlockReader;
  readonly events: Emitter<ChainEvents>;
}

/** Parts of a chain, each with one duty. */
export interface ChainParts extends ChainBase {
  readonly headers: HeaderAcceptance;
  readonly headerWindow: HeaderWindow;
  readonly acceptance: BlockAcceptance;
  readonly unlinked: UnlinkedBlocks;
  readonly candidates: Candidates;
  readonly activator: Activator;
  readonly connector: TipConnector;
  readonly recovery: BlockRecovery;
  readonly submission: BlockSubmission;
  readonly flusher: Flusher;
  readonly pruner: ChainPruner | undefined;
  readonly guard: FaultGuard;
  readonly history: History;
  readonly interruption: Interruption;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Builds the parts of a chain and connects them with each other. */
export function composeChain(
  chain: ChainQueries,
  base: ChainBase,
  options: ChainOptions,
  { clock, log, terminal, report, scripts = {}, journal }: ChainDeps,
): ChainParts {
  const { db, tree, blocks, events } = base;
  const { params } = chain;
  const pruner = options.prune && new ChainPruner(new Pruner(tree, db), options.prune, chain, log);
  const guard = new FaultGuard(db, log, (fault) => events.emit('fault', fault));
  const pace = new FlushPace(clock, options.flushIntervalSec);
  const flusher = new Flusher({ chain, db, pace, guard, pruner, events });
  const checkedBlocks = new CheckedBlocks(params, blocks);
  const interruption = new Interruption(options.interruptAt);
  const headerWindow = new HeaderWindow(tree, options.headersAhead);
  const headers = new HeaderAcceptance(params, tree, db, clock, interruption, headerWindow.size);
  const candidates = new Candidates(tree);
  const unlinked = new UnlinkedBlocks();
  const { accountHistory: keepsHistory = true, vaultHistory: keepsVaultHistory = false } = options;
  const connector = new TipConnector({
    chain,
    tree,
    db,
    checkedBlocks,
    pace,
    events,
    log,
    scripts,
    journal,
    interruption,
    keepsHistory,
    keepsVaultHistory,
  });
  const stopAtHeight = options.stopAtHeight || Number.POSITIVE_INFINITY;
  const activator = new Activator({ tree, candidates, unlinked, connector, checkedBlocks, flusher, events, log, stopAtHeight });
  const acceptance = new BlockAcceptance({ chain, tree, db, headers, candidates, unlinked, checkedBlocks, events });
  const recovery = new BlockRecovery({ chain, tree, db, acceptance, activator, guard, flusher, log, terminal, report });
  const submission = new BlockSubmission({ chain, guard, acceptance, connector, activator, flusher });
  const history = new History({ params, tree, db, flusher });
  return {
    ...base,
    headers,
    headerWindow,
    acceptance,
    unlinked,
    candidates,
    activator,
    connector,
    recovery,
    submission,
    flusher,
    pruner,
    guard,
    history,
    interruption,
    clock,
    log,
  };
}
