/** Types of history entries that block events write. A custom transaction with such a type is valid and has no effect. */
export const EVENT_TYPES = {
  futureExecution: { type: 'q', name: 'FutureSwapExecution' },
  futureRefund: { type: 'w', name: 'FutureSwapRefund' },
  tokenSplit: { type: 'P', name: 'TokenSplit' },
  feeRedistribution: { type: 'Y', name: 'ProposalFeeRedistribution' },
  tokenLock: { type: '?', name: 'TokenLock' },
} as const;

/** Category of a type in the histories: the byte of its letter. */
export function categoryByte({ type }: { readonly type: string }): number {
  return type.charCodeAt(0);
}
