import type { StoredEntry } from '../dfi/evm/block-columns.js';
import { evmBlock, evmBlockNumber, evmTip, type StoredBlock } from '../dfi/evm/blocks.js';
import { type FoundLog, findLogs, type LogFilter } from '../dfi/evm/log-index.js';
import type { StateView } from '../storage/view.js';
import type { Steps } from '../util/slicer.js';
import { LATEST, numberOfTag } from './block-tag.js';
import { engineError } from './errors.js';
import { logForm, logForms } from './forms/receipt.js';
import type { EthereumObject } from './json.js';
import type { LogRequest } from './log-request.js';
import { formatBytes } from './values.js';

/** Logs of numbered blocks. */
export interface LogRange extends LogFilter {
  readonly from: number;
  readonly to: number;
}

const MAX_TOPICS = 4;
/** Maximum difference between the last and the first block. */
const MAX_BLOCK_RANGE = 2000;
/** Logs after which no further block is searched. */
const MAX_LOGS = 10_000;

/** Blocks that a request names. @throws {EthereumError} if they do not exist, or are too many */
export function rangeOf(view: StateView, { blockHash, from, to, addresses, topics }: LogRequest): LogRange {
  const last = numberOfTag(view, LATEST);
  const [least, most] = [from, to].map((tag) => tag && numberOfTag(view, tag));
  if (blockHash && (from || to)) throw engineError('invalid filter');
  if (blockHash) {
    const number = evmBlockNumber(view, blockHash);
    if (number === undefined) throw engineError('header not found');
    return { from: number, to: number, addresses, topics };
  }
  const range = { from: least ?? 0, to: most ?? last, addresses, topics };
  if (range.from > range.to) throw engineError('fromBlock is greater than toBlock');
  if (range.to - range.from > MAX_BLOCK_RANGE) throw engineError('block range exceed max limit');
  checkTopics(topics);
  return range;
}

/** @throws {EthereumError} for more topics than a log can have */
export function checkTopics({ length }: LogFilter['topics']): void {
  if (length > MAX_TOPICS) throw engineError('exceed max topics');
}

/** Objects of logs, and the last block that was searched. */
export interface LogObjects {
  readonly objects: readonly EthereumObject[];
  readonly last: number;
}

/** Finds logs and writes their objects. Stops between blocks. */
export function* logObjects(view: StateView, range: LogRange): Steps<LogObjects> {
  const to = Math.min(range.to, evmTip(view)?.number ?? -1);
  const found = yield* findLogs(view, { ...range, to }, MAX_LOGS);
  const objects: EthereumObject[] = [];
  for (let i = 0; i < found.length; ) {
    const number = (found[i] as FoundLog).blockNumber;
    let end = i + 1;
    while (found[end]?.blockNumber === number) end += 1;
    const block = evmBlock(view, number);
    if (block) for (const object of yield* objectsOf(block, found.slice(i, end).sort(byAddress))) objects.push(object);
    i = end;
    yield;
  }
  return { objects, last: found.length < MAX_LOGS ? to : (found.at(-1)?.blockNumber ?? to) };
}

/** `defid` groups the logs of a block by address, in an order that it does not define; ascending in all its recorded answers. */
function byAddress(a: FoundLog, b: FoundLog): number {
  if (a.log.address === b.log.address) return a.index - b.index;
  return a.log.address < b.log.address ? -1 : 1;
}

/** Objects of logs of one block, with points of interruption. */
export function objectsOf(block: StoredBlock, found: readonly FoundLog[]): Steps<EthereumObject[]> {
  const blockHash = formatBytes(block.hash);
  const blockNumber = Number(block.header.number);
  return logForms(found, ({ log, entry, index }) => {
    const { hash } = block.entries[entry] as StoredEntry;
    return logForm(log, { blockNumber, blockHash, transactionHash: hash, transactionIndex: entry, logIndex: index });
  });
}
