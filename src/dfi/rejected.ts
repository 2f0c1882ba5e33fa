export interface RejectionKind {
  /** Fails its block at every height, not only from Dakota on. */
  readonly fatal?: boolean;
  /** An account has too little: creators of transactions are told to fill it. */
  readonly lacksBalance?: boolean;
}

/**
 * A rule of the DeFi state that is broken. The text is the reference's, without the type's name in front; clients match it. Whether
 * the block fails with it or only the transaction's effects are dropped is decided by `apply.ts`.
 */
export class TxRejected extends Error {
  override name = 'TxRejected';
  readonly fatal: boolean;
  readonly lacksBalance: boolean;

  constructor(message: string, { fatal = false, lacksBalance = false }: RejectionKind = {}) {
    super(message);
    this.fatal = fatal;
    this.lacksBalance = lacksBalance;
  }
}
