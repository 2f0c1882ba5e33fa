import { type Masternode, masternodeByOperator } from '../dfi/masternodes/columns.js';
import type { NetworkParams } from '../params/network.js';
import { formatHash } from '../primitives/hash.js';
import type { BlockHeader } from '../primitives/header.js';
import { encodeDestination } from '../script/address.js';
import type { StateView } from '../storage/view.js';
import { fromHex } from '../util/bytes.js';
import { Lru } from '../util/lru.js';
import type { BlockIndexEntry } from './block-index.js';
import { minterKey } from './minter-key.js';

/** Operator type of a key that is paid as P2PKH. */
const PAY_TO_KEY_HASH = 1;

/** Minter of a block as results show it. */
export interface ShownMinter {
  /** Masternode id in display order. */
  readonly masternode: string;
  /** Operator address. */
  readonly minter: string;
}

/** The part of the chain that names minters. */
export interface MinterChain {
  readonly tip: BlockIndexEntry;
  /** State at the tip. */
  readonly state: StateView;
  readonly params: NetworkParams;
}

const MAX_SHOWN_MINTERS = 1_000;

/** Minters as of one tip. */
interface ShownMinters {
  readonly tip: BlockIndexEntry;
  /** By hex of the operator key; null where there is no such masternode. */
  readonly byOperator: Lru<string, ShownMinter | null>;
}

/** Minters as of the tip of the last call. */
let latest: ShownMinters | undefined;

function mintersAt(tip: BlockIndexEntry): ShownMinters['byOperator'] {
  if (latest?.tip !== tip) latest = { tip, byOperator: new Lru(MAX_SHOWN_MINTERS) };
  return latest.byOperator;
}

/** Masternode that the minter of a block operates at present; undefined if there is none, as for the genesis block. */
export function shownMinter(entry: BlockIndexEntry, header: BlockHeader, chain: MinterChain): ShownMinter | undefined {
  const key = minterKey(entry, () => header);
  if (key === undefined) return undefined;
  const shown = mintersAt(chain.tip);
  const known = shown.get(key);
  if (known !== undefined) return known ?? undefined;
  const found = masternodeByOperator(chain.state, fromHex(key));
  const minter = found && { masternode: formatHash(found.id), minter: operatorAddress(found.node, chain.params) };
  shown.set(key, minter ?? null);
  return minter;
}

function operatorAddress({ operatorKey, operatorType }: Masternode, { address }: NetworkParams): string {
  return encodeDestination({ type: operatorType === PAY_TO_KEY_HASH ? 'pkh' : 'wpkh', hash: operatorKey }, address);
}
