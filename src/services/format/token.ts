import type { Token as ShownToken } from '../../../gen/ts/dfi/node/v1/tokens.js';
import type { Chain } from '../../chain/chain.js';
import { coins } from '../../chain/coins.js';
import { storedAttributes, valueAs } from '../../dfi/attributes/attributes.js';
import { COLLATERAL_OUTPUT } from '../../dfi/context/auth.js';
import { readableText } from '../../dfi/kernel/text.js';
import { loanAttributes } from '../../dfi/loan-tokens/columns.js';
import { collateralTxOf, hasFlag, type IdentifiedToken, symbolKey, tokens } from '../../dfi/tokens/columns.js';
import { findTokenByText } from '../../dfi/tokens/queries.js';
import { formatHash } from '../../primitives/hash.js';
import { cacheJson } from '../../rpc/write.js';
import { ownerText } from '../../script/address.js';
import { Projection } from '../../storage/projection.js';
import type { StateView } from '../../storage/view.js';
import { invalidParameter } from '../../util/errors.js';

/** Chain access for tokens and their collateral outputs. */
type TokenChain = Pick<Chain, 'params' | 'state'>;

/** Token that a text names. @throws {NodeError} `invalid-parameter` */
export function requireToken(view: StateView, text: string): IdentifiedToken {
  const found = findTokenByText(view, text);
  if (!found) throw invalidParameter(`Token ${text} does not exist!`);
  return found;
}

/** Members of a token in a list that is not verbose. */
export function formatTokenNames({ id, token }: IdentifiedToken): Pick<ShownToken, 'symbol' | 'symbolkey' | 'name'> {
  return { symbol: readableText(token.symbol), symbolkey: readableText(symbolKey(token, id)), name: readableText(token.name) };
}

/** Tokens that are kept in the form in which operations show them. */
const KEPT_TOKENS = 1_000;
const shownTokens = new Projection<ShownToken>(KEPT_TOKENS);

/**
 * Token as operations show it. The object may be shared with other results: treat it as frozen.
 * @param found read from that state
 */
export function formatToken(found: IdentifiedToken, { state, params }: TokenChain): ShownToken {
  return shownTokens.of(state, String(found.id), (view) => cacheJson(describe(found, { state: view, params })), [tokens]);
}

function describe(found: IdentifiedToken, chain: TokenChain): ShownToken {
  const { id, token } = found;
  // Written out, because spreading takes longer than all the rest.
  return {
    symbol: readableText(token.symbol),
    symbolkey: readableText(symbolKey(token, id)),
    name: readableText(token.name),
    decimal: token.decimal,
    limit: token.limit,
    mintable: hasFlag(token, 'mintable'),
    tradeable: hasFlag(token, 'tradeable'),
    isDat: hasFlag(token, 'dat'),
    isLps: hasFlag(token, 'poolShare'),
    finalized: hasFlag(token, 'finalized'),
    isloantoken: hasFlag(token, 'loanToken') || isLoanToken(id, chain.state),
    minted: token.minted,
    creationtx: formatHash(token.creationTx),
    creationheight: token.creationHeight,
    destructiontx: formatHash(token.destructionTx),
    destructionheight: token.destructionHeight,
    collateraladdress: hasFlag(token, 'poolShare') ? 'undefined' : collateralAddress(found, chain),
  };
}

/** True if the attributes define the token as a loan token. */
function isLoanToken(id: number, view: StateView): boolean {
  const source = storedAttributes(view);
  const { mintingEnabled, interest } = loanAttributes(id);
  return (valueAs(source, mintingEnabled, 'bool') ?? false) && source.get(interest) !== undefined;
}

/** Empty if the collateral output is spent; the hex of its script if that has no address. */
function collateralAddress({ id, token }: IdentifiedToken, chain: TokenChain): string {
  const collateral = chain.state.get(coins, { txid: collateralTxOf(chain.state, id, token), vout: COLLATERAL_OUTPUT });
  return collateral ? ownerText(collateral.out.scriptPubKey, chain.params.address) : '';
}
