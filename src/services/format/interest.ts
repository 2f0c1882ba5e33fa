import type { Interest } from '../../dfi/loans/columns.js';

const DECIMALS = 24;
const ONE = 10n ** BigInt(DECIMALS);

/** A number with 24 decimals, as precise as interest is kept. */
export function formatInterest({ negative, amount }: Interest): string {
  return `${negative ? '-' : ''}${amount / ONE}.${(amount % ONE).toString().padStart(DECIMALS, '0')}`;
}
