import { readState } from '../../chain/read-state.js';
import { evmHeader, evmTip } from '../../dfi/evm/blocks.js';
import { withValue } from '../../util/slicer.js';
import { isLast } from '../block-tag.js';
import { engineError } from '../errors.js';
import type { BlocksFilter, LogsFilter, PendingFilter } from '../filters.js';
import type { EthereumJson } from '../json.js';
import { checkTopics, logObjects, rangeOf } from '../log-filter.js';
import { type LogRequest, parseNewFilter } from '../log-request.js';
import { type EthereumCall, type EthereumMethod, method } from '../method.js';
import type { EthereumModules } from '../modules.js';
import { required } from '../params.js';
import { formatBytes, formatQuantity, indexOf, parseQuantity } from '../values.js';

/** Hashes of blocks in one answer; a later poll returns the rest. */
const MAX_BLOCKS = 10_000;

const byId = required('filter_id', parseQuantity);

/** Methods about filters. @see docs/protocol/evm-engine.md 10.7 */
export const filterMethods: readonly EthereumMethod[] = [
  method('eth_newFilter', [required('input', parseNewFilter)], (modules, [request]) => {
    return formatQuantity(modules.filters.install(logsFilter(modules, request)));
  }),
  method('eth_newBlockFilter', [], ({ chain, filters }) => {
    return formatQuantity(filters.install({ kind: 'blocks', next: tipOf(chain) + 1 }));
  }),
  method('eth_newPendingTransactionFilter', [], ({ filters, mempool }) => {
    return formatQuantity(filters.install({ kind: 'pending', last: lastSequence(mempool.evm.entries()) }));
  }),
  method('eth_getFilterChanges', [byId], (modules, [id], call) => {
    const filter = modules.filters.require(indexOf(id));
    if (filter.kind === 'logs') return newLogs(modules, filter, call);
    return filter.kind === 'blocks' ? newBlocks(modules, filter) : newPending(modules, filter);
  }),
  method('eth_getFilterLogs', [byId], ({ chain, filters }, [id], call) => {
    const installed = filters.require(indexOf(id));
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
 * A filter without blocks follows the chain from now on, and one without a last block has no end: what clients of Ethereum expect. In
 * `defid` they begin at block 0 and end at the block of their creation, so that they never see a new log.
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

function newLogs({ chain }: EthereumModules, installed: LogsFilter, call: EthereumCall) {
  const from = installed.next;
  const to = Math.min(installed.to ?? Number.POSITIVE_INFINITY, tipOf(chain));
  if (from > to) return [];
  // Noted at once: a second poll meanwhile must not return the same logs.
  installed.next = to + 1;
  const read = readState(chain, call, (view) => logObjects(view, { ...installed.filter, from, to }));
  return withValue(read, ({ objects, last }) => {
    if (last < to && installed.next === to + 1) installed.next = last + 1;
    return objects;
  });
}

function newBlocks({ chain }: EthereumModules, filter: BlocksFilter): EthereumJson {
  const last = Math.min(tipOf(chain), filter.next + MAX_BLOCKS - 1);
  const hashes: string[] = [];
  for (let number = filter.next; number <= last; number++) {
    const block = evmHeader(chain.state, number);
    if (block) hashes.push(formatBytes(block.hash));
  }
  filter.next = last + 1;
  return hashes;
}

function newPending({ mempool }: EthereumModules, filter: PendingFilter): EthereumJson {
  const entries = mempool.evm.entries().filter(({ evm, sequence }) => evm?.kind === 'transaction' && sequence > filter.last);
  filter.last = Math.max(filter.last, lastSequence(entries));
  return entries.flatMap(({ evm }) => (evm ? [formatBytes(evm.signed.hash)] : []));
}

function lastSequence(entries: readonly { readonly sequence: number }[]): number {
  return entries.reduce((last, { sequence }) => Math.max(last, sequence), -1);
}
