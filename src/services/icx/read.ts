import { balanceOf } from '../../dfi/accounts/columns.js';
import { type Book, type BookEntry, getEntry } from '../../dfi/icx/book-columns.js';
import type { IcxOffer, IcxOrder } from '../../dfi/icx/columns.js';
import { offers, orders } from '../../dfi/icx/columns.js';
import { formatHash, type Hash256 } from '../../primitives/hash.js';
import { requestJsonObject } from '../../rpc/bind.js';
import type { CallContext } from '../../rpc/handler.js';
import { invalidParameter } from '../../util/errors.js';
import { Ownership } from '../../wallet/keys/ownership.js';
import type { Wallet } from '../../wallet/wallet.js';
import { tokenSymbol } from '../format/amounts.js';
import { requireMember } from '../format/options-object.js';
import { formatOwner, parseOwner } from '../format/owner.js';
import type { IcxModules } from './modules.js';

/**
 * Requires the object argument of an operation, which only JSON-RPC can leave out.
 * @param members list of members for the error text
 * @throws {NodeError} `invalid-parameter`
 */
export function requireObject(request: object, { dialect }: Pick<CallContext, 'dialect'>, members: string): void {
  if (dialect !== 'json-rpc' || requestJsonObject(request) !== undefined) return;
  throw invalidParameter(`Invalid parameters, arguments 1 must be non-null and expected as object at least with {${members}}`);
}

/** Script of an owner that the wallet owns or watches. @throws {NodeError} */
export function readOwner({ chain }: IcxModules, wallet: Wallet, given: string | undefined): Uint8Array {
  const text = requireMember(given, 'ownerAddress', 'must be specified');
  const owner = parseOwner(text, chain);
  if (wallet.ownershipOf(owner) === Ownership.None) throw invalidParameter(`Address (${text}) is not owned by the wallet`);
  return owner;
}

/** Requires a balance. @throws {NodeError} if the owner has less than the amount */
export function requireBalance({ chain }: IcxModules, owner: Uint8Array, tokenId: number, amount: bigint): void {
  if (balanceOf(chain.state, owner, tokenId) >= amount) return;
  throw invalidParameter(
    `Not enough balance for Token ${tokenSymbol(chain.state, tokenId)} on address ${formatOwner(owner, chain.params)}!`,
  );
}

function requireEntry<Parent, Entry extends BookEntry>({ chain }: IcxModules, book: Book<Parent, Entry>, id: Hash256, name: string): Entry {
  const entry = getEntry(chain.state, book, id);
  if (!entry) throw invalidParameter(`${name} (${formatHash(id)}) does not exist`);
  return entry;
}

/** Order by its creation txid. @throws {NodeError} */
export function requireOrder(modules: IcxModules, id: Hash256): IcxOrder {
  return requireEntry(modules, orders, id, 'orderTx');
}

/** Offer by its creation txid. @param name name of the argument in the error text @throws {NodeError} */
export function requireOffer(modules: IcxModules, id: Hash256, name = 'offerTx'): IcxOffer {
  return requireEntry(modules, offers, id, name);
}
