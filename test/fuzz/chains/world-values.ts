import { parseAmount } from '../../../src/primitives/amount.js';
import { OPERATOR } from '../../regtest.js';
import type { NodeClient } from '../calls/node-client.js';

/** An amount of a token, in satoshis. */
export interface Holding {
  readonly symbol: string;
  readonly amount: bigint;
}

export interface VaultValues {
  readonly id: string;
  readonly owner: string;
  readonly collaterals: readonly Holding[];
  /** Debts with their interest; none while the node does not show them, as in an auction. */
  readonly loans: readonly Holding[];
}

export interface AuctionBatch {
  readonly vault: string;
  readonly index: number;
  readonly loan: Holding;
}

/** Values of a chain, from which random operations take their arguments. */
export interface WorldValues {
  readonly height: number;
  readonly balances: ReadonlyMap<string, readonly Holding[]>;
  /** Symbols of tokens that are no shares of pools. */
  readonly tokens: readonly string[];
  readonly loanTokens: readonly string[];
  readonly pools: readonly string[];
  /** Ids of tokens and pools by symbol. */
  readonly ids: ReadonlyMap<string, string>;
  readonly vaults: readonly VaultValues[];
  readonly batches: readonly AuctionBatch[];
  readonly oracles: readonly string[];
  readonly schemes: readonly string[];
  readonly proposals: readonly string[];
  /** All but the one that mints. */
  readonly masternodes: readonly string[];
  /** Orders, offers and contracts of ICX. */
  readonly orders: readonly string[];
  readonly offers: readonly string[];
  readonly contracts: readonly string[];
}

type Fields = Readonly<Record<string, unknown>>;

/** Parses `1.5@DFI`. */
export function holdingOf(text: string): Holding {
  const [number = '0', symbol = ''] = text.split('@');
  return { symbol, amount: parseAmount(number) ?? 0n };
}

/** Reads the values of the chain of a node. */
export async function worldValues(node: NodeClient): Promise<WorldValues> {
  const ask = async (method: string, ...params: readonly unknown[]) => (await node.result(method, params)) ?? {};
  const entries = async (method: string, ...params: readonly unknown[]) =>
    Object.entries(await ask(method, ...params)) as [string, Fields][];
  const accounts = (await ask('listaccounts', { limit: 10_000 }, false)) as readonly Fields[];
  const tokens = await entries('listtokens', { limit: 1_000 });
  const vaults = (await ask('listvaults', { verbose: true }, { limit: 1_000 })) as readonly Fields[];
  const auctions = (await ask('listauctions', { limit: 1_000 })) as readonly Fields[];
  const symbolOf = ([id, fields]: [string, Fields]) => (fields.isDAT ? String(fields.symbol) : `${fields.symbol}#${id}`);
  return {
    height: Number(await ask('getblockcount')),
    balances: balancesOf(accounts),
    tokens: tokens.filter(([, { isLPS }]) => !isLPS).map(symbolOf),
    loanTokens: tokens.filter(([, { isLoanToken }]) => isLoanToken).map(symbolOf),
    pools: tokens.filter(([, { isLPS }]) => isLPS).map(symbolOf),
    ids: new Map(tokens.map((token) => [symbolOf(token), token[0]])),
    vaults: vaults.map(vaultOf),
    batches: auctions.flatMap(batchesOf),
    oracles: (await ask('listoracles')) as readonly string[],
    schemes: ((await ask('listloanschemes')) as readonly Fields[]).map(({ id }) => String(id)),
    proposals: ((await ask('listgovproposals')) as readonly Fields[]).map(({ proposalId }) => String(proposalId)),
    masternodes: (await entries('listmasternodes'))
      .filter(([, { operatorAuthAddress }]) => operatorAuthAddress !== OPERATOR.address)
      .map(([id]) => id),
    ...(await orderValues(entries)),
  };
}

async function orderValues(
  entries: (method: string, ...params: readonly unknown[]) => Promise<[string, Fields][]>,
): Promise<Pick<WorldValues, 'orders' | 'offers' | 'contracts'>> {
  const names = (found: [string, Fields][]) => found.map(([id]) => id).filter((id) => id !== 'WARNING');
  const orders = names(await entries('icx_listorders'));
  const offers = await Promise.all(orders.map(async (orderTx) => names(await entries('icx_listorders', { orderTx }))));
  const contracts = await Promise.all(offers.flat().map(async (offerTx) => names(await entries('icx_listhtlcs', { offerTx }))));
  return { orders, offers: offers.flat(), contracts: contracts.flat() };
}

function balancesOf(accounts: readonly Fields[]): Map<string, Holding[]> {
  const balances = new Map<string, Holding[]>();
  for (const { owner, amount } of accounts) {
    if (typeof owner !== 'string') continue;
    const held = typeof amount === 'string' ? [amount] : Object.entries(amount as Fields).map(([symbol, number]) => `${number}@${symbol}`);
    balances.set(owner, [...(balances.get(owner) ?? []), ...held.map(holdingOf)]);
  }
  return balances;
}

function vaultOf(vault: Fields): VaultValues {
  const holdings = (list: unknown) => (Array.isArray(list) ? list.map((text) => holdingOf(String(text))) : []);
  return {
    id: String(vault.vaultId),
    owner: String(vault.ownerAddress),
    collaterals: holdings(vault.collateralAmounts),
    loans: holdings(vault.loanAmounts),
  };
}

function batchesOf({ vaultId, batches }: Fields): AuctionBatch[] {
  return (batches as readonly Fields[]).map(({ index, loan }) => ({
    vault: String(vaultId),
    index: Number(index),
    loan: holdingOf(String(loan)),
  }));
}
