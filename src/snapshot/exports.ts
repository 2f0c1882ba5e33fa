import type { AnyColumn, Snapshot } from '../storage/view.js';
import { errorText } from '../util/errors.js';
import type { Logger } from '../util/logger.js';
import { SnapshotError } from './errors.js';
import { type Exported, exportSnapshot, type SnapshotProgress } from './export.js';

/** An export that was requested, until its result was returned. */
interface Export {
  readonly path: string;
  readonly height: number | undefined;
  progress: SnapshotProgress;
  result?: Exported;
  error?: unknown;
}

/** Progress of an export, and its result once it is complete. */
export type ExportStatus = { readonly progress: SnapshotProgress; readonly result?: Exported | undefined };

/** Parts of the node that {@link SnapshotExports} uses. */
export interface SnapshotExportsParts {
  /** View of the state at the tip, to be closed. */
  readonly snapshot: () => Snapshot;
  readonly columns: readonly AnyColumn[];
  readonly options: readonly string[];
  readonly log: Pick<Logger, 'info' | 'warn'>;
  /** Aborted when the node stops. The next export to the same file continues. */
  readonly signal: AbortSignal;
}

/** Time between two log lines about an export. */
const LOG_MS = 30_000;

/** Writes snapshots of a running node, one at a time. */
export class SnapshotExports {
  readonly #parts: SnapshotExportsParts;
  #current: Export | undefined;

  constructor(parts: SnapshotExportsParts) {
    this.#parts = parts;
  }

  /**
   * Starts an export, or returns the progress of the one that is running. A result or an error is returned once.
   * @throws {SnapshotError} if the export failed, or another one is running
   */
  request(path: string, height: number | undefined): ExportStatus {
    const running = this.#current;
    if (running && (running.path !== path || running.height !== height)) {
      if (!running.result && running.error === undefined) throw new SnapshotError(`the node is writing the snapshot ${running.path}`);
      this.#current = undefined;
    }
    const current = this.#current ?? this.#start(path, height);
    if (current.result || current.error !== undefined) this.#current = undefined;
    if (current.error !== undefined) throw current.error;
    return { progress: current.progress, result: current.result };
  }

  #start(path: string, height: number | undefined): Export {
    const started: Export = { path, height, progress: { column: '', bytes: 0, rows: 0 } };
    this.#current = started;
    void this.#run(started);
    return started;
  }

  async #run(current: Export): Promise<void> {
    const { columns, options, signal, log } = this.#parts;
    let nextLog = performance.now() + LOG_MS;
    const onProgress = (progress: SnapshotProgress) => {
      current.progress = progress;
      if (performance.now() < nextLog) return;
      nextLog = performance.now() + LOG_MS;
      log.info('writing a snapshot', { ...progress });
    };
    const { path, height } = current;
    let view: Snapshot | undefined;
    try {
      // Writes pending changes, which may fail.
      view = this.#parts.snapshot();
      const result = await exportSnapshot(path, view, columns, { height, options, signal, onProgress });
      log.info('wrote a snapshot', { path, height: result.header.height, digest: result.digest.state });
      current.result = result;
    } catch (error) {
      log.warn('the export of a snapshot ended', { path, error: errorText(error) });
      current.error = error;
    } finally {
      view?.close();
    }
  }
}
