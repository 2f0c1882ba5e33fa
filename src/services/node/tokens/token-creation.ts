import type {
  CreateTokenRequest,
  CreateTokenResponse,
  TokenChanges,
  UpdateTokenRequest,
  UpdateTokenResponse,
} from '../../../../gen/ts/dfi/node/v1/tokens.js';
import { foundationMembers } from '../../../dfi/attributes/features.js';
import { COLLATERAL_OUTPUT } from '../../../dfi/context/auth.js';
import { byteText, readableText } from '../../../dfi/kernel/text.js';
import { isLoanToken } from '../../../dfi/loan-tokens/columns.js';
import {
  collateralTxOf,
  getToken,
  hasFlag,
  type IdentifiedToken,
  type TokenFields,
  TokenFlag,
  type TokenFlagName,
} from '../../../dfi/tokens/columns.js';
import { tokenIdByText } from '../../../dfi/tokens/queries.js';
import { cutTexts } from '../../../dfi/tokens/texts.js';
import { createToken as creation } from '../../../dfi/tokens/transactions.js';
import { updateTokenAny, updateToken as updateTokenEarly } from '../../../dfi/tokens/updates.js';
import { isActive } from '../../../params/network.js';
import type { TxOut } from '../../../primitives/transaction.js';
import { rawJson } from '../../../rpc/bind.js';
import type { CallContext, Handler } from '../../../rpc/handler.js';
import { type Destination, destinationOf, scriptOf } from '../../../script/address.js';
import { EMPTY_BYTES, equalBytes } from '../../../util/bytes.js';
import { invalidParameter, NodeError } from '../../../util/errors.js';
import { JsonObject } from '../../../util/json.js';
import { UINT64_MAX } from '../../../util/numbers.js';
import { trimBlanks } from '../../../util/trim.js';
import type { CustomTxRequest } from '../../../wallet/custom-tx/request.js';
import type { Wallet } from '../../../wallet/wallet.js';
import { parseDestination } from '../../format/destination.js';
import { readInputs } from '../../format/inputs.js';
import { lenientFlag } from '../../format/options-object.js';
import { sendFor, spendingWallet } from '../../wallet/spend/custom-tx.js';
import type { NodeModules } from '../modules.js';

type Modules = Pick<NodeModules, 'wallets' | 'chain'>;

const NO_METADATA = 'Invalid parameters, arguments 1 must be non-null and expected as object at least with {"symbol","collateralAddress"}';
const DECIMALS = 8;

/** @see docs/protocol/accounts.md 4.2, 6.4 */
export const createToken: Handler<Modules, CreateTokenRequest, CreateTokenResponse> = (modules, request, call) => {
  const wallet = spendingWallet(modules, call, 'create token');
  const { params, tip } = modules.chain;
  if (rawJson(request, 'metadata') === null || !request.metadata) throw invalidParameter(NO_METADATA);
  const { metadata } = request;
  const address = metadata.collateraladdress ?? '';
  const destination = parseDestination(address, modules.chain);
  if (!destination) throw invalidParameter(`collateralAddress (${address}) does not refer to any valid address`);
  const isDat = lenientFlag(metadata, 'isDat', () => metadata.isDat) ?? false;
  const flags = withFlags(TokenFlag.mintable | TokenFlag.tradeable | (isDat ? TokenFlag.dat : 0), {
    tradeable: lenientFlag(metadata, 'tradeable', () => metadata.tradeable),
    mintable: lenientFlag(metadata, 'mintable', () => metadata.mintable),
  });
  const texts = cutTexts({ symbol: byteText(metadata.symbol ?? ''), name: byteText(metadata.name ?? '') });
  if (texts.name === '' && isActive(params, 'metachain', tip.height + 1)) throw invalidParameter('Token name should not be empty');
  return sendFor(wallet, call, {
    definition: creation,
    body: { ...texts, decimal: DECIMALS, limit: 0n, flags },
    member: isDat ? 'foundation-or-governance' : undefined,
    inputs: readInputs(request),
    burns: params.token.creationFee,
    outputs: [collateralFor(destination, params.token.collateral)],
  });
};

/** Sets and clears flags; flags without a value stay as they are. */
function withFlags(flags: number, values: Readonly<Partial<Record<TokenFlagName, boolean | undefined>>>): number {
  let changed = flags;
  for (const [name, on] of Object.entries(values)) {
    const flag = TokenFlag[name as TokenFlagName];
    if (on !== undefined) changed = on ? changed | flag : changed & ~flag;
  }
  return changed;
}

function collateralFor(destination: Destination, value: bigint): TxOut {
  return { value, scriptPubKey: scriptOf(destination), tokenId: 0 };
}

/** @see docs/protocol/accounts.md 4.3, 4.4 */
export const updateToken: Handler<Modules, UpdateTokenRequest, UpdateTokenResponse> = (modules, request, call) => {
  const wallet = spendingWallet(modules, call, 'update token');
  const { chain } = modules;
  const height = chain.tip.height + 1;
  const text = trimBlanks(request.token);
  if (text === '' && isActive(chain.params, 'metachain', chain.tip.height)) throw invalidParameter('Token name cannot be empty');
  if (rawJson(request, 'metadata') === null || !request.metadata)
    throw new NodeError('json-type', 'JSON value is not an object as expected');
  const changes = request.metadata;
  const found = requireToken(text, modules);
  const owner = ownerOf(found, modules);
  const fields = changedFields(found.token, changes, isActive(chain.params, 'metachain', height));
  const newCollateral = readNewCollateral(changes, modules);
  if (!isActive(chain.params, 'bayfront', height)) {
    requireOnlyDat(changes, chain.params.upgrades.bayfront);
    const isDat = lenientFlag(changes, 'isDat', () => changes.isDat) ?? false;
    const body = { tokenTx: found.token.creationTx, isDat };
    return sendFor(wallet, call, { definition: updateTokenEarly, body, member: 'foundation', inputs: readInputs(request) });
  }
  const isLate = isActive(chain.params, 'df24', height);
  return sendUpdate(
    wallet,
    call,
    modules,
    { found, owner, fields },
    {
      definition: updateTokenAny,
      body: { tokenTx: found.token.creationTx, token: fields, newCollateral: isLate ? newCollateral !== undefined : undefined },
      inputs: readInputs(request),
      outputs: newCollateral ? [collateralFor(newCollateral, chain.params.token.collateral)] : [],
    },
  );
};

interface Update {
  readonly found: IdentifiedToken;
  readonly owner: Uint8Array;
  readonly fields: TokenFields;
}

/**
 * Required signer: the foundation for its own tokens (from DF24 on: loan tokens), otherwise the token's owner. If the wallet cannot
 * authorise for the owner, be it for lack of the key or of coins, a foundation or governance member signs a change of `deprecated`.
 */
function sendUpdate<Body>(
  wallet: Wallet,
  call: CallContext,
  { chain }: Modules,
  { found, owner, fields }: Update,
  request: CustomTxRequest<Body>,
) {
  const { params, state, tip } = chain;
  const isFoundations = isActive(params, 'df24', tip.height + 1)
    ? isLoanToken(state, found.id)
    : foundationMembers(state, params).some((member) => equalBytes(member, owner));
  if (isFoundations) return sendFor(wallet, call, { ...request, member: 'foundation' });
  const togglesDeprecation = hasFlag(fields, 'deprecated') !== hasFlag(found.token, 'deprecated');
  return sendFor(wallet, call, { ...request, auths: [owner], memberInstead: togglesDeprecation ? 'foundation-or-governance' : undefined });
}

/** Finds the token to update. @throws {NodeError} with the error text of `defid` at the height */
function requireToken(text: string, { chain: { params, state, tip } }: Modules): IdentifiedToken {
  const isLate = isActive(params, 'metachain', tip.height + 1);
  if (isLate && text === '') throw invalidParameter('Token name cannot be empty');
  const id = tokenIdByText(state, text);
  if (!isLate && (id ?? leadingNumber(text)) === 0) throw invalidParameter("Can't alter DFI token!");
  const token = id === undefined ? undefined : getToken(state, id);
  if (id === undefined || !token) throw invalidParameter(`Token ${text} does not exist!`);
  if (id === 0) throw invalidParameter("Can't alter DFI token!");
  if (hasFlag(token, 'poolShare')) throw invalidParameter(`Token ${text} is the LPS token! Can't alter pool share's tokens!`);
  return { id, token };
}

/**
 * Id that `defid` shows for an unknown token before Metachain: the number at the start of the text, cut to 32 bits, or 0. For a text that
 * begins with a minus it depends on uninitialised memory and is mostly 0.
 */
function leadingNumber(text: string): number {
  const number = BigInt(/^\+?(\d+)/.exec(text)?.[1] ?? 0);
  return Number(BigInt.asUintN(32, number > UINT64_MAX ? UINT64_MAX : number));
}

/** Script of the collateral; empty if there is none. @throws {NodeError} before Metachain if it pays no address */
function ownerOf({ id, token }: IdentifiedToken, { chain }: Modules): Uint8Array {
  const { params, state } = chain;
  const height = chain.tip.height + 1;
  const txid = isActive(params, 'df24', height) ? collateralTxOf(state, id, token) : token.creationTx;
  const script = chain.coin({ txid, vout: COLLATERAL_OUTPUT })?.out.scriptPubKey ?? EMPTY_BYTES;
  if (!isActive(params, 'metachain', height) && !destinationOf(script)) {
    throw invalidParameter(`Can't extract destination for token's ${readableText(token.symbol)} collateral`);
  }
  return script;
}

/** Token fields after the changes. @param knowsDeprecation false before Metachain, when `defid` ignores `deprecate` */
function changedFields(token: TokenFields, changes: TokenChanges, knowsDeprecation: boolean): TokenFields {
  const texts = cutTexts({ symbol: byteText(changes.symbol ?? ''), name: byteText(changes.name ?? '') });
  const flags = withFlags(token.flags, {
    dat: lenientFlag(changes, 'isDat', () => changes.isDat),
    tradeable: lenientFlag(changes, 'tradeable', () => changes.tradeable),
    mintable: lenientFlag(changes, 'mintable', () => changes.mintable),
    deprecated: knowsDeprecation ? lenientFlag(changes, 'deprecate', () => changes.deprecate) : undefined,
    // A finalized token stays finalized.
    finalized: lenientFlag(changes, 'finalize', () => changes.finalize) || undefined,
  });
  return {
    symbol: changes.symbol === undefined ? token.symbol : texts.symbol,
    name: changes.name === undefined ? token.name : texts.name,
    decimal: token.decimal,
    limit: token.limit,
    flags,
  };
}

function readNewCollateral({ collateraladdress: text }: TokenChanges, { chain }: Modules): Destination | undefined {
  if (text === undefined) return undefined;
  const { params, tip } = chain;
  const height = tip.height + 1;
  // `defid` ignores the member before Metachain.
  if (!isActive(params, 'metachain', height)) return undefined;
  if (!isActive(params, 'df24', height)) throw invalidParameter('Collateral address update is not allowed before DF24Height');
  const destination = parseDestination(text, chain);
  if (!destination) throw new NodeError('invalid-address', `recipient (${text}) does not refer to any valid address`);
  return destination;
}

function requireOnlyDat(changes: TokenChanges, bayfront: number): void {
  const json = rawJson(changes);
  const given =
    json instanceof JsonObject
      ? json.entries.map(([name]) => name)
      : Object.entries(changes).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (given.length === 1 && ['isDAT', 'isDat'].includes(given[0] ?? '')) return;
  throw invalidParameter(`Only 'isDAT' flag modification allowed before Bayfront fork (<${bayfront})`);
}
