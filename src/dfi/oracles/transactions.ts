import { isActive } from '../../params/network.js';
import { type Codec, compactSize, i64, list, mapped, struct, u8, varBytes } from '../../primitives/codec.js';
import { formatHash, type Hash256, hash256 } from '../../primitives/hash.js';
import type { StateView } from '../../storage/view.js';
import { trimBlanks } from '../../util/trim.js';
import { requireAuth, requireFoundationOrGovernance } from '../context/auth.js';
import { type AnyCustomTx, customTx, type TxContext } from '../context/custom-tx.js';
import { formattedTwice, TxRejected } from '../kernel/rejected.js';
import { byteString } from '../kernel/text.js';
import { comparePairs, isRecent, isSamePair, type Oracle, oracles, type PricePair, pricePair, toPairs } from './columns.js';

/** Properties of an oracle that its appointment sets. */
export interface OracleTerms {
  readonly address: Uint8Array;
  readonly weight: number;
  readonly pairs: readonly PricePair[];
}

const sortedPairs: Codec<readonly PricePair[]> = mapped(list(pricePair), toPairs, toPairs);

/** Fields of the terms in messages. @param pairs codec of the pairs: the rules read them sorted and each once */
export function termFields(pairs: Codec<readonly PricePair[]>) {
  return { address: varBytes, weight: u8, pairs };
}

export const appointOracle = customTx<OracleTerms>({
  type: 'o',
  name: 'AppointOracle',
  since: 'eunos',
  codec: struct<OracleTerms>(termFields(sortedPairs)),
  apply(context, terms) {
    requireFoundationOrGovernance(context);
    context.view.put(oracles, context.tx.txid, { ...terms, pairs: normalisePairs(terms.pairs), prices: [] });
  },
});

export interface UpdateOracle extends OracleTerms {
  readonly oracleId: Hash256;
}

/** Replaces the properties of an oracle. Prices of pairs that it may no longer report are dropped. */
export const updateOracle = customTx<UpdateOracle>({
  type: 't',
  name: 'UpdateOracleAppoint',
  since: 'eunos',
  codec: struct<UpdateOracle>({ oracleId: hash256, ...termFields(sortedPairs) }),
  apply(context, { oracleId, ...terms }) {
    requireFoundationOrGovernance(context);
    const pairs = normalisePairs(terms.pairs);
    const { prices } = requireOracle(context.view, oracleId);
    const kept = prices.filter((price) => pairs.some((pair) => isSamePair(pair, price)));
    context.view.put(oracles, oracleId, { ...terms, pairs, prices: kept });
  },
});

export interface RemoveOracle {
  readonly oracleId: Hash256;
}

export const removeOracle = customTx<RemoveOracle>({
  type: 'h',
  name: 'RemoveOracleAppoint',
  since: 'eunos',
  codec: struct<RemoveOracle>({ oracleId: hash256 }),
  apply(context, { oracleId }) {
    requireFoundationOrGovernance(context);
    requireOracle(context.view, oracleId);
    context.view.delete(oracles, oracleId);
  },
});

/** Price of a pair in a report, in satoshis of the currency for one token. */
export interface PriceReport extends PricePair {
  readonly price: bigint;
}

export interface SetOracleData {
  readonly oracleId: Hash256;
  /** Time of all the prices, in seconds since 1970. */
  readonly timestamp: bigint;
  /** By token, then currency. */
  readonly prices: readonly PriceReport[];
}

/** Tokens, each with its currencies and prices. Of repeated tokens, and of repeated currencies of a token, the first is used. */
const givenPrices: Codec<readonly PriceReport[]> = {
  write(w, prices) {
    const byToken = new Map<string, PriceReport[]>();
    for (const price of [...prices].sort(comparePairs)) byToken.set(price.token, [...(byToken.get(price.token) ?? []), price]);
    compactSize.write(w, byToken.size);
    for (const [token, own] of byToken) {
      byteString.write(w, token);
      compactSize.write(w, own.length);
      for (const { currency, price } of own) {
        byteString.write(w, currency);
        i64.write(w, price);
      }
    }
  },
  read(r) {
    const byToken = new Map<string, Map<string, bigint>>();
    for (let left = compactSize.read(r); left > 0; left--) {
      const token = byteString.read(r);
      const prices = new Map<string, bigint>();
      for (let more = compactSize.read(r); more > 0; more--) {
        const currency = byteString.read(r);
        const price = i64.read(r);
        if (!prices.has(currency)) prices.set(currency, price);
      }
      if (!byToken.has(token)) byToken.set(token, prices);
    }
    const found = [...byToken].flatMap(([token, prices]) => [...prices].map(([currency, price]) => ({ token, currency, price })));
    return found.sort(comparePairs);
  },
};

/** Stores prices that an oracle reports, which its script must authorise. */
export const setOracleData = customTx<SetOracleData>({
  type: 'y',
  name: 'SetOracleData',
  since: 'eunos',
  codec: struct<SetOracleData>({ oracleId: hash256, timestamp: i64, prices: givenPrices }),
  apply(context, { oracleId, timestamp, prices }) {
    const { view } = context;
    const oracle = view.get(oracles, oracleId);
    if (!oracle) throw new TxRejected(`failed to retrieve oracle <${formatHash(oracleId)}> from database`);
    requireAuth(context, oracle.address);
    for (const { price } of prices) checkPrice(context, price, timestamp);
    const reported = new Map(oracle.prices.map((price) => [pairText(price), price]));
    for (const given of prices) {
      if (!oracle.pairs.some((pair) => isSamePair(pair, given))) {
        throw new TxRejected(formattedTwice(`token <${given.token}> - currency <${given.currency}> is not allowed`, context));
      }
      reported.set(pairText(given), { ...given, timestamp });
    }
    view.put(oracles, oracleId, { ...oracle, prices: [...reported.values()].sort(comparePairs) });
  },
});

function checkPrice({ height, time, params }: TxContext, price: bigint, timestamp: bigint): void {
  if (!isActive(params, 'fortCanning', height)) return;
  if (price <= 0n) throw new TxRejected('Amount out of range');
  if (!isRecent(timestamp, time)) throw new TxRejected(`Timestamp (${timestamp}) is out of price update window (median: ${time})`);
}

/** Distinct text of a pair. */
function pairText({ token, currency }: PricePair): string {
  return `${token.length}:${token}${currency}`;
}

/** @throws {TxRejected} */
function requireOracle(view: StateView, oracleId: Hash256): Oracle {
  const oracle = view.get(oracles, oracleId);
  if (!oracle) throw new TxRejected(`oracle <${formatHash(oracleId)}> not found`);
  return oracle;
}

const MAX_SYMBOL = 8;

/** Symbol trimmed and cut to 8 bytes; a text of blanks alone is only cut. */
export function normaliseSymbol(text: string): string {
  return trimBlanks(text).slice(0, MAX_SYMBOL);
}

export function normalisePair({ token, currency }: PricePair): PricePair {
  return { token: normaliseSymbol(token), currency: normaliseSymbol(currency) };
}

/** @throws {TxRejected} */
function normalisePairs(pairs: readonly PricePair[]): readonly PricePair[] {
  const normalised = pairs.map(normalisePair);
  if (normalised.some(({ token, currency }) => token === '' || currency === '')) throw new TxRejected('empty token / currency');
  return toPairs(normalised);
}

/** Custom transactions on oracles. */
export const oracleTypes: readonly AnyCustomTx[] = [appointOracle, updateOracle, removeOracle, setOracleData];
