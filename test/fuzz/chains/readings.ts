import { formatAmount } from '../../../src/primitives/amount.js';
import type { Question } from '../calls/node-client.js';
import type { Draw } from './draw.js';

/** Questions about random parts of a chain that are asked after a block. */
const COUNT = 12;
/** Letters of transactions and of entries that are not of transactions, and names of both. */
const TYPES = [
  'A',
  'B',
  'C',
  'F',
  'G',
  'I',
  'K',
  'M',
  'N',
  'P',
  'Q',
  'R',
  'S',
  'T',
  'U',
  'V',
  'W',
  'a',
  'b',
  'd',
  'e',
  'f',
  'h',
  'i',
  'k',
  'l',
];
const NAMES = [
  'AccountToAccount',
  'PoolSwap',
  'TakeLoan',
  'PaybackLoan',
  'Rewards',
  'AuctionBid',
  'TokenSplit',
  'blockReward',
  'FutureSwapExecution',
];
const LIMITS = [1, 2, 3, 10, 100, 10_000];

type Reading = (d: Draw, txids: readonly string[]) => Question | undefined;

const READINGS: readonly Reading[] = [
  (d) => ['listaccounthistory', owner(d), historyOptions(d)],
  (d) => ['listaccounthistory', owner(d), historyOptions(d)],
  (d) => ['listaccounthistory', [d.address(), d.address(), d.founder], historyOptions(d)],
  (d) => ['accounthistorycount', owner(d), countOptions(d)],
  (d, txids) => (txids.length === 0 ? undefined : ['getaccounthistory', d.address(), below(d, 5), d.random.below(txids.length + 1)]),
  (d) => ['listburnhistory', burnOptions(d)],
  (d) => vaultOf(d, (id) => ['listvaulthistory', id, burnOptions(d)]),
  (d) => vaultOf(d, (id) => ['getvault', id, d.chance(50)]),
  (d) => vaultOf(d, (id) => ['getstoredinterest', id, d.pick(d.values.loanTokens)]),
  (d) => vaultOf(d, (id) => ['estimateloan', id, Object.fromEntries([[d.pick(d.values.loanTokens), 1]]), d.pick([150, 200, 1000])]),
  (d) => ['listvaults', vaultFilter(d), page(d, vaultIds(d))],
  (d) => ['listauctions', { limit: d.pick(LIMITS), ...(d.chance(50) ? auctionStart(d) : {}) }],
  (d) => ['listauctionhistory', d.pick(['all', 'mine', d.address(), ...vaultIds(d).slice(0, 3)]), { limit: d.pick(LIMITS) }],
  (d, txids) => (txids.length === 0 ? undefined : ['getcustomtx', d.pick(txids)]),
  (d, txids) => (txids.length === 0 ? undefined : ['getrawtransaction', d.pick(txids), true]),
  (d) => ['getinterest', d.pick(d.values.schemes), ...(d.chance(50) ? [d.pick(d.values.loanTokens)] : [])],
  (d) => ['estimatecollateral', `1@${d.pick(d.values.loanTokens)}`, d.pick([150, 333]), { DFI: 0.5, [d.pick(d.values.tokens)]: 0.5 }],
  (d) => ['estimatevault', [`1@${d.token()}`], [`1@${d.pick(d.values.loanTokens)}`]],
  testSwap,
  (d) => proposalOf(d, (id) => ['getgovproposal', id]),
  (d) => proposalOf(d, (id) => ['listgovproposalvotes', id, d.pick(['all', 'mine']), d.pick([-1, 0, 1, 2]), { limit: d.pick(LIMITS) }]),
  (d) => proposalOf(d, (id) => ['listgovproposalvotes', { proposalId: id, aggregate: true, masternode: 'all', valid: d.chance(50) }]),
  (d) => ['listgovproposals', d.pick(['all', 'cfp', 'voc']), d.pick(['all', 'voting', 'rejected', 'completed']), d.pick([0, 1, 2])],
  (d) => ['getloantoken', d.pick(d.values.loanTokens)],
  (d) => ['getcollateraltoken', d.token()],
  (d) => ['getpoolpair', d.pick(d.values.pools), d.chance(80)],
  (d) => ['listpoolshares', page(d, ['1', '6', '9']), d.chance(80), d.chance(30)],
  (d) => ['listpoolpairs', page(d, ['1', '6', '9']), d.chance(80)],
  (d) => ['getoracledata', d.pick(d.values.oracles) ?? ''],
  (d) => ['listoracles', page(d, d.values.oracles)],
  (d) => ['listlatestrawprices', { token: d.token(), currency: 'USD' }, page(d, ['0', '2'])],
  (d) => ['listprices', page(d, ['0', '1', '3'])],
  (d) => ['getprice', { token: d.token(), currency: 'USD' }],
  (d) => ['getfixedintervalprice', `${d.token()}/USD`],
  (d) => ['listfixedintervalprices', page(d, ['BTC/USD', 'TSLA/USD'])],
  (d) => ['gettokenbalances', page(d, ['0', '2']), d.chance(50), d.chance(50)],
  (d) => ['getaccount', d.address(), page(d, ['0', '2']), d.chance(50)],
  (d) => ['listaccounts', page(d, []), d.chance(50), d.chance(50), d.chance(30)],
  (d) => ['listtokens', page(d, ['0', '3', '128']), d.chance(70)],
  (d) => ['gettoken', d.token()],
  (d) => ['listmasternodes', page(d, d.values.masternodes), d.chance(70)],
  (d) => masternodeOf(d, (id) => ['getmasternode', id]),
  (d) => masternodeOf(d, (id) => ['getmasternodeblocks', { id }, d.pick([5, 100])]),
  (d) => ['getactivemasternodecount', d.pick([5, 20])],
  (d) => ['getpendingfutureswaps', d.address()],
  (d) => ['getpendingdusdswaps', d.address()],
  () => ['listpendingdusdswaps'],
  () => ['getfutureswapblock'],
  () => ['getdusdswapblock'],
  () => ['listsmartcontracts'],
  (d) => ['listgovs', d.pick(['all', 'gov', 'attrs', 'v/2203', 'v/2206a', 'live'])],
  (d) => [
    'getgov',
    d.pick(['LP_SPLITS', 'LP_LOAN_TOKEN_SPLITS', 'LP_DAILY_DFI_REWARD', 'LP_DAILY_LOAN_TOKEN_REWARD', 'ORACLE_BLOCK_INTERVAL']),
  ],
  (d) => ['getblockstats', below(d, 4)],
];

/**
 * Random questions with valid arguments, of which most concern parts of lists and histories.
 * @param txids transactions of the newest block
 * @param isRewound true if blocks were disconnected: histories with transactions of the wallet are asked for as a whole then, as only
 *   `defid` still has those of disconnected blocks
 */
export function readings(draw: Draw, txids: readonly string[], isRewound: boolean): readonly Question[] {
  const drawn = Array.from({ length: COUNT }, () => draw.pick(READINGS)(draw, txids)).filter((question) => question !== undefined);
  if (!isRewound) return drawn;
  return drawn
    .filter(([method]) => method !== 'accounthistorycount')
    .map((question) => (question[0] === 'listaccounthistory' ? wholeHistory(question) : question));
}

function wholeHistory([method, owner, options]: Question): Question {
  return [method, owner, { ...(options as object), start: 0, limit: 100_000 }];
}

function owner(d: Draw): string {
  return d.pick(['all', 'mine', d.address(), d.address(), d.address(), d.founder]);
}

/** Height of one of the newest blocks. */
function below(d: Draw, most: number): number {
  return Math.max(0, d.values.height + 1 - d.random.below(most));
}

function maybe(d: Draw, percent: number, members: () => object): object {
  return d.chance(percent) ? members() : {};
}

function historyOptions(d: Draw): object {
  return {
    ...maybe(d, 40, () => ({ maxBlockHeight: below(d, 12) })),
    ...maybe(d, 50, () => ({ depth: d.pick([0, 1, 5, 30]) })),
    ...maybe(d, 60, () => ({ no_rewards: d.chance(50) })),
    ...maybe(d, 30, () => ({ token: d.token() })),
    ...maybe(d, 20, () => ({ txtype: d.pick([...TYPES, ...NAMES]) })),
    ...maybe(d, 15, () => ({ txtypes: [d.pick(TYPES), d.pick(NAMES)] })),
    ...maybe(d, 20, () => ({ start: d.pick([0, 1, 5]), ...maybe(d, 50, () => ({ including_start: d.chance(50) })) })),
    ...maybe(d, 15, () => ({ txn: d.random.below(6), format: 'id' })),
    ...maybe(d, 20, () => ({ format: d.pick(['id', 'symbol']) })),
    limit: d.pick(LIMITS),
  };
}

function countOptions(d: Draw): object {
  return {
    ...maybe(d, 60, () => ({ no_rewards: d.chance(50) })),
    ...maybe(d, 40, () => ({ token: d.token() })),
    ...maybe(d, 30, () => d.pick<object>([{ txtype: d.pick([...TYPES, ...NAMES]) }, { txtypes: [d.pick(TYPES), d.pick(NAMES)] }])),
  };
}

function burnOptions(d: Draw): object {
  return {
    ...maybe(d, 30, () => ({ maxBlockHeight: below(d, 12) })),
    ...maybe(d, 30, () => ({ depth: d.pick([0, 1, 5, 30]) })),
    ...maybe(d, 30, () => ({ token: d.token() })),
    ...maybe(d, 30, () => ({ txtype: d.pick([...TYPES, ...NAMES]) })),
    limit: d.pick(LIMITS),
  };
}

function vaultFilter(d: Draw): object {
  return {
    ...maybe(d, 30, () => ({ ownerAddress: d.address() })),
    ...maybe(d, 30, () => ({ loanSchemeId: d.pick(d.values.schemes) })),
    ...maybe(d, 40, () => ({ state: d.pick(['active', 'inLiquidation', 'mayLiquidate', 'frozen', 'unknown']) })),
    verbose: d.chance(50),
  };
}

function auctionStart(d: Draw): object {
  const [batch] = d.values.batches;
  return batch ? { start: { vaultId: batch.vault, height: d.values.height } } : {};
}

function page(d: Draw, starts: readonly string[]): object {
  return {
    ...(starts.length > 0 ? maybe(d, 50, () => ({ start: startOf(d.pick(starts)) })) : {}),
    ...maybe(d, 40, () => ({ including_start: d.chance(50) })),
    limit: d.pick(LIMITS),
  };
}

/** Most lists begin at a number or an id. */
function startOf(text: string): string | number {
  return /^\d{1,5}$/.test(text) ? Number(text) : text;
}

function testSwap(d: Draw): Question | undefined {
  const held = d.held();
  if (!held) return undefined;
  const { symbol, amount } = held.part;
  const swap = { from: held.owner, tokenFrom: symbol, amountFrom: formatAmount(amount), to: d.address(), tokenTo: d.token() };
  return ['testpoolswap', swap, d.pick(['auto', 'direct', 'composite']), d.chance(50)];
}

function vaultIds(d: Draw): readonly string[] {
  return d.values.vaults.map(({ id }) => id);
}

function vaultOf(d: Draw, question: (id: string) => Question): Question | undefined {
  return d.values.vaults.length === 0 ? undefined : question(d.pick(vaultIds(d)));
}

function proposalOf(d: Draw, question: (id: string) => Question): Question | undefined {
  return d.values.proposals.length === 0 ? undefined : question(d.pick(d.values.proposals));
}

function masternodeOf(d: Draw, question: (id: string) => Question): Question | undefined {
  return d.values.masternodes.length === 0 ? undefined : question(d.pick(d.values.masternodes));
}
