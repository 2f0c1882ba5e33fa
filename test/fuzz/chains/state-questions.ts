import type { Question } from '../calls/node-client.js';

const ALL = { limit: 10_000 };

/** Questions whose answers contain histories. `defid` 4.2.5 keeps in them what blocks that it refused would have written. */
export const HISTORIES = new Set(['listaccounthistory', 'listburnhistory', 'listvaulthistory', 'listauctionhistory', 'getburninfo']);

/** Questions about the whole state of a chain, and the history of its newest block. */
export const STATE_QUESTIONS: readonly Question[] = [
  ['listaccounts', ALL, true],
  ['listvaults', { verbose: true }, ALL],
  ['listauctions', ALL],
  ['listpoolpairs', ALL],
  ['listpoolshares', ALL],
  ['listtokens', ALL],
  ['listloantokens'],
  ['listcollateraltokens'],
  ['listloanschemes'],
  ['getloaninfo'],
  ['getburninfo'],
  ['listcommunitybalances'],
  ['listgovs'],
  ['listprices'],
  ['listlatestrawprices'],
  ['listfixedintervalprices', ALL],
  ['listpendingfutureswaps'],
  ['listgovproposals'],
  ['icx_listorders'],
  ['listmasternodes', ALL],
  ['listaccounthistory', 'all', { depth: 2, limit: 100_000 }],
  ['listburnhistory', { limit: 30 }],
  // The changes of all vaults at the end of auctions.
  ['listvaulthistory', '0'.repeat(64), { limit: 30 }],
  ['listauctionhistory', 'all', { limit: 30 }],
  ['gettxoutsetinfo'],
];
