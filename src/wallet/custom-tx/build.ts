import type { DefinedTx } from '../../dfi/context/custom-tx.js';
import { encode } from '../../primitives/codec.js';
import { makeTransaction, type Transaction, TX_VERSION_TOKENS, type TxOut, txOutSize } from '../../primitives/transaction.js';
import { type Destination, destinationOf } from '../../script/address.js';
import { customTxScript } from '../../script/custom-tx.js';
import { concatBytes } from '../../util/bytes.js';
import type { Wallet } from '../wallet.js';
import { authorise } from './auth.js';
import { makeAuthTx } from './auth-tx.js';
import type { CoinReservation } from './coin-reservation.js';
import { finalInput, fund, nextVersion, spendableOutputs } from './draft.js';
import type { ChangeRule, CustomTxRequest } from './request.js';

/** A transaction that is paid for, without signatures. */
export interface BuiltCustomTx {
  readonly tx: Transaction;
  /** Signed: what has to be sent before it, so that those who lack a coin can show themselves. */
  readonly auth: Transaction | undefined;
}

/**
 * The transaction that an operation asks for: first the message, then the operation's outputs, change, and what is minted; first
 * the inputs that show who sends it, then those that pay. Its coins are set aside.
 * @throws {NodeError}
 * @see docs/protocol/accounts.md 6.4
 */
export function buildCustomTx<Body>(wallet: Wallet, request: CustomTxRequest<Body>, aside: CoinReservation): BuiltCustomTx {
  const { inputs, auths = [], spends = [], outputs = [], mints = [], change = 'sole-auth', payer, coinSearch } = request;
  const named = inputs && inputs.length > 0;
  const found = named ? { scripts: auths, inputs, missing: [] } : authorise(wallet, request, aside);
  const auth = found.missing.length > 0 ? makeAuthTx(wallet, found.missing, coinSearch, aside) : undefined;
  const proofs = auth ? spendableOutputs(auth).map(({ point }) => point) : [];
  for (const point of proofs) aside.add(point);
  const fields = {
    version: nextVersion(wallet),
    vin: [...found.inputs, ...proofs, ...spends].map(finalInput),
    vout: [messageOutput(wallet, request), ...outputs],
    lockTime: 0,
  };
  const funded = fund(wallet, fields, { auth, changeTo: changeDestination(change, found.scripts), payer, coinSearch }, aside);
  return { tx: mints.length > 0 ? withMinted(wallet, funded, request) : funded, auth };
}

/** The first output; it is padded by what is minted later, so that the fee covers that too. */
function messageOutput<Body>(wallet: Wallet, { definition, body, burns = 0n, burnsToken = 0, mints = [] }: CustomTxRequest<Body>): TxOut {
  const bytes = encodeBody(definition, bodyOf(body, 0));
  const padding = new Uint8Array(mints.reduce((sum, out) => sum + sizeOf(wallet, out) + PADDING_SIZE, 0));
  return { value: burns, scriptPubKey: customTxScript({ type: definition.type, body: concatBytes(bytes, padding) }), tokenId: burnsToken };
}

/** What the reference leaves for each minted output beside its own bytes. */
const PADDING_SIZE = 11;

function sizeOf({ deps: { chain } }: Wallet, out: TxOut): number {
  return txOutSize(out, TX_VERSION_TOKENS, chain.params.txFormat);
}

function bodyOf<Body>(body: CustomTxRequest<Body>['body'], mintedFrom: number): Body {
  return typeof body === 'function' ? (body as (mintedFrom: number) => Body)(mintedFrom) : body;
}

function encodeBody<Body>({ codec, name }: DefinedTx<Body>, body: Body): Uint8Array {
  if (!codec) throw new Error(`${name} has no message to write`);
  return encode(codec, body);
}

/** Minted outputs come last. Their place is known now, and with it the message. */
function withMinted<Body>(
  { deps: { chain } }: Wallet,
  funded: Transaction,
  { definition, body, mints = [] }: CustomTxRequest<Body>,
): Transaction {
  const [first, ...rest] = funded.vout;
  const scriptPubKey = customTxScript({ type: definition.type, body: encodeBody(definition, bodyOf(body, funded.vout.length)) });
  const vout = [{ ...(first as TxOut), scriptPubKey }, ...rest, ...mints];
  return makeTransaction({ ...funded, vout }, chain.params.txFormat);
}

function changeDestination(rule: ChangeRule, scripts: readonly Uint8Array[]): Destination | undefined {
  if (typeof rule === 'object') return rule;
  const [first] = scripts;
  return first && (rule === 'first-auth' || scripts.length === 1) ? destinationOf(first) : undefined;
}
