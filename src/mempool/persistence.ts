import { DecodeError } from '../primitives/codec.js';
import type { TxFormat } from '../primitives/transaction.js';
import { isStorageFailure } from '../storage/errors.js';
import type { Clock } from '../util/clock.js';
import { errorText } from '../util/errors.js';
import type { Logger } from '../util/logger.js';
import { Slicer } from '../util/slicer.js';
import { dumpOf, encodeDump, readDump } from './dump.js';
import type { ReplacedFile } from './dump-file.js';
import type { Mempool } from './mempool.js';

export interface KeeperOptions {
  /** `-persistmempool`: load at start-up and save at shutdown. */
  readonly persist: boolean;
  readonly expirySec: number;
  readonly format: TxFormat;
}

export interface KeeperDeps {
  readonly mempool: Pick<Mempool, 'pool' | 'accept' | 'prioritise'>;
  readonly file: ReplacedFile;
  readonly clock: Pick<Clock, 'seconds'>;
  readonly log: Logger;
}

/** Persists the pool in mempool.dat across restarts. */
export class MempoolPersistence {
  #loaded = false;
  #saving: Promise<void> = Promise.resolve();
  #loading: Promise<void> = Promise.resolve();
  readonly #stopping = new AbortController();

  constructor(
    private readonly options: KeeperOptions,
    private readonly deps: KeeperDeps,
  ) {}

  /** True once the file is loaded, or there is nothing to load; false for good after a failure of the database. */
  get loaded(): boolean {
    return this.#loaded;
  }

  /** Starts loading; the promise resolves at the end and never rejects. */
  start(): Promise<void> {
    this.#loading = this.#load();
    return this.#loading;
  }

  /** Saves the pool, unless loading was aborted or the database failed: that would lose entries of the file. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loading;
    if (!this.#loaded || !this.options.persist) return;
    try {
      await this.save();
    } catch (error) {
      this.deps.log.warn('failed to save the mempool', { error: textOf(error) });
    }
  }

  /** Writes a snapshot of the pool. @throws {Error} from the file system */
  save(): Promise<void> {
    const dump = dumpOf(this.deps.mempool.pool);
    const saved = this.#saving.then(() => this.deps.file.replace(encodeDump(dump)));
    this.#saving = saved.catch(() => undefined);
    return saved;
  }

  async #load(): Promise<void> {
    try {
      if (this.options.persist) await this.#restore();
      this.#loaded = !this.#stopping.signal.aborted;
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      this.#warn(error);
      // A damaged mempool.dat does not prevent the start: the transactions in front of the damage enter the pool. If the database failed,
      // the remaining transactions are only in the file, so it must not be overwritten; `defid`, which shuts down then, keeps it too.
      this.#loaded = !isStorageFailure(error);
    }
  }

  /** Content of the file; undefined if there is none or it cannot be read. */
  async #read(): Promise<Uint8Array | undefined> {
    try {
      return await this.deps.file.read();
    } catch (error) {
      this.#warn(error);
      return undefined;
    }
  }

  #warn(error: unknown): void {
    this.deps.log.warn('failed to load the saved mempool', { error: textOf(error) });
  }

  async #restore(): Promise<void> {
    const { log } = this.deps;
    const bytes = await this.#read();
    if (!bytes) return;
    const counts = { accepted: 0, refused: 0, expired: 0 };
    try {
      await this.#acceptAll(readDump(bytes, this.options.format), counts);
    } finally {
      log.info('loaded the saved mempool', counts);
    }
  }

  /** Decodes and accepts the entries in slices, so that the node keeps answering. @throws {DecodeError} at damaged bytes */
  async #acceptAll(dump: ReturnType<typeof readDump>, counts: { accepted: number; refused: number; expired: number }): Promise<void> {
    const { mempool, clock } = this.deps;
    const slicer = new Slicer(this.#stopping.signal);
    for (;;) {
      await slicer.pause();
      const { done, value } = dump.next();
      if (done) {
        for (const [txid, delta] of value) mempool.prioritise(txid, delta);
        return;
      }
      const { tx, time, feeDelta } = value;
      if (feeDelta !== 0n) mempool.prioritise(tx.txid, feeDelta);
      if (time + this.options.expirySec <= clock.seconds()) counts.expired += 1;
      else if (mempool.accept(tx, { time }).status === 'accepted') counts.accepted += 1;
      else counts.refused += 1;
    }
  }
}

function textOf(error: unknown): string {
  if (error instanceof DecodeError) return `mempool.dat is malformed: ${error.message}`;
  return errorText(error);
}
