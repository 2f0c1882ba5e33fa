import type { BlockIndexEntry } from '../../../chain/block-index.js';
import { recoverMinter } from '../../../consensus/pos/signature.js';
import { type Masternode, masternodeByOperator } from '../../../dfi/masternodes/columns.js';
import type { NetworkParams } from '../../../params/network.js';
import { formatHash, type Hash160 } from '../../../primitives/hash.js';
import type { BlockHeader } from '../../../primitives/header.js';
import { encodeDestination } from '../../../script/address.js';
import type { StateView } from '../../../storage/view.js';

/** Operator type of a key that is paid as P2PKH. */
const PAY_TO_KEY_HASH = 1;

/** Cache of recovered minter keys: recovery costs more than the rest of a shown header, and headers never change. */
const minters = new WeakMap<BlockIndexEntry, Hash160 | null>();

function minterOf(entry: BlockIndexEntry, header: BlockHeader): Hash160 | undefined {
  const known = minters.get(entry);
  if (known !== undefined) return known ?? undefined;
  const minter = recoverMinter(header);
  minters.set(entry, minter ?? null);
  return minter;
}

/** Minter of a block as results show it. */
export interface ShownMinter {
  /** Masternode id in display order. */
  readonly masternode: string;
  /** Operator address. */
  readonly minter: string;
}

/** Masternode that the minter of a block operates at present; undefined if there is none, as for the genesis block. */
export function shownMinter(entry: BlockIndexEntry, header: BlockHeader, state: StateView, params: NetworkParams): ShownMinter | undefined {
  const operator = minterOf(entry, header);
  const found = operator && masternodeByOperator(state, operator);
  return found && { masternode: formatHash(found.id), minter: operatorAddress(found.node, params) };
}

function operatorAddress({ operatorKey, operatorType }: Masternode, { address }: NetworkParams): string {
  return encodeDestination({ type: operatorType === PAY_TO_KEY_HASH ? 'pkh' : 'wpkh', hash: operatorKey }, address);
}
