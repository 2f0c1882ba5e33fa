import type { BlockEvent, BlockEventContext } from '../context/block-event.js';
import { BalanceSum } from '../kernel/amounts.js';
import { ignoreRejection } from '../kernel/rejected.js';
import { tokenBySymbol } from '../tokens/columns.js';
import { loanAmounts } from './columns.js';
import { interestRate, totalInterest } from './interest.js';
import { economyTotal, replaceEconomy } from './totals.js';

/** Updates the informational total of negative interest of DUSD loans, used and accrued. @see docs/protocol/oracles-governance.md 4.9 */
export const negativeInterest: BlockEvent = {
  name: 'negative interest',
  isDue: ({ params }) => params.keepsNegativeInterest === true,
  run(context) {
    const { view } = context;
    const dollar = tokenBySymbol(view, 'DUSD');
    if (!dollar) return;
    const sum = new BalanceSum();
    for (const used of economyTotal(view, 'negativeInterest')) sum.add(used);
    for (const amount of creditsOf(context, dollar.id)) ignoreRejection(() => sum.add({ tokenId: dollar.id, amount }));
    replaceEconomy(view, 'currentNegativeInterest', sum.list());
  },
};

/** Amount in satoshis by which accrued negative interest would reduce each loan of a token. */
function* creditsOf(context: BlockEventContext, tokenId: number): Generator<bigint> {
  const { view } = context;
  for (const [vaultId, loans] of view.entries(loanAmounts)) {
    const loan = loans.find((own) => own.tokenId === tokenId);
    const rate = loan && interestRate(view, { vaultId, tokenId }, context);
    const interest = rate ? totalInterest(rate, context) : 0n;
    if (loan && interest < 0n) yield loan.amount > -interest ? -interest : loan.amount;
  }
}
