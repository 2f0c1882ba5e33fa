import { readState } from '../../chain/read-state.js';
import { evmHeader, evmTip } from '../../dfi/evm/blocks.js';
import type { MempoolEntry } from '../../mempool/entry.js';
import { equalBytes } from '../../util/bytes.js';
import { type MaybePromise, mapInSlices, withValue } from '../../util/slicer.js';
import { isLast, LATEST, numberOfTag } from '../block-tag.js';
import { engineError } from '../errors.js';
import type { BlocksFilter, InstalledFilter, LogsFilter, PendingFilter } from '../filters.js';
import type { EthereumJson } from '../json.js';
import { checkTopics, logObjects, rangeOf } from '../log-filter.js';
import { type LogRequest, newFilterReader } from '../log-request.js';
import { type EthereumCall, type EthereumMethod, method } from '../method.js';
import type { EthereumModules } from '../modules.js';
import { required } from '../params.js';
import { formatBytes, formatQuantity, indexOf, parseQuantity } from '../values.js';

/** Hashes of blocks in one answer; a later poll returns the rest, unlike in `defid`. */
const MAX_BLOCKS = 10_000;

const byId = required('filter_id', parseQuantity);

/** Methods about filters. @see docs/protocol/evm-engine.md 10.7 */
export const filterMethods: readonly EthereumMethod[] = [
  method('eth_newFilter', [required('input', newFilterReader)], (modules, [request]) => {
    return formatQuantity(modules.filters.install(logsFilter(modules, request)));
  }),
  method('eth_newBlockFilter', [], ({ chain, filters }) => {
    // Block 0 is never reported, as in `defid`.
    const next = Math.max(tipOf(chain), 0) + 1;
    return formatQuantity(filters.install({ kind: 'blocks', next, reported: hashOf(chain, next - 1) }));
  }),
  method('eth_newPendingTransactionFilter', [], ({ filters, mempool, isStrict }) => {
    // The first poll of `defid` returns the whole pool.
    return formatQuantity(filters.install({ kind: 'pending', last: isStrict ? 0 : lastOf(mempool.evm.entries(), sequenceOf) }));
  }),
  method('eth_getFilterChanges', [byId], (modules, [id], call) => {
    const filter = requireFilter(modules, id);
    if (filter.kind === 'logs') return newLogs(modules, filter, call);
    return filter.kind === 'blocks' ? newBlocks(modules, filter) : newPending(modules, filter, call);
  }),
  method('eth_getFilterLogs', [byId], (modules, [id], call) => {
    const { chain } = modules;
    const installed = requireFilter(modules, id);
    if (installed.kind !== 'logs') throw engineError('invalid filter');
    const { filter, from, to = tipOf(chain) } = installed;
    return withValue(
      readState(chain, call, (view) => logObjects(view, { ...filter, from, to })),
      ({ objects }) => objects,
    );
  }),
  method('eth_uninstallFilter', [byId], ({ filters }, [id]) => filters.uninstall(indexOf(id))),
];

/**
 * A filter without blocks follows the chain from now on, and a filter without a last block has no end, as clients of Ethereum expect. In
 * `defid` such filters begin at block 0 and end at the block of their creation, so they never return a new log.
 */
function logsFilter({ chain, isStrict }: EthereumModules, request: LogRequest): LogsFilter {
  const { addresses, topics } = request;
  const filter = { addresses, topics };
  const tip = tipOf(chain);
  if (isStrict || tip < 0) {
    const { from, to } = rangeOf(chain.state, request);
    return { kind: 'logs', filter, from, to, next: from };
  }
  checkTopics(topics);
  const isOpen = request.to === undefined || isLast(request.to);
  if (isOpen && request.from === undefined) return { kind: 'logs', filter, from: tip + 1, to: undefined, next: tip + 1 };
  const { from, to } = rangeOf(chain.state, request);
  return { kind: 'logs', filter, from, to: isOpen ? undefined : to, next: from };
}

function tipOf(chain: EthereumModules['chain']): number {
  return evmTip(chain.state)?.number ?? -1;
}

/** @throws {EthereumError} without a block, or such a filter */
function requireFilter({ chain, filters }: EthereumModules, id: bigint): InstalledFilter {
  const index = indexOf(id);
  numberOfTag(chain.state, LATEST);
  return filters.require(index);
}

/**
 * First block of a poll. Where blocks of the polls before were replaced by those of another branch, it is the first of these.
 * A branch that turned out to be invalid, after which the old blocks were connected again, changes nothing.
 */
function firstOf(chain: EthereumModules['chain'], place: LogsFilter | BlocksFilter): number {
  const { next, reported, disconnected } = place;
  place.disconnected = undefined;
  if (disconnected === undefined || disconnected >= next) return next;
  const before = hashOf(chain, next - 1);
  return before && reported && equalBytes(before, reported) ? next : disconnected;
}

/** Notes the first block of the next poll. */
function continueAt(chain: EthereumModules['chain'], place: LogsFilter | BlocksFilter, next: number): void {
  place.next = next;
  // A block that was disconnected while logs were read may have been among them.
  place.reported = place.disconnected === undefined ? hashOf(chain, next - 1) : undefined;
}

function hashOf({ state }: EthereumModules['chain'], number: number): Uint8Array | undefined {
  return number < 0 ? undefined : evmHeader(state, number)?.hash;
}

function newLogs({ chain, isStrict }: EthereumModules, installed: LogsFilter, call: EthereumCall) {
  const tip = tipOf(chain);
  const first = firstOf(chain, installed);
  const from = first < installed.next ? Math.max(first, installed.from) : first;
  const to = Math.min(installed.to ?? Number.POSITIVE_INFINITY, tip);
  // Noted before the search, so that a concurrent poll does not return the same logs. After blocks were disconnected it moves back. In
  // `defid` the tip replaces even a first block that is still to come.
  const next = isStrict ? tip + 1 : Math.max(installed.from, Math.min(Math.max(from, to + 1), tip + 1));
  continueAt(chain, installed, next);
  if (from > to) return [];
  const read = readState(chain, call, (view) => logObjects(view, { ...installed.filter, from, to }));
  return withValue(read, ({ objects, last }) => {
    if (!isStrict && last < to && installed.next === to + 1) continueAt(chain, installed, last + 1);
    return objects;
  });
}

function newBlocks({ chain, isStrict }: EthereumModules, filter: BlocksFilter): EthereumJson {
  const tip = tipOf(chain);
  const first = firstOf(chain, filter);
  const last = Math.min(tip, first + MAX_BLOCKS - 1);
  const hashes: string[] = [];
  for (let number = first; number <= last; number++) {
    const block = evmHeader(chain.state, number);
    if (block) hashes.push(formatBytes(block.hash));
  }
  continueAt(chain, filter, (isStrict ? tip : last) + 1);
  return hashes;
}

/**
 * With -rpcstrict as in `defid`, which compares times: entries of the same second as the last reported one are lost, and after an empty
 * poll all entries are reported again.
 */
function newPending({ mempool, isStrict }: EthereumModules, filter: PendingFilter, call: EthereumCall): MaybePromise<EthereumJson> {
  const orderOf = isStrict ? timeOf : sequenceOf;
  const entries = mempool.evm.entries().filter((entry) => orderOf(entry) > filter.last);
  filter.last = Math.max(isStrict ? 0 : filter.last, lastOf(entries, orderOf));
  const carried = entries.flatMap(({ evm }) => evm ?? []);
  return mapInSlices(carried, ({ signed }) => formatBytes(signed.hash), call);
}

function lastOf(entries: readonly MempoolEntry[], orderOf: (entry: MempoolEntry) => number): number {
  return entries.reduce((last, entry) => Math.max(last, orderOf(entry)), -1);
}

const sequenceOf = ({ sequence }: MempoolEntry) => sequence;
const timeOf = ({ time }: MempoolEntry) => time;
