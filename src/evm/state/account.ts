/** Account as the state keeps it. @see docs/protocol/evm-engine.md 4.1 */
export interface Account {
  readonly nonce: bigint;
  /** Wei. */
  readonly balance: bigint;
  /** Root of the trie of its storage, 32 bytes. */
  readonly storageRoot: Uint8Array;
  /** BLAKE2b-256 of its code; 32 zero bytes if code was never set. */
  readonly codeHash: Uint8Array;
}

/** Code hash of an account whose code was never set. */
export const NO_CODE_HASH: Uint8Array = new Uint8Array(32);
