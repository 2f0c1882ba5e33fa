/** Runs pieces of asynchronous work one at a time, in the order in which they were requested. */
export class Exclusive {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => T | Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => {});
    return result;
  }
}
