import { clientGroup } from './client-address.js';

/** Limits open connections, in total and per client address. */
export class ConnectionSlots {
  readonly #ofAddress = new Map<string, number>();
  #open = 0;

  constructor(
    readonly total: number,
    readonly perAddress: number,
  ) {}

  get open(): number {
    return this.#open;
  }

  /**
   * Acquires a slot for a new connection.
   * @param address IP address of the client; undefined for a Unix socket, which counts towards the total only
   * @returns a function that frees the slot when the connection closes, to be called once; undefined if there is no free slot
   */
  take(address: string | undefined): (() => void) | undefined {
    if (this.#open >= this.total) return undefined;
    const group = address === undefined ? undefined : clientGroup(address);
    const ofGroup = group === undefined ? 0 : (this.#ofAddress.get(group) ?? 0);
    if (ofGroup >= this.perAddress) return undefined;
    this.#open += 1;
    if (group !== undefined) this.#ofAddress.set(group, ofGroup + 1);
    return () => this.#free(group);
  }

  #free(group: string | undefined): void {
    this.#open -= 1;
    if (group === undefined) return;
    const left = (this.#ofAddress.get(group) ?? 0) - 1;
    if (left > 0) this.#ofAddress.set(group, left);
    else this.#ofAddress.delete(group);
  }
}
