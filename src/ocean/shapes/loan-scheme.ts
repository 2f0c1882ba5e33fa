import { Reader } from '../api/json.js';
import type { OceanModules } from '../modules.js';
import { plain } from './numbers.js';

/** Loan scheme as answers show it. */
export type LoanScheme = ReturnType<typeof loanScheme>;

/** Loan schemes at the tip, sorted by id. */
export function loanSchemes({ operations, perTip }: Pick<OceanModules, 'operations' | 'perTip'>): Promise<readonly LoanScheme[]> {
  return perTip.get('loan schemes', async () => {
    const schemes = new Reader(await operations.call('listloanschemes')).list().map(loanScheme);
    return schemes.sort((a, b) => (a.id < b.id ? -1 : 1));
  });
}

function loanScheme(scheme: Reader) {
  return {
    id: scheme.get('id').text(),
    minColRatio: plain(scheme.get('mincolratio').digits()),
    interestRate: plain(scheme.get('interestrate').digits()),
  };
}
