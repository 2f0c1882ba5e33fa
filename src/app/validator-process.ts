import { type ChildProcess, fork } from 'node:child_process';
import { setPriority } from 'node:os';
import type { SnapshotValidation, Validator } from '../snapshot/validation.js';
import type { ValidatorReport, ValidatorRequest } from '../snapshot/validator.js';
import { errorText } from '../util/errors.js';
import type { Logger } from '../util/logger.js';
import type { ValidatorStart } from './snapshot-validator.js';

/** Time after which a process that ended by itself is started again. */
const RESTART_MS = 10_000;
/** Time in which it writes its changes when the node stops. */
const STOP_MS = 20_000;
const HEAP_MIB = 512;
const LOW_PRIORITY = 10;

/** The process that validates. It is started again if it ends by itself. */
export class ValidatorProcess implements Validator {
  #child: ChildProcess | undefined;
  /** Resolves when the child has ended. */
  #end: Promise<void> | undefined;
  #restart: NodeJS.Timeout | undefined;
  #isStopping = false;

  constructor(
    private readonly validation: Pick<SnapshotValidation, 'attach' | 'detach' | 'reported'>,
    private readonly startMessage: () => ValidatorStart,
    private readonly log: Pick<Logger, 'info' | 'warn'>,
  ) {}

  start(): void {
    const { argv, execArgv } = process;
    const child = fork(argv[1] as string, ['snapshot', 'validate', ...argv.slice(2)], {
      execArgv: [...execArgv, `--max-old-space-size=${HEAP_MIB}`],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#child = child;
    let problem = '';
    child.stderr?.on('data', (text) => {
      problem = String(text).trim();
    });
    child.on('message', (report) => this.validation.reported(report as ValidatorReport));
    this.#end = new Promise<unknown>((resolve) => {
      child.on('error', (error) => {
        problem = error.message;
        // A process that could not be started does not exit.
        if (child.pid === undefined) resolve(undefined);
      });
      child.once('exit', (code, signal) => resolve(code ?? signal));
    }).then((code) => this.#ended({ code, problem }));
    this.validation.attach(this);
    if (child.pid === undefined) return;
    this.#lowerPriority(child.pid);
    child.send(this.startMessage());
  }

  send(request: ValidatorRequest): void {
    if (this.#child?.connected) this.#child.send(request);
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#restart);
    const child = this.#child;
    // A signal to a process that could not be started would reach this one.
    if (child?.pid === undefined) return this.#end;
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    await this.#end;
    clearTimeout(timer);
  }

  #ended(facts: Readonly<Record<string, unknown>>): void {
    this.#child = undefined;
    this.validation.detach();
    if (this.#isStopping) return;
    this.log.warn('the process that validates the snapshot ended, will restart it', facts);
    this.#restart = setTimeout(() => this.start(), RESTART_MS);
    this.#restart.unref();
  }

  /** The node itself has priority. */
  #lowerPriority(pid: number): void {
    try {
      setPriority(pid, LOW_PRIORITY);
    } catch (error) {
      this.log.info('cannot lower the priority of the process that validates the snapshot', { error: errorText(error) });
    }
  }
}
