import type { DefinedTx } from '../../dfi/context/custom-tx.js';
import { encode } from '../../primitives/codec.js';
import { type Transaction, type TransactionFields, TX_VERSION_TOKENS, type TxOut, txOutSize } from '../../primitives/transaction.js';
import { type Destination, destinationOf } from '../../script/address.js';
import { customTxScript } from '../../script/custom-tx.js';
import { concatBytes } from '../../util/bytes.js';
import { NodeError } from '../../util/errors.js';
import type { Wallet } from '../wallet.js';
import { type Authorisation, authorise } from './auth.js';
import { makeAuthTx, paysEvmAddress } from './auth-tx.js';
import type { CoinReservation } from './coin-reservation.js';
import { finalInput, fund, leastOutput, nextVersion, spendableOutputs } from './draft.js';
import type { ChangeRule, CustomTxRequest } from './request.js';

/** A custom transaction without signatures; funded if it can be sent. */
export interface BuiltCustomTx {
  readonly draft: TransactionFields;
  /** Signed auto-auth transaction, to be sent first; undefined if every required signer has a coin. */
  readonly auth: Transaction | undefined;
  /** True if the auto-auth transaction pays an EVM address, which no node relays: the custom transaction can only be tested, unsigned. */
  readonly isTestOnly: boolean;
}

/**
 * Builds the transaction that an operation requests and reserves its coins. Outputs, in order: message, outputs of the request, change,
 * minted outputs. Inputs, in order: coins that authorise, inputs of the request, coins that pay. A transaction that can only be tested has
 * no coins that pay and no change.
 * @throws {NodeError}
 * @see docs/protocol/accounts.md 6.4
 */
export function buildCustomTx<Body>(wallet: Wallet, request: CustomTxRequest<Body>, reservation: CoinReservation): BuiltCustomTx {
  const { inputs, auths = [], spends = [], outputs = [], mints = [], change = 'sole-auth', payer, coinSearch } = request;
  const named = inputs && inputs.length > 0;
  const { found, auth } = named ? { found: { scripts: auths, inputs } } : authoriseSomehow(wallet, request, reservation);
  const proofs = auth ? spendableOutputs(auth).map(({ point }) => point) : [];
  for (const point of proofs) reservation.add(point);
  const draft = {
    version: nextVersion(wallet),
    vin: [...found.inputs, ...proofs, ...spends].map(finalInput),
    vout: [messageOutput(wallet, request), ...outputs, ...collateral(wallet, request, found.scripts)],
    lockTime: 0,
  };
  const isTestOnly = auth !== undefined && paysEvmAddress(auth);
  const changeTo = changeDestination(wallet, change, found.scripts);
  // `defid` funds before it tests. Here the size of an input that spends a payment to an EVM address is unknown, as the wallet cannot sign it.
  const paid = isTestOnly ? draft : fund(wallet, draft, { auth, changeTo, payer, coinSearch }, reservation);
  return { draft: mints.length > 0 ? withMinted(paid, request) : paid, auth, isTestOnly };
}

interface Authorised {
  readonly found: Pick<Authorisation, 'scripts' | 'inputs'>;
  readonly auth?: Transaction | undefined;
}

/** Authorises for the required signers; if that fails, and the request has one, by the member in their place. */
function authoriseSomehow<Body>(wallet: Wallet, request: CustomTxRequest<Body>, reservation: CoinReservation): Authorised {
  const { memberInstead, coinSearch } = request;
  const attempt = (signers: Pick<CustomTxRequest<Body>, 'auths' | 'member'>) => {
    const found = authorise(wallet, signers, reservation);
    return { found, auth: found.missing.length > 0 ? makeAuthTx(wallet, found.missing, coinSearch, reservation) : undefined };
  };
  try {
    return attempt(request);
  } catch (error) {
    if (!memberInstead || !(error instanceof NodeError)) throw error;
    return attempt({ member: memberInstead });
  }
}

/** The first output, padded by the size of the minted outputs. They are added after funding, and the fee must pay for them too. */
function messageOutput<Body>(wallet: Wallet, { definition, body, burns = 0n, burnsToken = 0, mints = [] }: CustomTxRequest<Body>): TxOut {
  const bytes = encodeBody(definition, bodyOf(body, 0));
  const padding = new Uint8Array(mints.reduce((sum, out) => sum + sizeOf(wallet, out) + PADDING_SIZE, 0));
  return { value: burns, scriptPubKey: customTxScript({ type: definition.type, body: concatBytes(bytes, padding) }), tokenId: burnsToken };
}

/**
 * Collateral of a loan token, paid to the first required signer. Without one it stays with the owner of the first input that the client
 * named.
 */
function collateral<Body>(wallet: Wallet, { holdsCollateral, inputs = [] }: CustomTxRequest<Body>, auths: readonly Uint8Array[]): TxOut[] {
  const [first] = inputs;
  const script = auths[0] ?? (first && wallet.deps.chain.coin(first)?.out.scriptPubKey);
  return holdsCollateral && script ? [leastOutput(wallet, script)] : [];
}

/** Bytes that `defid` reserves for each minted output in addition to the output itself. */
const PADDING_SIZE = 11;

function sizeOf({ deps: { chain } }: Wallet, out: TxOut): number {
  return txOutSize(out, TX_VERSION_TOKENS, chain.params.txFormat);
}

function bodyOf<Body>(body: CustomTxRequest<Body>['body'], mintedFrom: number): Body {
  return typeof body === 'function' ? (body as (mintedFrom: number) => Body)(mintedFrom) : body;
}

function encodeBody<Body>({ codec, name }: DefinedTx<Body>, body: Body): Uint8Array {
  if (!codec) throw new Error(`${name} has no codec to encode its message with`);
  return encode(codec, body);
}

/** Appends the minted outputs and encodes the message again, now that the index of the first of them is known. */
function withMinted<Body>(draft: TransactionFields, { definition, body, mints = [] }: CustomTxRequest<Body>): TransactionFields {
  const [first, ...rest] = draft.vout;
  const scriptPubKey = customTxScript({ type: definition.type, body: encodeBody(definition, bodyOf(body, draft.vout.length)) });
  return { ...draft, vout: [{ ...(first as TxOut), scriptPubKey }, ...rest, ...mints] };
}

/** Change is the wallet's own, so it is never paid to an impersonated owner. */
function changeDestination({ keys }: Wallet, rule: ChangeRule, scripts: readonly Uint8Array[]): Destination | undefined {
  if (typeof rule === 'object') return rule;
  const [first] = scripts;
  return first && !keys.impersonates(first) && (rule === 'first-auth' || scripts.length === 1) ? destinationOf(first) : undefined;
}
