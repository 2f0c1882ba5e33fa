import { fork } from 'node:child_process';
import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';

const NS_PER_MS = 1e6;

/** Event-loop delay of an idle process: the machine's own share of every delay. */
export class IdleProcess {
  readonly #child = fork(fileURLToPath(import.meta.url), { execArgv: ['--import', 'tsx'], env: { ...process.env, IDLE_PROCESS: '1' } });

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async ready(): Promise<void> {
    await this.p99();
  }

  /** Milliseconds, since the previous call. */
  async p99(): Promise<number> {
    const answer = once(this.#child, 'message');
    this.#child.send('p99');
    return Math.round((await answer)[0] as number);
  }

  end(): void {
    this.#child.kill('SIGKILL');
  }
}

if (process.env.IDLE_PROCESS === '1') {
  const histogram = monitorEventLoopDelay({ resolution: 10 });
  histogram.enable();
  process.on('message', () => {
    process.send?.(histogram.percentile(99) / NS_PER_MS);
    histogram.reset();
  });
  process.on('disconnect', () => process.exit(0));
}
