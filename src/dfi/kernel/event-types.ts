/** Types of history entries that block events write. A custom transaction with such a type is valid and has no effect. */
export const EVENT_TYPES = {
  futureExecution: { type: 'q', name: 'FutureSwapExecution', since: 'genesis' },
  futureRefund: { type: 'w', name: 'FutureSwapRefund', since: 'genesis' },
  tokenSplit: { type: 'P', name: 'TokenSplit', since: 'genesis' },
  feeRedistribution: { type: 'Y', name: 'ProposalFeeRedistribution', since: 'genesis' },
  tokenLock: { type: '?', name: 'TokenLock', since: 'metachain' },
} as const;

/** Category of a type in the histories: the byte of its letter. */
export function categoryByte({ type }: { readonly type: string }): number {
  return type.charCodeAt(0);
}
