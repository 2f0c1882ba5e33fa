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
  /** Masternodes that have minted a block, and may vote. */
  readonly voters: readonly string[];
  /** Addresses of operators whose masternodes may mint. */
  readonly minters: readonly string[];
  /** Transactions whose second output is the collateral of a masternode, but that of the usual minter, or of a token. */
  readonly collaterals: readonly string[];
  /** Open orders of ICX, and open offers to them. */
  readonly orders: readonly string[];
  readonly offers: readonly OfferValues[];
  /** Pending future swaps. */
  readonly futures: readonly FutureValues[];
  /** Directions of limited future swaps, `DUSD-TSLA`, with the amount that is left. */
  readonly futureLimits: ReadonlyMap<string, bigint>;
}

/** A pending future swap. */
export interface FutureValues {
  readonly owner: string;
  readonly source: Holding;
  /** Symbol. */
  readonly destination: string;
}

/** An open offer of ICX. */
export interface OfferValues {
  readonly id: string;
  readonly isInternal: boolean;
  /** Amount in the asset of the order. */
  readonly amount: string;
  readonly contracts: readonly ContractValues[];
}

/** An open contract of ICX. */
export interface ContractValues {
  readonly id: string;
  /** True if it is on this chain. */
  readonly isDfc: boolean;
  /** Amount in the asset of the other chain. */
  readonly converted: string;
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
  const masternodes = await entries('listmasternodes', { limit: 1_000 });
  const ids = masternodes.filter(([, { operatorAuthAddress }]) => operatorAuthAddress !== OPERATOR.address).map(([id]) => id);
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
    masternodes: ids,
    voters: masternodes.filter(([, { mintedBlocks }]) => Number(mintedBlocks) > 0).map(([id]) => id),
    minters: masternodes.filter(([, { state }]) => state === 'ENABLED').map(([, { operatorAuthAddress }]) => String(operatorAuthAddress)),
    collaterals: [...ids, ...tokens.flatMap(([, { isDAT, creationTx }]) => (isDAT ? [] : [String(creationTx)]))],
    futures: ((await ask('listpendingfutureswaps')) as readonly Fields[]).map(futureOf),
    futureLimits: limitsOf(await ask('listloantokenliquidity')),
    ...(await orderValues(entries)),
  };
}

type Entries = (method: string, ...params: readonly unknown[]) => Promise<[string, Fields][]>;

async function orderValues(entries: Entries): Promise<Pick<WorldValues, 'orders' | 'offers'>> {
  const listed = async (method: string, ...params: readonly unknown[]) =>
    (await entries(method, ...params)).filter(([id, fields]) => id !== 'WARNING' && fields.type !== 'CLAIM DFC');
  const orders = await listed('icx_listorders');
  const offers = await Promise.all(
    orders.map(async ([orderTx, { type }]) =>
      (await listed('icx_listorders', { orderTx })).map(([id, fields]) => ({ id, fields, isInternal: type === 'INTERNAL' })),
    ),
  );
  const valued = offers.flat().map(async ({ id, fields, isInternal }) => {
    const contracts = (await listed('icx_listhtlcs', { offerTx: id })).map(([contract, each]) => contractOf(contract, each));
    return { id, isInternal, amount: amountText(fields.amountInFromAsset), contracts };
  });
  return { orders: orders.map(([id]) => id), offers: await Promise.all(valued) };
}

function contractOf(id: string, { type, amountInEXTAsset, amountInDFCAsset }: Fields): ContractValues {
  const isDfc = type === 'DFC';
  return { id, isDfc, converted: amountText(isDfc ? amountInEXTAsset : amountInDFCAsset) };
}

function amountText(amount: unknown): string {
  return Number(amount).toFixed(8);
}

function futureOf({ owner, source, destination }: Fields): FutureValues {
  return { owner: String(owner), source: holdingOf(String(source)), destination: String(destination) };
}

function limitsOf(ways: unknown): Map<string, bigint> {
  const found = Array.isArray(ways) ? (ways as readonly Fields[]).flatMap((way) => Object.entries(way)) : [];
  return new Map(found.map(([way, limit]) => [way, parseAmount(String((limit as Fields).remaining)) ?? 0n]));
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
