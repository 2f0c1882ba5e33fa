import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { Chain } from '../chain/chain.js';
import { BASE_KEY, HISTORY_BASE_KEY, type SnapshotBase, snapshotBases, undoLogs } from '../chain/records.js';
import { observeValidation } from '../metrics/snapshot.js';
import { validatingOf } from '../snapshot/install.js';
import { SnapshotValidation } from '../snapshot/validation.js';
import type { RawChange, Store } from '../storage/view.js';
import { errorText } from '../util/errors.js';
import type { Logger } from '../util/logger.js';
import { Slicer } from '../util/slicer.js';
import { openDatabase, refutation, type StartedChain } from './chain.js';
import type { StartedEvents } from './events.js';
import type { StartParts } from './parts.js';
import type { ValidatorStart } from './snapshot-validator.js';
import { ValidatorProcess } from './validator-process.js';

const COPY_BYTES = 2 ** 20;
/** Database cache for the copy of undo records, bytes. */
const COPY_CACHE_BYTES = 8 * 2 ** 20;

export interface ValidationHost {
  /** Stops the node because of an error. */
  readonly fail: (error: Error) => void;
}

/** Starts to validate the blocks below the snapshot that the database began with, if there was one and they are not validated yet. */
export function startValidation(
  parts: StartParts,
  { chain, store, validates, note }: Pick<StartedChain, 'chain' | 'store' | 'validates'> & Pick<StartedEvents, 'note'>,
  { fail }: ValidationHost,
): void {
  const { config, lifecycle, registry } = parts;
  const directory = validatingOf(config.paths);
  const remove = () =>
    rm(directory, { recursive: true, force: true }).catch((error: unknown) =>
      parts.log.warn('failed to remove the state of a validation', { error: errorText(error) }),
    );
  const base = store.get(snapshotBases, BASE_KEY);
  if (!base || !validates) {
    if (chain.history.isComplete) void remove();
    return;
  }
  const log = parts.log.child('snapshot');
  const stopping = new AbortController();
  const validation = new SnapshotValidation({
    chain,
    base,
    historyDigest: store.get(snapshotBases, HISTORY_BASE_KEY)?.digest,
    copyUndo: (signal) => copyUndo(directory, store, log, signal),
    signal: stopping.signal,
    log,
  });
  observeValidation(registry, chain.history, base.height);
  const run = async (): Promise<void> => {
    const result = await validation.run();
    if (!result.valid) {
      note({ kind: 'node', state: 'snapshot_refuted', text: result.problem });
      fail(refutation(base, result.problem));
      return;
    }
    await remove();
    log.info('the snapshot is valid, and all blocks are stored', { height: base.height });
    note({ kind: 'node', state: 'snapshot_validated' });
  };
  const running = run().catch((error: unknown) => {
    if (!stopping.signal.aborted)
      log.error('the validation of the snapshot ended; the next start continues it', { error: errorText(error) });
  });
  const process = new ValidatorProcess(validation, startOf(chain, base), log);
  process.start();
  lifecycle.onStop('validation of the snapshot', async () => {
    stopping.abort();
    await process.stop();
    await running;
  });
}

function startOf(chain: Pick<Chain, 'history'>, base: SnapshotBase): () => ValidatorStart {
  return () => ({ kind: 'start', base, genesis: chain.history.genesisPosition() });
}

/**
 * Copies the undo records of the validated blocks to the node's database, in slices. Pending changes of the chain do not concern these
 * rows. An interrupted copy begins again.
 */
async function copyUndo(directory: string, target: Store, log: Logger, signal: AbortSignal): Promise<void> {
  if (!existsSync(directory)) return;
  const source = await openDatabase(directory, COPY_CACHE_BYTES, log);
  try {
    const slicer = new Slicer(signal);
    let batch: RawChange[] = [];
    let bytes = 0;
    const write = () => {
      target.write(batch);
      batch = [];
      bytes = 0;
    };
    for (const [key, value] of source.rows(undoLogs)) {
      const pause = slicer.pause();
      if (pause) await pause;
      batch.push({ column: undoLogs.name, key: Buffer.from(key, 'latin1'), value });
      bytes += value.length;
      if (bytes >= COPY_BYTES) write();
    }
    write();
  } finally {
    await source.close();
  }
}
