import type { Chain } from '../../chain/chain.js';
import { toHex } from '../../util/bytes.js';

/** Numbers in the EVM that this node has used for transactions which no block holds yet. Each block makes them forgotten. */
export class PendingNonces {
  readonly #bySender = new Map<string, Set<bigint>>();
  #tip: unknown;

  constructor(private readonly chain: Pick<Chain, 'tip'>) {}

  /** First number from `next` on that was not used. @param next number of the sender's next transaction as the chain has it */
  firstFree(sender: Uint8Array, next: bigint): bigint {
    this.#forgetOld();
    const used = this.#bySender.get(toHex(sender));
    let nonce = next;
    while (used?.has(nonce)) nonce += 1n;
    return nonce;
  }

  note(sender: Uint8Array, nonce: bigint): void {
    this.#forgetOld();
    const id = toHex(sender);
    this.#bySender.set(id, (this.#bySender.get(id) ?? new Set()).add(nonce));
  }

  #forgetOld(): void {
    if (this.#tip === this.chain.tip) return;
    this.#tip = this.chain.tip;
    this.#bySender.clear();
  }
}
