import type { EventFilter } from '../../../gen/ts/dfi/events/v1/events.js';
import type { Chain } from '../../chain/chain.js';
import { parseHash256 } from '../../primitives/hash.js';
import { isHex, toHex } from '../../util/bytes.js';
import { NodeError } from '../../util/errors.js';
import { EVENT_KINDS, type EventKind } from '../../util/event-kinds.js';
import { parseOwner } from '../format/owner.js';
import { requireToken } from '../format/token.js';
import type { FoundEvent } from './observed.js';

/** True for events that a client asked for. */
export type EventTest = (event: FoundEvent) => boolean;

const EVM_ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const MAX_ITEMS = 1_000;

/**
 * @param mayCall true for the operations that the caller has the right to call
 * @throws {NodeError} for unknown kinds and tokens, and for bad addresses and ids
 */
export function readFilter(
  filter: EventFilter | undefined,
  chain: Pick<Chain, 'params' | 'tip' | 'state'>,
  mayCall: (operation: string) => boolean,
): EventTest {
  const { kinds = [], owners = [], tokens = [], pools = [], vaults = [], wallets = [] } = filter ?? {};
  const limits = owners.length + tokens.length + pools.length + vaults.length + wallets.length;
  if (kinds.length + limits > MAX_ITEMS) throw new NodeError('invalid-parameter', `Filter with more than ${MAX_ITEMS} items`);
  const wanted = new Set(kinds.map(readKind));
  const contracts = new Set(owners.filter((text) => EVM_ADDRESS.test(text)).map((text) => BigInt(text)));
  // Any script may own an account, also one that no wallet could spend from.
  const scripts = new Set(owners.map((text) => (isHex(text) ? text.toLowerCase() : toHex(parseOwner(text, chain)))));
  const tokenIds = new Set(tokens.map((text) => requireToken(chain.state, text).id));
  const poolIds = new Set(pools);
  const vaultIds = new Set(vaults.map(readVault));
  const walletNames = new Set(wallets);
  const hasLimits = limits > 0;
  const concerns = (event: FoundEvent): boolean =>
    (event.owners?.some((owner) => scripts.has(toHex(owner))) ?? false) ||
    (event.tokens?.some((id) => tokenIds.has(id)) ?? false) ||
    (event.pool !== undefined && poolIds.has(event.pool)) ||
    (event.vault !== undefined && vaultIds.has(toHex(event.vault))) ||
    (event.contract !== undefined && contracts.has(event.contract)) ||
    (event.wallet !== undefined && walletNames.has(event.wallet));
  return (event) => {
    if (event.needs !== undefined && !mayCall(event.needs)) return false;
    if (wanted.size > 0 && !wanted.has(event.kind)) return false;
    return !hasLimits || event.kind === 'block' || concerns(event);
  };
}

function readKind(text: string): EventKind {
  const kind = EVENT_KINDS.find((each) => each === text);
  if (!kind) throw new NodeError('invalid-parameter', `Unknown kind of events: ${text}. Known: ${EVENT_KINDS.join(', ')}`);
  return kind;
}

function readVault(text: string): string {
  if (text.length !== 64 || !isHex(text)) throw new NodeError('invalid-parameter', `Bad vault id: ${text}`);
  return toHex(parseHash256(text));
}
