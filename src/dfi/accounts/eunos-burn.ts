import { NULL_HASH } from '../../primitives/hash.js';
import type { BlockEvent } from '../context/block-event.js';
import type { TokenAmount } from '../kernel/amounts.js';
import { categoryByte } from '../kernel/event-types.js';
import { ignoreRejection } from '../kernel/rejected.js';
import { Accounts, balancesOf } from './columns.js';
import { accountToAccount } from './transactions.js';

/**
 * At Eunos destroys the balances of two old accounts and moves those of the retired burn address to the present one. Only the burn
 * history includes it.
 * @see docs/protocol/accounts.md 8.5
 */
export const eunosBurn: BlockEvent = {
  name: 'Eunos burn',
  isDue: ({ height, params }) => height === params.upgrades.eunos,
  run({ view, params, history, transactions }) {
    const { accountDestruction, retiredBurn, burn } = params.scripts;
    const accounts = new Accounts(view);
    const retired = [...balancesOf(view, retiredBurn)];
    for (const owner of accountDestruction) accounts.subAll(owner, [...balancesOf(view, owner)]);
    let txn = transactions.length;
    for (const amount of retired) {
      if (!move(accounts, retiredBurn, burn, amount)) continue;
      history.addBurn({ owner: burn, txid: NULL_HASH, category: categoryByte(accountToAccount), txn: txn++, differences: [amount] });
    }
  },
};

/** False if a balance is too small or overflows; a debit before a failed credit is kept. */
function move(accounts: Accounts, from: Uint8Array, to: Uint8Array, amount: TokenAmount): boolean {
  return ignoreRejection(() => {
    accounts.sub(from, amount);
    accounts.add(to, amount);
  });
}
