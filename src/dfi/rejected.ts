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

/** Whether the rules refuse something or an amount has no room: what the reference answers with a failed result, not with a fault. */
export function isRefusal(error: unknown): boolean {
  return error instanceof TxRejected || error instanceof RangeError;
}

/** Goes on where something is refused; what it did before that stays. */
export function ignoreRefusal(run: () => void): void {
  try {
    run();
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
}
