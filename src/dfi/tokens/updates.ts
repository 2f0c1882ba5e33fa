import { isActive } from '../../params/network.js';
import { ByteReader, bool, type Codec, DecodeError, struct } from '../../primitives/codec.js';
import { formatHash, type Hash256, hash256 } from '../../primitives/hash.js';
import { equalBytes } from '../../util/bytes.js';
import { foundationMembers, isTokenLocked } from '../attributes/features.js';
import {
  collateralScript,
  hasCollateralAuth,
  hasFoundationAuth,
  hasGovernanceAuth,
  requireCollateralAuth,
  requireFoundationAuth,
} from '../context/auth.js';
import { type AnyCustomTx, customTx, type TxContext } from '../context/custom-tx.js';
import { formattedTwice, TxRejected } from '../kernel/rejected.js';
import { isLoanToken } from '../loan-tokens/columns.js';
import {
  collateralTxOf,
  FIRST_COMMON_ID,
  hasFlag,
  type IdentifiedToken,
  movedCollaterals,
  symbolKey,
  type Token,
  type TokenFields,
  TokenFlag,
  tokenByCreation,
  tokenBySymbol,
  tokenCollaterals,
  tokenFields,
  tokenSymbols,
  tokens,
} from './columns.js';
import { renameTokenContract, type TokenContext } from './contracts.js';
import { cutText, MAX_SYMBOL, requireValidSymbol, withEndOfLife, withoutEndOfLife } from './texts.js';

export interface UpdateToken {
  readonly tokenTx: Hash256;
  readonly isDat: boolean;
}

/** First version of an update: the foundation sets or clears the DAT flag of a token. */
export const updateToken = customTx<UpdateToken>({
  type: 'N',
  name: 'UpdateToken',
  since: 'amk',
  until: 'bayfront',
  codec: struct<UpdateToken>({ tokenTx: hash256, isDat: bool }),
  apply(context, { tokenTx, isDat }) {
    const { id, token } = requireToken(context, tokenTx);
    requireFoundationAuth(context);
    if (hasFlag(token, 'dat') === isDat || id < FIRST_COMMON_ID) return;
    storeAltered(context, { id, token }, { ...token, flags: token.flags ^ TokenFlag.dat });
  },
});

/** Body of an update: the token by its creation transaction, and its new properties. */
export interface UpdateTokenAny {
  readonly tokenTx: Hash256;
  readonly token: TokenFields;
  /** True if output 1 of this transaction replaces the collateral output; undefined in messages before DF24. */
  readonly newCollateral: boolean | undefined;
}

/** Without a new collateral output, as in `defid` 3.2.8. */
function readEarlyBody(r: ByteReader): UpdateTokenAny {
  return { tokenTx: hash256.read(r), token: tokenFields.read(r), newCollateral: undefined };
}

export const updateTokenAnyBody: Codec<UpdateTokenAny> = {
  write(w, { tokenTx, token, newCollateral }) {
    hash256.write(w, tokenTx);
    tokenFields.write(w, token);
    if (newCollateral !== undefined) bool.write(w, newCollateral);
  },
  read(r) {
    const body = readEarlyBody(r);
    return r.remaining > 0 ? { ...body, newCollateral: bool.read(r) } : body;
  },
};

const NOT_CREATED = -1;

/** Changes the properties of a token, and from DF24 on its collateral output. @see docs/protocol/accounts.md 4.4 */
export const updateTokenAny = customTx<UpdateTokenAny>({
  type: 'n',
  name: 'UpdateTokenAny',
  since: 'bayfront',
  codec: updateTokenAnyBody,
  earlyCodec: { ...updateTokenAnyBody, read: readEarlyBody },
  apply(context, body) {
    const { params, height } = context;
    const found = requireToken(context, body.tokenTx);
    if (found.id === 0) throw new TxRejected("Can't alter DFI token!");
    if (isTokenLocked(context.view, found.id)) throw new TxRejected('Cannot update token during lock');
    if (hasFlag(found.token, 'poolShare')) {
      throw new TxRejected(`token ${formatHash(body.tokenTx)} is the LPS token! Can't alter pool share's tokens!`);
    }
    if (isActive(params, 'df24', height)) authoriseLate(context, found, body);
    else authorise(context, found, body);
    if (body.newCollateral) moveCollateral(context, found);
    const wanted = isActive(params, 'fortCanning', height) ? withCutSymbol(body.token) : body.token;
    // Below DF24 `defid` checks the new token, which has no creation height yet, so '/' is always allowed.
    alterToken(context, found, wanted, isActive(params, 'df24', height) ? found.token.creationHeight : NOT_CREATED);
  },
});

/** Cuts the symbol. The name is stored uncut: only operations cut it. */
function withCutSymbol(token: TokenFields): TokenFields {
  return { ...token, symbol: cutText(token.symbol, MAX_SYMBOL) };
}

/** True if an update makes output 1 the collateral of its token; false also if the body cannot be decoded. */
export function movesCollateral(body: Uint8Array): boolean {
  try {
    return updateTokenAnyBody.read(new ByteReader(body)).newCollateral ?? false;
  } catch (error) {
    if (error instanceof DecodeError) return false;
    throw error;
  }
}

/** Custom transactions that update tokens. */
export const tokenUpdateTypes: readonly AnyCustomTx[] = [updateToken, updateTokenAny];

function requireToken({ view }: TxContext, creationTx: Hash256): IdentifiedToken {
  const found = tokenByCreation(view, creationTx);
  if (!found) throw new TxRejected(`token with creationTx ${formatHash(creationTx)} does not exist`);
  return found;
}

/** Until DF24: requires the foundation if the collateral output is a member's, otherwise the owner of the collateral output. */
function authorise(context: TxContext, { token: old }: IdentifiedToken, { token, newCollateral }: UpdateTokenAny): void {
  const { params, height, view } = context;
  if (newCollateral) throw new TxRejected('Collateral address update is not allowed before DF24Height');
  if (isActive(params, 'metachain', height) && hasFlag(token, 'deprecated')) {
    throw new TxRejected('Token cannot be deprecated below DF24Height');
  }
  const owner = collateralScript(context, old.creationTx);
  const isFoundations = foundationMembers(view, params).some((member) => equalBytes(member, owner));
  if (isFoundations) requireFoundationAuth(context);
  else requireCollateralAuth(context, old.creationTx);
  if (hasFlag(token, 'dat') === hasFlag(old, 'dat')) return;
  if (isActive(params, 'df23', height)) throw new TxRejected('Cannot change isDAT flag after DF23Height');
  if (isActive(params, 'bayfrontMarina', height) && !hasFoundationAuth(context)) {
    const isLate = isActive(params, 'metachain', height);
    const late = 'Foundation auth required to change isDAT flag';
    throw new TxRejected(isLate ? late : "can't set isDAT to true, tx not from foundation member");
  }
}

/** From DF24 on: the owner of the collateral output, also of a moved one. Foundation and governance may only toggle deprecation. */
function authoriseLate(context: TxContext, { id, token: old }: IdentifiedToken, { token, newCollateral }: UpdateTokenAny): void {
  if (hasFlag(token, 'dat') !== hasFlag(old, 'dat')) throw new TxRejected('Cannot change isDAT flag after DF23Height');
  if (hasCollateralAuth(context, collateralTxOf(context.view, id, old))) return;
  if (!hasFoundationAuth(context) && !hasGovernanceAuth(context)) throw new TxRejected('Authentication failed for token owner');
  if (isLoanToken(context.view, id)) return;
  const onlyDeprecation =
    (token.flags ^ old.flags) === TokenFlag.deprecated &&
    withCutSymbol(token).symbol === old.symbol &&
    token.name === old.name &&
    !newCollateral;
  if (!onlyDeprecation) throw new TxRejected('Only token deprecation toggle is allowed by governance');
}

function moveCollateral({ view, tx, params }: TxContext, { id, token }: IdentifiedToken): void {
  const [first, output] = tx.vout;
  if (first?.tokenId !== 0 || output?.tokenId !== 0 || output.value !== params.token.collateral) {
    throw new TxRejected('malformed tx vouts (wrong creation fee or collateral amount)');
  }
  const before = collateralTxOf(view, id, token);
  view.delete(movedCollaterals, before);
  view.put(movedCollaterals, tx.txid, id);
  view.put(tokenCollaterals, id, tx.txid);
}

/**
 * Steps that all updates of a token share.
 * @param createdAt height that decides about '/' in the symbol
 * @throws {TxRejected}
 */
export function alterToken(context: TxContext, found: IdentifiedToken, wanted: TokenFields, createdAt: number): void {
  const { params, height } = context;
  const { token: old } = found;
  if (hasFlag(old, 'finalized')) throw new TxRejected("can't alter 'Finalized' tokens");
  const isMetachain = isActive(params, 'metachain', height);
  // `defid` 3.2.8 does not know the flag, nor the prefix.
  const isDeprecated = isMetachain && hasFlag(wanted, 'deprecated');
  const bare = isMetachain ? withoutEndOfLife(wanted.symbol) : wanted.symbol;
  const isUnchecked = isMetachain && !isActive(params, 'df23', height);
  if (!isUnchecked) requireValidSymbol(bare, { createdAt, height }, params);
  const taken = TokenFlag.dat | TokenFlag.mintable | TokenFlag.tradeable | (isMetachain ? TokenFlag.deprecated : 0);
  storeAltered(context, found, {
    ...old,
    name: wanted.name,
    symbol: isDeprecated ? withEndOfLife(bare) : bare,
    // `finalized` can be set but not cleared.
    flags: (old.flags & ~taken) | (wanted.flags & (taken | TokenFlag.finalized)),
  });
}

/** Stores a changed token, its new symbol key and the names in its contract. @throws {TxRejected} if another token has that key */
export function storeAltered(context: TokenContext, { id, token: old }: IdentifiedToken, token: Token): void {
  const { view } = context;
  if (old.symbol !== token.symbol || hasFlag(old, 'dat') !== hasFlag(token, 'dat')) {
    const key = symbolKey(token, id);
    if (tokenBySymbol(view, key)) throw new TxRejected(formattedTwice(`token with key '${key}' already exists!`, context));
    view.delete(tokenSymbols, symbolKey(old, id));
    view.put(tokenSymbols, key, id);
  }
  renameTokenContract(context, id, old, token);
  view.put(tokens, id, token);
}
