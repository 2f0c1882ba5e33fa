/** Object of an answer. */
export type Members = Readonly<Record<string, unknown>>;
export type Named = Readonly<Record<string, Members>>;

export interface GivenTx extends Members {
  readonly txid: string;
  readonly vin: readonly Members[];
  readonly vout: readonly GivenOutput[];
}
export interface GivenOutput extends Members {
  readonly n: number;
  readonly value: string;
  readonly scriptPubKey: Members;
}
export interface GivenBlock extends Members {
  readonly tx: readonly GivenTx[];
}
export interface PriceFeed {
  readonly token: string;
  readonly currency: string;
  readonly aggregated: { readonly amount: string };
}
export interface ActivePrice {
  readonly active?: Members;
  readonly next?: Members;
  readonly isLive: boolean;
}
export interface TermsOfToken extends Members {
  readonly token: Members;
}
export interface LiquidatedVault extends Members {
  readonly batches: readonly {
    readonly froms: readonly string[];
    readonly highestBid?: { readonly owner: string; readonly amount: Members };
  }[];
}
export interface PoolPair extends Members {
  readonly totalLiquidity: Members;
  readonly apr: unknown;
  readonly volume: { readonly h24: number };
}
export interface Swap {
  readonly block: Members;
  readonly txid: string;
  readonly txno: number;
  readonly fromAmount: string;
  readonly from?: Members;
  readonly to?: Members;
}

/** The value without undefined members. */
export function defined<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

/** Amount of an operation without zeros at the end. */
export function plain(amount: unknown): string {
  const text = String(amount);
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

function hex8(value: unknown): string {
  return Number(value).toString(16).padStart(8, '0');
}

export function byId(a: Members, b: Members): number {
  return String(a.id) < String(b.id) ? -1 : 1;
}

export function sorted(list: unknown): unknown[] {
  return (list as unknown[]).map((each) => JSON.stringify(each)).sort();
}

export function blockOf(block: GivenBlock) {
  const { hash, height, version, time, mediantime, tx, difficulty, masternode, minter, mintedBlocks, size, strippedsize, weight } = block;
  return {
    id: hash,
    hash,
    previousHash: block.previousblockhash,
    height,
    version,
    time,
    medianTime: mediantime,
    transactionCount: tx.length,
    difficulty,
    masternode,
    minter,
    minterBlockCount: mintedBlocks,
    reward: tx[0]?.vout[0]?.value,
    stakeModifier: block.stakeModifier,
    merkleroot: block.merkleroot,
    size,
    sizeStripped: strippedsize,
    weight,
  };
}

export function transactionOf({ tx, hash, height, time, mediantime }: GivenBlock, order: number) {
  const { txid, version, size, vsize, weight, locktime, vin, vout, hash: wtxid } = tx[order] as GivenTx;
  const units = vout.reduce((sum, { value }) => sum + BigInt(value.replace('.', '')), 0n).toString();
  return {
    id: txid,
    txid,
    order,
    block: { hash, height, time, medianTime: mediantime },
    hash: wtxid,
    version,
    size,
    vSize: vsize,
    weight,
    lockTime: locktime,
    vinCount: vin.length,
    voutCount: vout.length,
    totalVoutValue: units.padStart(9, '0').replace(/(\d{8})$/, '.$1'),
  };
}

export function outputOf({ txid }: GivenTx, { n, value, tokenId, scriptPubKey: { type, hex } }: GivenOutput) {
  return { id: txid + hex8(n), txid, n, value, tokenId, script: { type, hex } };
}

export function inputOf(txid: string, input: Members, spent: Members | undefined) {
  const { coinbase, sequence } = input;
  if (coinbase !== undefined) return { id: `${txid}00`, txid, coinbase, sequence };
  const { hex } = input.scriptSig as Members;
  return { id: `${txid}${spent?.id}`, txid, vout: spent, script: { hex }, txInWitness: input.txinwitness, sequence };
}

function displayed(symbol: unknown): string {
  return ['DUSD', 'DFI'].includes(String(symbol)) ? String(symbol) : `d${symbol}`;
}

function displayedPair(symbol: unknown): string {
  return String(symbol).split('-').map(displayed).join('-');
}

export function tokenOf(id: string, token: Members) {
  const { symbol, symbolKey, name, decimal, mintable, tradeable, isDAT, isLPS, isLoanToken, finalized, collateralAddress } = token;
  return {
    id,
    ...{ symbol, symbolKey, name, decimal, mintable, tradeable, isDAT, isLPS, isLoanToken, finalized },
    limit: plain(token.limit),
    minted: plain(token.minted),
    creation: { tx: token.creationTx, height: token.creationHeight },
    destruction: { tx: token.destructionTx, height: token.destructionHeight },
    collateralAddress: collateralAddress === '' ? undefined : collateralAddress,
    displaySymbol: isLPS ? displayedPair(symbol) : displayed(symbol),
  };
}

export function masternodeOf(id: string, node: Members) {
  const { state, mintedBlocks, creationHeight, resignHeight, resignTx, timelock } = node;
  return {
    id,
    sort: hex8(creationHeight) + id,
    state,
    mintedBlocks,
    owner: { address: node.ownerAuthAddress },
    operator: { address: node.operatorAuthAddress },
    creation: { height: creationHeight },
    resign: resignHeight === -1 ? undefined : { tx: resignTx, height: resignHeight },
    timelock: timelock === '5 years' ? 260 : 0,
  };
}

const STATES: Readonly<Record<string, string>> = { active: 'ACTIVE', inLiquidation: 'IN_LIQUIDATION' };
const RATIOS = ['informativeRatio', 'collateralRatio', 'collateralValue', 'loanValue', 'interestValue'];

function amountText({ amount, symbolKey }: Members): string {
  return `${amount}@${symbolKey}`;
}

/** Comparable members of a vault as the client has it. */
export function vaultFacts(vault: Members): unknown[] {
  const amounts = (name: string) => (vault[name] as Members[] | undefined)?.map(amountText);
  const batches = (vault.batches as (Members & { collaterals: Members[]; loan: Members })[] | undefined)?.map((batch) => [
    batch.index,
    batch.collaterals.map(amountText),
    amountText(batch.loan),
  ]);
  return [
    vault.vaultId,
    (vault.loanScheme as Members).id,
    vault.ownerAddress,
    vault.state,
    ...RATIOS.map((name) => vault[name]),
    ...['collateralAmounts', 'loanAmounts', 'interestAmounts'].map(amounts),
    ...[vault.liquidationHeight, vault.liquidationPenalty, vault.batchCount, batches],
  ];
}

/** The same of an answer of `getvault`. */
export function vaultFactsOf(vault: Members): unknown[] {
  const { collateralAmounts, loanAmounts, interestAmounts, liquidationHeight, liquidationPenalty, batchCount } = vault;
  return [
    vault.vaultId,
    vault.loanSchemeId,
    vault.ownerAddress,
    STATES[String(vault.state)],
    ...RATIOS.map((name) => (vault[name] === undefined ? undefined : plain(vault[name]))),
    ...[collateralAmounts, loanAmounts, interestAmounts, liquidationHeight],
    liquidationPenalty === undefined ? undefined : Number(liquidationPenalty),
    batchCount,
    (vault.batches as Members[] | undefined)?.map(({ index, collaterals, loan }) => [index, collaterals, loan]),
  ];
}

export function poolOf(id: string, pool: Members, tokens: Named) {
  const halves = String(pool.symbol).split('-');
  const side = (name: 'A' | 'B') => {
    const symbol = halves[name === 'A' ? 0 : 1];
    const [pct, inPct, outPct] = ['', 'In', 'Out'].map((way) => pool[`dexFee${way}PctToken${name}`]).map((fee) => fee && plain(fee));
    return {
      id: pool[`idToken${name}`],
      name: tokens[String(pool[`idToken${name}`])]?.name,
      symbol,
      displaySymbol: displayed(symbol),
      reserve: plain(pool[`reserve${name}`]),
      blockCommission: plain(pool[`blockCommission${name}`]),
      fee: pct && { pct, inPct, outPct },
    };
  };
  const { symbol, name, status, tradeEnabled, ownerAddress, customRewards } = pool;
  return {
    ...{ id, symbol, name, status, tradeEnabled, ownerAddress, customRewards },
    displaySymbol: displayedPair(symbol),
    tokenA: side('A'),
    tokenB: side('B'),
    priceRatio: { ab: plain(pool['reserveA/reserveB']), ba: plain(pool['reserveB/reserveA']) },
    commission: plain(pool.commission),
    rewardPct: plain(pool.rewardPct),
    rewardLoanPct: plain(pool.rewardLoanPct),
    creation: { tx: pool.creationTx, height: pool.creationHeight },
    liquidity: plain(pool.totalLiquidity),
  };
}

/** Proposal of an operation with its fees as numbers. */
export function proposalOf(proposal: Members): Members {
  return Object.fromEntries(Object.entries(proposal).map(([name, value]) => [name, name.startsWith('fee') ? Number(value) : value]));
}

export function recordOf({ owner, txid, txn, type, amounts, blockHeight, blockHash, blockTime }: Members) {
  return { owner, txid, txn, type, amounts, block: { height: blockHeight, hash: blockHash, time: blockTime } };
}
