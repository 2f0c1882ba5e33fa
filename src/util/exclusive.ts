/** Mutual exclusion of asynchronous work: one piece runs at a time, in order of request. */
export class Exclusive {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => T | Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => {});
    return result;
  }
}
