import { foundationMembers, governanceMembers } from '../../dfi/attributes/features.js';
import { compareOwners } from '../../dfi/kernel/amounts.js';
import type { OutPoint } from '../../primitives/outpoint.js';
import { encodeDestination } from '../../script/address.js';
import { equalBytes, toHex } from '../../util/bytes.js';
import { NodeError } from '../../util/errors.js';
import { availableCoins } from '../coins/coins.js';
import { destinationIn } from '../destination.js';
import { Ownership } from '../keys/ownership.js';
import type { Wallet } from '../wallet.js';
import type { CoinReservation } from './coin-reservation.js';
import type { CustomTxRequest } from './request.js';

/** Required signers of a custom transaction, and the coins that authorise it. */
export interface Authorisation {
  /** Required signers, each once; shorter scripts first, then by bytes. */
  readonly scripts: readonly Uint8Array[];
  /** A confirmed coin of each required signer that has one. */
  readonly inputs: readonly OutPoint[];
  /** Required signers without such a coin: an auto-auth transaction has to pay them one. */
  readonly missing: readonly Uint8Array[];
}

/**
 * Finds and reserves a coin of each required signer.
 * @throws {NodeError} `invalid-address` for an owner whose script the wallet cannot spend from
 * @see docs/protocol/accounts.md 6.4, docs/protocol/oracles-governance.md 0.5
 */
export function authorise(
  wallet: Wallet,
  { auths = [], member }: Pick<CustomTxRequest<unknown>, 'auths' | 'member'>,
  reservation: CoinReservation,
): Authorisation {
  let found = ownersAuth(wallet, inOrder(auths), reservation);
  const { state, params } = wallet.deps.chain;
  const noneYet = () => found.inputs.length === 0;
  if (member && noneYet()) found = withMember(wallet, found, foundationMembers(state, params), reservation);
  if (member === 'foundation-or-governance' && noneYet()) {
    found = withMember(wallet, found, governanceMembers(state), reservation);
  }
  return found;
}

/** Each script once; shorter scripts first, then by bytes. */
function inOrder(scripts: readonly Uint8Array[]): Uint8Array[] {
  return [...scripts].sort(compareOwners).filter((script, i, all) => i === 0 || !equalBytes(script, all[i - 1] as Uint8Array));
}

function ownersAuth(wallet: Wallet, scripts: readonly Uint8Array[], reservation: CoinReservation): Authorisation {
  const inputs: OutPoint[] = [];
  const missing: Uint8Array[] = [];
  for (const script of scripts) {
    requireOwn(wallet, script);
    const coin = confirmedCoin(wallet, script, reservation);
    if (coin) inputs.push(coin);
    else missing.push(script);
  }
  return { scripts, inputs, missing };
}

function requireOwn(wallet: Wallet, script: Uint8Array): void {
  const destination = destinationIn(wallet, script);
  if (!destination) throw new NodeError('invalid-address', `Can't extract destination for ${toHex(script)}`);
  if (canSign(wallet, script)) return;
  const address = encodeDestination(destination, wallet.deps.chain.params.address);
  throw new NodeError('invalid-address', `Incorrect authorization for ${address}`);
}

/** True if the wallet has the keys of a script, or impersonates its owner. */
function canSign(wallet: Wallet, script: Uint8Array): boolean {
  return wallet.ownershipOf(script) === Ownership.Spendable || wallet.keys.impersonates(script);
}

/** Adds a member whose script the wallet can spend from, if there is one; preferably one with a confirmed coin. */
function withMember(wallet: Wallet, found: Authorisation, members: readonly Uint8Array[], reservation: CoinReservation): Authorisation {
  const own = inOrder(members).filter((script) => canSign(wallet, script));
  const [first] = own;
  if (!first) return found;
  const scripts = inOrder([...found.scripts, first]);
  for (const script of own) {
    const coin = confirmedCoin(wallet, script, reservation);
    if (coin) return { ...found, scripts, inputs: [...found.inputs, coin] };
  }
  return { ...found, scripts, missing: inOrder([...found.missing, first]) };
}

/** Rules see only coins of the chain, so an unconfirmed coin does not authorise. */
function confirmedCoin(wallet: Wallet, script: Uint8Array, reservation: CoinReservation): OutPoint | undefined {
  const [coin] = availableCoins(wallet, { minDepth: 1, onlySafe: true, tokenId: 0, minAmount: 1n, maxCount: 1, script });
  if (!coin) return undefined;
  const point = { txid: coin.wtx.tx.txid, vout: coin.vout };
  reservation.add(point);
  return point;
}
