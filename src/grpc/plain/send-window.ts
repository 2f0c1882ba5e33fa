import { INITIAL_WINDOW } from './frames.js';

/**
 * Window of a connection for data to the client. The library counts only its own data and receives its own share of the credit, so that
 * both together stay within the window.
 */
export class SendWindow {
  #free = INITIAL_WINDOW;
  /** Data of our answers that the client has not credited yet. */
  #owed = 0;

  /** @returns false if the window is too small; our data is sent whole or not at all */
  takeOwn(bytes: number): boolean {
    if (bytes > this.#free) return false;
    this.#free -= bytes;
    this.#owed += bytes;
    return true;
  }

  /** @returns false if data of the library has to wait */
  takeLibrary(bytes: number): boolean {
    if (bytes > this.#free) return false;
    this.#free -= bytes;
    return true;
  }

  /** The client extends the window. @returns the share of the library */
  credit(bytes: number): number {
    this.#free += bytes;
    const ours = Math.min(bytes, this.#owed);
    this.#owed -= ours;
    return bytes - ours;
  }
}
