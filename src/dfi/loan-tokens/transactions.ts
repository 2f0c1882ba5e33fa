import { isActive } from '../../params/network.js';
import { COIN } from '../../primitives/amount.js';
import { bool, i64, struct, u32 } from '../../primitives/codec.js';
import { formatHash, type Hash256, hash256 } from '../../primitives/hash.js';
import { varInt32 } from '../../primitives/var-int.js';
import type { AttributeValue } from '../attributes/value.js';
import { type AnyCustomTx, customTx, type TxContext } from '../context/custom-tx.js';
import { requireShape } from '../context/shape.js';
import { changeAttributesInternally } from '../governance/change-attributes.js';
import { TxRejected } from '../kernel/rejected.js';
import { byteString } from '../kernel/text.js';
import { requireLoanAuthority } from '../loans/checks.js';
import { aggregatePrice, formatPair, type PricePair, pricePair } from '../oracles/columns.js';
import { putNewPrice, requireReported } from '../oracles/fixed-prices.js';
import { getToken, TokenFlag, tokenByCreation } from '../tokens/columns.js';
import { cutTexts } from '../tokens/texts.js';
import { addToken } from '../tokens/transactions.js';
import { alterToken } from '../tokens/updates.js';
import { isLoanToken, legacyCollaterals, legacyLoanTokens, loanAttributes } from './columns.js';

/** True from the second block after Fort Canning Crunch on: loan and collateral terms are attributes. */
function areAttributes({ height, params }: TxContext): boolean {
  return height > params.upgrades.fortCanningCrunch + 1;
}

/** Aggregate price in satoshis. @throws {TxRejected} with the reason why there is none */
function requireAggregate({ view, time, params }: TxContext, pair: PricePair): bigint {
  const { price, failure } = aggregatePrice(view, pair, time, params);
  if (price === undefined) throw new TxRejected(failure);
  return price;
}

/** Collateral terms of a token: factor scaled by COIN, price pair, and the height from which they apply (0: immediately). */
export interface SetCollateralToken {
  readonly tokenId: number;
  readonly factor: bigint;
  readonly pair: PricePair;
  readonly activateAfterBlock: number;
}

/** Sets the collateral terms of a token. @see docs/protocol/defi.md 3.5 */
export const setCollateralToken = customTx<SetCollateralToken>({
  type: 'c',
  name: 'SetLoanCollateralToken',
  since: 'fortCanning',
  codec: struct<SetCollateralToken>({ tokenId: varInt32, factor: i64, pair: pricePair, activateAfterBlock: u32 }),
  apply(context, body) {
    requireShape(context);
    requireLoanAuthority(context);
    if (areAttributes(context)) {
      const keys = loanAttributes(body.tokenId);
      changeAttributesInternally(context, [
        { key: keys.pair, value: { kind: 'pair', value: body.pair } },
        { key: keys.collateralEnabled, value: { kind: 'bool', value: true } },
        { key: keys.factor, value: { kind: 'amount', value: body.factor } },
      ]);
    } else putCollateral(context, body);
  },
});

function putCollateral(context: TxContext, body: SetCollateralToken): void {
  const { view, height, time, tx } = context;
  if (!getToken(view, body.tokenId)) throw new TxRejected(`token ${body.tokenId} does not exist!`);
  const activateAfterBlock = body.activateAfterBlock || height;
  if (activateAfterBlock < height) throw new TxRejected('activateAfterBlock cannot be less than current height!');
  requireReported(view, body.pair);
  putNewPrice(view, body.pair, time, requireAggregate(context, body.pair));
  if (body.factor > COIN) throw new TxRejected('setCollateralToken factor must be lower or equal than 1.00000000!');
  if (body.factor < 0n) throw new TxRejected('setCollateralToken factor must not be negative!');
  const { tokenId, factor, pair } = body;
  view.put(legacyCollaterals, { tokenId, activateAfterBlock }, { factor, pair, creationTx: tx.txid, creationHeight: height });
}

/** Terms of a loan token. Texts hold one char per byte. */
export interface SetLoanToken {
  readonly symbol: string;
  readonly name: string;
  readonly pair: PricePair;
  readonly mintable: boolean;
  /** Interest per year, in percent scaled by COIN. */
  readonly interest: bigint;
}

const loanTokenFields = { symbol: byteString, name: byteString, pair: pricePair, mintable: bool, interest: i64 };

/** @throws {TxRejected} */
function requireInterest({ height, params }: TxContext, interest: bigint): void {
  if (!isActive(params, 'fortCanningGreatWorld', height) && interest < 0n) throw new TxRejected('interest rate cannot be less than 0!');
}

/** Creates a loan token. @see docs/protocol/defi.md 3.5 */
export const setLoanToken = customTx<SetLoanToken>({
  type: 'g',
  name: 'SetLoanToken',
  since: 'fortCanning',
  codec: struct<SetLoanToken>(loanTokenFields),
  apply(context, body) {
    const { view, height, time, tx } = context;
    requireShape(context);
    requireLoanAuthority(context);
    requireInterest(context, body.interest);
    const flags = TokenFlag.loanToken | TokenFlag.dat | TokenFlag.tradeable | (body.mintable ? TokenFlag.mintable : 0);
    const id = addToken(context, { symbol: body.symbol, name: body.name, decimal: 8, limit: 0n, flags });
    if (areAttributes(context)) {
      setLoanAttributes(context, id, body);
      return;
    }
    const price = requireAggregate(context, body.pair);
    requireReported(view, body.pair);
    putNewPrice(view, body.pair, time, price);
    view.put(legacyLoanTokens, id, { ...body, creationTx: tx.txid, creationHeight: height });
  },
});

function setLoanAttributes(context: TxContext, id: number, { pair, mintable, interest }: SetLoanToken): void {
  const keys = loanAttributes(id);
  const enabled: AttributeValue = { kind: 'bool', value: mintable };
  changeAttributesInternally(context, [
    { key: keys.pair, value: { kind: 'pair', value: pair } },
    { key: keys.mintingEnabled, value: enabled },
    { key: keys.interest, value: { kind: 'amount', value: interest } },
  ]);
}

export interface UpdateLoanToken extends SetLoanToken {
  readonly tokenTx: Hash256;
}

/** Changes the names and terms of a loan token. @see docs/protocol/defi.md 3.5 */
export const updateLoanToken = customTx<UpdateLoanToken>({
  type: 'x',
  name: 'UpdateLoanToken',
  since: 'fortCanning',
  codec: struct<UpdateLoanToken>({ ...loanTokenFields, tokenTx: hash256 }),
  apply(context, body) {
    const { view } = context;
    requireShape(context);
    requireLoanAuthority(context);
    requireInterest(context, body.interest);
    const found = tokenByCreation(view, body.tokenTx);
    if (!found || !isLoanToken(view, found.id)) throw new TxRejected(`Loan token (${formatHash(body.tokenTx)}) does not exist!`);
    const { symbol, name } = changedNames(found.token, body);
    const flags = body.mintable ? found.token.flags | TokenFlag.mintable : found.token.flags & ~TokenFlag.mintable;
    alterToken(context, found, { ...found.token, symbol, name, flags }, found.token.creationHeight);
    if (areAttributes(context)) {
      setLoanAttributes(context, found.id, body);
      return;
    }
    const legacy = view.get(legacyLoanTokens, found.id);
    if (!legacy) return;
    const { pair, mintable, interest } = body;
    if (formatPair(pair) !== formatPair(legacy.pair)) requireReported(view, pair);
    view.put(legacyLoanTokens, found.id, { ...legacy, pair, mintable, interest });
  },
});

type Names = Pick<SetLoanToken, 'symbol' | 'name'>;

/** New names, cut to their lengths unless they are the old ones: with the prefix of a deprecated token a symbol may be longer. */
function changedNames(old: Names, wanted: Names): Names {
  const { symbol, name } = cutTexts(wanted);
  return { symbol: wanted.symbol === old.symbol ? old.symbol : symbol, name: wanted.name === old.name ? old.name : name };
}

/** Custom transactions on loan and collateral tokens. */
export const loanTokenTypes: readonly AnyCustomTx[] = [setCollateralToken, setLoanToken, updateLoanToken];
