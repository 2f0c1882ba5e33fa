import { isActive } from '../../params/network.js';
import { type Codec, i32, struct, u8, varBytes } from '../../primitives/codec.js';
import { formatHash, NULL_HASH } from '../../primitives/hash.js';
import { destinationOf } from '../../script/address.js';
import { EMPTY_BYTES } from '../../util/bytes.js';
import { isFeatureOn } from '../attributes/features.js';
import { collateralScript, hasAuth, hasFoundationAuth, requireAuth, requireFoundationOrGovernance } from '../context/auth.js';
import { type AnyCustomTx, customTx, type TxContext } from '../context/custom-tx.js';
import { type Balances, balances, type TokenAmount } from '../kernel/amounts.js';
import type { WriteContext } from '../kernel/block-context.js';
import { formattedTwice, TxRejected } from '../kernel/rejected.js';
import { isLoanToken } from '../loan-tokens/columns.js';
import { materialiseRewards } from '../rewards/owner-rewards.js';
import { requireFeeAndCollateral } from './collateral.js';
import {
  collateralTxOf,
  FIRST_COMMON_ID,
  getToken,
  hasFlag,
  isDestroyed,
  nextAssetId,
  putToken,
  reserveCommonId,
  type Token,
  type TokenFields,
  tokenByCreation,
  tokenBySymbol,
  tokenFields,
} from './columns.js';
import { countMemberBurn, hasConsortiums, mintAsMember } from './consortium.js';
import { deployTokenContract, type TokenContext } from './contracts.js';
import { addMinted } from './minted.js';
import { cutTexts, requireValidSymbol } from './texts.js';
import { tokenUpdateTypes } from './updates.js';

/** Creates a token, which belongs to the owner of output 1. Needs no authorisation, except for DATs. */
export const createToken = customTx<TokenFields>({
  type: 'T',
  name: 'CreateToken',
  since: 'amk',
  codec: tokenFields,
  feeBurn: (value) => value,
  apply(context, fields) {
    const { tx, params, height } = context;
    requireFeeAndCollateral(tx, params.token.creationFee, params.token.collateral);
    if (hasFlag(fields, 'dat')) requireFoundationOrGovernance(context);
    if (isActive(params, 'bayfront', height) && hasFlag(fields, 'poolShare')) {
      // `defid` has the typing error in its text before Metachain.
      const cannot = isActive(params, 'metachain', height) ? "Can't" : "Cant't";
      throw new TxRejected(`${cannot} manually create 'Liquidity Pool Share' token; use poolpair creation`);
    }
    addToken(context, fields);
  },
});

/** Creates a token and returns its id. @throws {TxRejected} */
export function addToken(context: TxContext, fields: TokenFields, maxSymbol?: number): number {
  const { tx, height } = context;
  return storeNewToken(context, {
    ...cutTexts(fields, maxSymbol),
    minted: 0n,
    creationTx: tx.txid,
    destructionTx: NULL_HASH,
    creationHeight: height,
    destructionHeight: -1,
  });
}

/** Assigns an id to a token and stores it. @throws {TxRejected} */
export function storeNewToken(context: TokenContext, token: Token): number {
  const { view, params, height } = context;
  if (tokenByCreation(view, token.creationTx)) {
    throw new TxRejected(`token with creation tx ${formatHash(token.creationTx)} already exists!`);
  }
  requireValidSymbol(token.symbol, { createdAt: height, height }, params);
  const id = takeTokenId(context, token);
  deployTokenContract(context, id, token);
  putToken(view, id, token);
  return id;
}

/** @throws {TxRejected} if a DAT of that symbol exists */
function takeTokenId(context: WriteContext, token: Token): number {
  const { view, params, height } = context;
  if (!hasFlag(token, 'dat')) return reserveCommonId(view);
  if (tokenBySymbol(view, token.symbol)) throw new TxRejected(formattedTwice(`token '${token.symbol}' already exists!`, context));
  const id = nextAssetId(view);
  if (id < FIRST_COMMON_ID) return id;
  if (!isActive(params, 'bayfront', height)) {
    throw new TxRejected('Critical fault: trying to create DCT_ID same as DCT_ID_START for Foundation owner\n');
  }
  return reserveCommonId(view);
}

export interface MintToken {
  readonly balances: Balances;
  /** Recipient script; empty for the token's owner. */
  readonly to: Uint8Array;
}

/** Messages of old versions end after the balances. */
const mintTokenBody: Codec<MintToken> = {
  write(w, { balances: amounts, to }) {
    balances.write(w, amounts);
    varBytes.write(w, to);
  },
  read: (r) => ({ balances: balances.read(r), to: r.remaining > 0 ? varBytes.read(r) : EMPTY_BYTES }),
};

/** Mints tokens for their owners, for the minting consortium member, or for the named recipient. @see docs/protocol/accounts.md 4.5 */
export const mintToken = customTx<MintToken>({
  type: 'M',
  name: 'MintToken',
  since: 'amk',
  mustSucceed: true,
  codec: mintTokenBody,
  apply(context, { balances: amounts, to }) {
    if (to.length > 0 && !mintsToAddresses(context)) {
      throw new TxRejected('Mint tokens to address is not enabled');
    }
    for (const amount of amounts) mintOne(context, amount, to);
  },
});

/** Enabled by default on regtest from Metachain on; elsewhere an attribute has to enable it. */
function mintsToAddresses({ view, params, height }: TxContext): boolean {
  return isFeatureOn(view, 'mint-tokens-to-address', params.isRegtest && isActive(params, 'metachain', height));
}

function mintOne(context: TxContext, { tokenId, amount }: TokenAmount, to: Uint8Array): void {
  const { view, accounts } = context;
  if (isClosedLoanToken(context, tokenId)) throw new TxRejected('Loan tokens cannot be minted');
  const token = getToken(view, tokenId);
  if (!token) throw new TxRejected(`token ${tokenId} does not exist!`);
  const owner = collateralScript(context, collateralTxOf(view, tokenId, token));
  const isOwner = hasAuth(context, owner);
  requireMintable(context, tokenId, token, isOwner);
  const member = isMintingOpen(context) ? undefined : mintAsMember(context, token, { tokenId, amount }, isOwner);
  addMinted(view, { tokenId, amount });
  if (to.length > 0 && !destinationOf(to)) throw new TxRejected("Invalid 'to' address provided");
  const recipient = to.length > 0 ? to : (member ?? owner);
  materialiseRewards(view, recipient, context);
  accounts.add(recipient, { tokenId, amount });
}

/** Loan tokens cannot be minted on main. From Fort Canning Crunch until Metachain this is checked first, with an error text of its own. */
function isClosedLoanToken({ view, params, height }: TxContext, tokenId: number): boolean {
  const isThen = isActive(params, 'fortCanningCrunch', height) && !isActive(params, 'metachain', height);
  return isThen && params.name === 'main' && isLoanToken(view, tokenId);
}

/** On regtest any caller may mint, unless the parameters ask for the rules of main. */
function isMintingOpen({ params }: TxContext): boolean {
  return params.isRegtest && !params.token.mintAsOnMain;
}

function requireMintable(context: TxContext, id: number, token: Token, isOwner: boolean): void {
  const { view, params, height } = context;
  if (isDestroyed(token)) {
    const tx = formatHash(token.destructionTx);
    throw new TxRejected(`token ${token.symbol} already destroyed at height ${token.destructionHeight} by tx ${tx}`);
  }
  if (!isActive(params, 'bayfront', height)) {
    if (id < FIRST_COMMON_ID) throw new TxRejected(`token ${id} is a 'stable coin', can't mint stable coin!`);
    if (!isOwner) throw new TxRejected('tx must have at least one input from token owner');
    return;
  }
  if (id === 0) {
    if (params.isRegtest && isActive(params, 'metachain', height)) return;
    throw new TxRejected("can't mint default DFI coin!");
  }
  if (hasFlag(token, 'poolShare')) throw new TxRejected(`can't mint LPS token ${id}!`);
  const isForbiddenLoan = params.name === 'main' && !params.mocknet && isLoanToken(view, id);
  if (!hasFlag(token, 'mintable') || isForbiddenLoan) throw new TxRejected(`token ${id} is not mintable!`);
  if (isOwner || isMintingOpen(context)) return;
  if (!hasFlag(token, 'dat') || isActive(params, 'df24', height)) {
    throw new TxRejected('tx must have at least one input from token owner');
  }
  // Consortiums have rules of their own, which are checked later.
  if (!hasConsortiums(context) && !hasFoundationAuth(context)) throw new TxRejected('token is DAT and tx not from foundation member');
}

/** Satoshis by token, and the script of the account that they are burnt from. */
export interface BurnToken {
  readonly amounts: Balances;
  readonly from: Uint8Array;
  /** Ignored, because there is one kind of burn. */
  readonly burnType: number;
  /** Consortium member on whose behalf tokens are burnt; if missing or empty, `from`. */
  readonly context: Uint8Array | undefined;
}

/** Variant: an index, 0 for a script, which follows; for any other index nothing follows. */
const burnContext: Codec<Uint8Array | undefined> = {
  write(w, value) {
    i32.write(w, 0);
    varBytes.write(w, value ?? EMPTY_BYTES);
  },
  read: (r) => (i32.read(r) === 0 ? varBytes.read(r) : undefined),
};

/** Moves amounts of an owner, who must authorise, to the burn address. */
export const burnToken = customTx<BurnToken>({
  type: 'F',
  name: 'BurnToken',
  since: 'grandCentral',
  codec: struct<BurnToken>({ amounts: balances, from: varBytes, burnType: u8, context: burnContext }),
  apply(context, { amounts, from, context: member }) {
    const { view, accounts, params } = context;
    if (amounts.length === 0) throw new TxRejected('tx must have balances to burn');
    requireAuth(context, from);
    for (const amount of amounts) {
      countMemberBurn(context, member && member.length > 0 ? member : from, amount);
      materialiseRewards(view, from, context);
      accounts.move(from, params.scripts.burn, amount);
    }
  },
});

/** Custom transactions that create, mint and burn tokens. */
export const tokenTypes: readonly AnyCustomTx[] = [createToken, mintToken, burnToken, ...tokenUpdateTypes];
