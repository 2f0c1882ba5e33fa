import type { Event } from '../../../gen/ts/dfi/events/v1/events.js';
import { historyByOwner } from '../../dfi/accounts/history-columns.js';
import { loanAmounts } from '../../dfi/loans/columns.js';
import { vaultCollaterals, vaults } from '../../dfi/vaults/columns.js';
import type { BlockRow } from '../../events/columns.js';
import type { MempoolChange, NodeChange, PassingChange, WalletChange } from '../../events/passing.js';
import type { NetworkParams } from '../../params/network.js';
import { decode } from '../../primitives/codec.js';
import { formatHash } from '../../primitives/hash.js';
import type { Column, RowDifference, StateView } from '../../storage/view.js';
import { equalBytes, toHex } from '../../util/bytes.js';
import type { Steps } from '../../util/slicer.js';
import { balanceEvents, historyEntries, swapEvents } from './balances.js';
import { evmLogEvents } from './evm-logs.js';
import { attributeEvents, masternodeEvents, proposalEvents, variableEvents } from './governance.js';
import type { AnyObserved, BlockFacts, FoundEvent } from './observed.js';
import { oracleEvents, poolEvents, priceEvents } from './pools-and-prices.js';
import { batchEvents, bidEvents, collateralEvents, loanEvents, vaultEvents } from './vaults-and-auctions.js';

/** Columns whose changes are events, in the order of the events of a block. */
const OBSERVED: readonly AnyObserved[] = [
  historyEntries,
  balanceEvents,
  poolEvents,
  priceEvents,
  oracleEvents,
  vaultEvents,
  collateralEvents,
  loanEvents,
  batchEvents,
  bidEvents,
  masternodeEvents,
  variableEvents,
  attributeEvents,
  proposalEvents,
  evmLogEvents,
];

const byColumn = new Map(OBSERVED.map((each) => [each.column.name, each]));

/** Columns whose row the log keeps with a change of another one. */
export const COMPANIONS: ReadonlyMap<string, Column<Uint8Array, unknown>> = new Map(
  [vaultCollaterals, loanAmounts].map(({ name }) => [name, vaults as Column<Uint8Array, unknown>]),
);

/** Names of the columns whose changes the log keeps. */
export const OBSERVED_COLUMNS: readonly string[] = [...byColumn.keys()];

/** Events of a connected or disconnected block: the block first, then what it changed. */
export function* eventsOf(
  row: BlockRow,
  state: StateView,
  params: Pick<NetworkParams, 'address' | 'upgrades'>,
): Steps<readonly FoundEvent[]> {
  const history = row.differences.filter(({ column }) => column === historyByOwner.name).map(historyEntry);
  const facts: BlockFacts = { state, params, isUndone: row.isUndone, history, vaultOwners: vaultOwnersOf(row) };
  const block = { previousblockhash: formatHash(row.prevHash), time: row.time, transactions: row.transactions };
  const found: FoundEvent[] = [{ kind: 'block', body: { block } }, ...swapEvents(facts)];
  for (const difference of row.differences) {
    found.push(...changeEvents(difference, facts));
    yield;
  }
  return found;
}

function vaultOwnersOf({ differences }: BlockRow): BlockFacts['vaultOwners'] {
  const changed = differences.filter(({ column }) => column === vaults.name);
  return new Map(changed.map(({ key, before, after }) => [toHex(key), decode(vaults.value, (after ?? before) as Uint8Array).owner]));
}

function historyEntry({ key, before, after }: RowDifference): BlockFacts['history'][number] {
  return [decode(historyByOwner.key, key), decode(historyByOwner.value, (after ?? before) as Uint8Array)];
}

function changeEvents({ column, key, before, after }: RowDifference, facts: BlockFacts): readonly FoundEvent[] {
  const source = byColumn.get(column);
  if (!source || (before && after && equalBytes(before, after))) return [];
  const { key: keyCodec, value } = source.column;
  return source.events(
    { key: decode(keyCodec, key), before: before && decode(value, before), after: after && decode(value, after) },
    facts,
  );
}

/** Event of the mempool, of a wallet or of the node. */
export function passingEvent(change: PassingChange): FoundEvent {
  if (change.kind === 'mempool') return mempoolEvent(change);
  return change.kind === 'wallet' ? walletEvent(change) : nodeEvent(change);
}

function mempoolEvent({ txid, removed, vsize, fee }: MempoolChange): FoundEvent {
  const mempool = { txid: formatHash(txid), added: removed === undefined, reason: removed ?? '', vsize, fee };
  return { kind: 'mempool', body: { mempool } };
}

function walletEvent({ wallet: name, txid, status, block }: WalletChange): FoundEvent {
  const wallet = { wallet: name, txid: formatHash(txid), status, blockhash: block && formatHash(block.hash), height: block?.height };
  return { kind: 'wallet', body: { wallet }, wallet: name, needs: 'gettransaction' };
}

function nodeEvent({ state, text, peer, work }: NodeChange): FoundEvent {
  const wallet = work?.wallet;
  const progress = { work: work?.work, percent: work?.percent, ended: work?.isOver, wallet };
  const node = { state, text, peer: peer?.id, address: peer?.address, inbound: peer?.inbound, ...progress };
  const ofWallet = wallet !== undefined && { wallet, needs: 'getwalletinfo' };
  return { kind: 'node', body: { node }, ...(peer && { needs: 'getpeerinfo' }), ...ofWallet };
}

const NO_BODY = {
  block: undefined,
  balance: undefined,
  swap: undefined,
  pool: undefined,
  price: undefined,
  oracle: undefined,
  vault: undefined,
  auction: undefined,
  masternode: undefined,
  governance: undefined,
  evmLog: undefined,
  mempool: undefined,
  wallet: undefined,
  node: undefined,
  heartbeat: undefined,
  gap: undefined,
};

/** Kind of an event; `gap` and `heartbeat` for messages that are no events. */
export function kindOf(event: Event): string {
  const member = Object.keys(NO_BODY).find((name) => event[name as keyof typeof NO_BODY] !== undefined);
  return member === 'evmLog' ? 'evm_log' : (member ?? '');
}

/** The message of an event; without a block for those that are not stored and of the stream itself. */
export function message(cursor: string, body: Partial<Event>, row?: Omit<BlockRow, 'differences'>): Event {
  const place = row && { undone: row.isUndone, height: row.height, blockhash: formatHash(row.hash) };
  return { cursor, undone: false, id: '', ...NO_BODY, ...place, ...body };
}
