import type {
  BurnTokensRequest,
  BurnTokensResponse,
  MintTokensRequest,
  MintTokensResponse,
} from '../../../../gen/ts/dfi/node/v1/tokens.js';
import { isFeatureOn } from '../../../dfi/attributes/features.js';
import { COLLATERAL_OUTPUT } from '../../../dfi/context/auth.js';
import type { Balances } from '../../../dfi/kernel/amounts.js';
import { collateralTxOf, getToken, hasFlag } from '../../../dfi/tokens/columns.js';
import { hasConsortiums } from '../../../dfi/tokens/consortium.js';
import { consortiumMembers } from '../../../dfi/tokens/consortium-totals.js';
import { burnToken as burn, mintToken as mint } from '../../../dfi/tokens/transactions.js';
import { isActive } from '../../../params/network.js';
import type { OutPoint } from '../../../primitives/outpoint.js';
import { rawJson } from '../../../rpc/bind.js';
import type { Handler } from '../../../rpc/handler.js';
import { asArray, asString } from '../../../rpc/scalars.js';
import { EMPTY_BYTES } from '../../../util/bytes.js';
import { invalidParameter, type NodeError } from '../../../util/errors.js';
import { JsonObject, type JsonValue } from '../../../util/json.js';
import { Ownership } from '../../../wallet/keys/ownership.js';
import type { Wallet } from '../../../wallet/wallet.js';
import { amountsAsJson, readBalances } from '../../format/account-amounts.js';
import { readInputs, readJsonInputs } from '../../format/inputs.js';
import { parseOwner } from '../../format/owner.js';
import { sendFor, spendingWallet } from '../../wallet/spend/custom-tx.js';
import type { NodeModules } from '../modules.js';

type Modules = Pick<NodeModules, 'wallets' | 'chain'>;

interface MintArguments {
  readonly balances: Balances;
  readonly inputs: readonly OutPoint[] | undefined;
  /** Empty for the token's owner. */
  readonly to: Uint8Array;
}

/** @see docs/protocol/accounts.md 4.5, 6.4 */
export const mintTokens: Handler<Modules, MintTokensRequest, MintTokensResponse> = (modules, request, call) => {
  const wallet = spendingWallet(modules, call, 'mint tokens');
  const { balances, inputs, to } = readMint(request, modules);
  const authorities = inputs ? {} : authoritiesOf(wallet, balances, modules);
  return sendFor(wallet, call, { definition: mint, body: { balances, to }, inputs, ...authorities });
};

/** Reads the arguments, passed one by one or as members of the first. */
function readMint(request: MintTokensRequest, { chain }: Modules): MintArguments {
  const json = rawJson(request, 'amounts');
  if (json instanceof JsonObject) return readMintObject(json, { chain });
  const balances = readBalances(json === undefined ? amountsAsJson(request.amounts ?? { form: undefined }) : json, '', chain.state);
  const { to } = request;
  // An explicit null is an error of its type.
  if (rawJson(request, 'to') === null) asString(null);
  return { balances, to: to === undefined ? EMPTY_BYTES : parseOwner(to, chain), inputs: readInputs(request) };
}

function readMintObject(json: JsonObject, { chain }: Pick<Modules, 'chain'>): MintArguments {
  const balances = readBalances(asArray(json.get('amounts') ?? null), '', chain.state);
  const inputs = json.get('inputs');
  if (inputs !== undefined) asArray(inputs);
  const to = json.get('to');
  const owner = to === undefined ? EMPTY_BYTES : parseOwner(asString(to), chain);
  return { balances, to: owner, inputs: inputs === undefined ? undefined : readJsonInputs(inputs) };
}

/**
 * Scripts that must authorise minting: the owners of the tokens that the wallet has; before DF24 also, for each DAT, the wallet's
 * members of its consortium, or the foundation if there are none.
 */
function authoritiesOf(wallet: Wallet, balances: Balances, { chain }: Modules) {
  const auths: Uint8Array[] = [];
  let needsFoundation = false;
  const isLate = isActive(chain.params, 'df24', chain.tip.height + 1);
  for (const { tokenId } of balances) {
    const token = getToken(chain.state, tokenId);
    if (!token) throw invalidParameter(`Token ${tokenId} does not exist!`);
    if (!isLate && hasFlag(token, 'dat')) {
      const members = ownMembers(wallet, tokenId, chain);
      auths.push(...members);
      if (members.length === 0) needsFoundation = true;
    }
    const txid = isLate ? collateralTxOf(chain.state, tokenId, token) : token.creationTx;
    const owner = chain.coin({ txid, vout: COLLATERAL_OUTPUT })?.out.scriptPubKey;
    if (owner && wallet.ownershipOf(owner) !== Ownership.None) auths.push(owner);
  }
  return { auths, member: needsFoundation ? ('foundation' as const) : undefined };
}

/** Scripts of the token's consortium members that the wallet owns. */
function ownMembers(wallet: Wallet, tokenId: number, { params, state, tip }: Modules['chain']): Uint8Array[] {
  if (!hasConsortiums({ params, height: tip.height + 1 }) || !isFeatureOn(state, 'consortium')) return [];
  return consortiumMembers(state, tokenId)
    .map(({ owner }) => owner)
    .filter((owner) => wallet.ownershipOf(owner) !== Ownership.None);
}

const NO_SENDER = 'No valid addresses could be found, use the "from" argument to set address to burn from';

/** @see docs/protocol/accounts.md 4.6 */
export const burnTokens: Handler<Modules, BurnTokensRequest, BurnTokensResponse> = (modules, request, call) => {
  const wallet = spendingWallet(modules, call, 'burn tokens');
  const { chain } = modules;
  const { amounts: text, from: sender, context: receiver } = request.metadata ?? {};
  if (text === undefined) throw missing('amounts');
  const amounts = readBalances(text as JsonValue, '', chain.state);
  const from = sender === undefined ? memberToBurn(wallet, amounts, receiver, modules) : parseOwner(sender, chain);
  const context = receiver === undefined ? undefined : parseOwner(receiver, chain);
  return sendFor(wallet, call, { definition: burn, body: { amounts, from, burnType: 0, context }, auths: [from] });
};

/** Default sender of a burn: the first member of the token's consortium that the wallet owns. */
function memberToBurn(wallet: Wallet, amounts: Balances, receiver: string | undefined, { chain }: Modules): Uint8Array {
  const [only, ...others] = amounts;
  if (!only || others.length > 0 || receiver !== undefined) throw missing('from');
  const [member] = ownMembers(wallet, only.tokenId, chain);
  if (!member) throw invalidParameter(NO_SENDER);
  return member;
}

function missing(argument: string): NodeError {
  return invalidParameter(`Invalid parameters, argument "${argument}" must not be null`);
}
