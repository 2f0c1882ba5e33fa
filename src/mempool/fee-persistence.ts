import { DecodeError } from '../primitives/codec.js';
import { errorText } from '../util/errors.js';
import type { Logger } from '../util/logger.js';
import type { ReplacedFile } from './dump-file.js';
import type { FeeEstimator } from './fee-estimator.js';
import { decodeFees, encodeFees } from './fee-file.js';

export interface FeePersistenceDeps {
  readonly estimator: FeeEstimator;
  readonly file: ReplacedFile;
  readonly log: Logger;
}

const HOUR_MS = 3_600_000;

/** Keeps fee estimates across restarts: saved every hour and at the stop. Without the file, or with a damaged one, there are none at first. */
export class FeePersistence {
  #timer: NodeJS.Timeout | undefined;
  #saving: Promise<void> = Promise.resolve();

  constructor(
    private readonly deps: FeePersistenceDeps,
    private readonly intervalMs = HOUR_MS,
  ) {}

  /** Loads the estimates; call it before the estimator follows the chain. Never rejects. */
  async start(): Promise<void> {
    await this.#load();
    this.#timer = setInterval(() => void this.#save(), this.intervalMs).unref();
  }

  /** Saves the estimates. Pooled transactions count as unconfirmed, as `defid` counts them: they are not tracked after a restart. */
  stop(): Promise<void> {
    clearInterval(this.#timer);
    this.deps.estimator.untrackAll();
    return this.#save();
  }

  async #load(): Promise<void> {
    const { file, estimator, log } = this.deps;
    try {
      const bytes = await file.read();
      if (bytes) estimator.restore(decodeFees(bytes));
    } catch (error) {
      const text = error instanceof DecodeError ? `fee_estimates.dat cannot be used: ${error.message}` : errorText(error);
      log.warn('failed to load the fee estimates', { error: text });
    }
  }

  /** Writes what the estimator has now, after writes that are under way. */
  #save(): Promise<void> {
    const bytes = encodeFees(this.deps.estimator.record());
    this.#saving = this.#saving.then(() => this.#write(bytes));
    return this.#saving;
  }

  async #write(bytes: Uint8Array): Promise<void> {
    try {
      await this.deps.file.replace([bytes]);
    } catch (error) {
      this.deps.log.warn('failed to save the fee estimates', { error: errorText(error) });
    }
  }
}
