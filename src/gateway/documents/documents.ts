import type { Catalogue } from '../../rpc/catalogue.js';
import { openRpc } from './openrpc.js';

/** API documents as JSON text, built at first use. */
export class Documents {
  #openRpc: string | undefined;

  constructor(
    readonly catalogue: Catalogue,
    readonly version: string,
  ) {}

  get openRpc(): string {
    this.#openRpc ??= JSON.stringify(openRpc(this.catalogue, this.version));
    return this.#openRpc;
  }
}
