import type { Interest } from '../../dfi/loans/columns.js';

const DECIMALS = 24;
const ONE = 10n ** BigInt(DECIMALS);

/** Number with 24 decimals, the precision in which interest is stored. */
export function formatInterest({ negative, amount }: Interest): string {
  return `${negative ? '-' : ''}${amount / ONE}.${(amount % ONE).toString().padStart(DECIMALS, '0')}`;
}
