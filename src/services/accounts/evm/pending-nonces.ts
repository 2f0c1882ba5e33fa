import type { Chain } from '../../../chain/chain.js';
import { toHex } from '../../../util/bytes.js';

/** EVM nonces used by this node's unconfirmed transactions. Forgotten whenever the tip changes. */
export class PendingNonces {
  readonly #bySender = new Map<string, Set<bigint>>();
  #tip: unknown;

  constructor(private readonly chain: Pick<Chain, 'tip'>) {}

  /** First unused nonce from `next` on. @param next the sender's next nonce by the chain's state */
  firstFree(sender: Uint8Array, next: bigint): bigint {
    this.#forgetOld();
    const used = this.#bySender.get(toHex(sender));
    let nonce = next;
    while (used?.has(nonce)) nonce += 1n;
    return nonce;
  }

  /** Records a nonce as used until the tip changes. */
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
