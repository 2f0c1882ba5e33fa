import type { EventsModules } from './modules.js';

/** Notes that events may have been added. */
export class News {
  #isNew = false;
  #wake: (() => void) | undefined;
  readonly #unsubscribe: readonly (() => void)[];

  constructor({ chain, passing }: Pick<EventsModules, 'chain' | 'passing'>) {
    const note = (): void => {
      this.#isNew = true;
      this.#wake?.();
    };
    this.#unsubscribe = [chain.on('tip', note), passing.onChanged(note)];
  }

  /** From now on only later events are news. */
  forget(): void {
    this.#isNew = false;
  }

  /** Waits for news. @returns false if the time is over first @throws the reason of the signal */
  async wait(ms: number, signal: AbortSignal): Promise<boolean> {
    signal.throwIfAborted();
    if (this.#isNew) return true;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      this.#wake = end;
      signal.addEventListener('abort', end);
    });
    this.#wake = undefined;
    signal.throwIfAborted();
    return this.#isNew;
  }

  close(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
  }
}
