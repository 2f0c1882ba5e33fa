import type { Catalogue } from '../../rpc/catalogue.js';
import { openApi } from './openapi.js';
import { openRpc } from './openrpc.js';

/** API documents as JSON text, built at first use. */
export class Documents {
  #openApi: string | undefined;
  #openRpc: string | undefined;

  constructor(
    readonly catalogue: Catalogue,
    readonly version: string,
  ) {}

  get openApi(): string {
    this.#openApi ??= JSON.stringify(openApi(this.catalogue, this.version));
    return this.#openApi;
  }

  get openRpc(): string {
    this.#openRpc ??= JSON.stringify(openRpc(this.catalogue, this.version));
    return this.#openRpc;
  }
}
