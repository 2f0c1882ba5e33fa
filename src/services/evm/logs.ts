import type {
  EvmLog,
  ListEvmLogsRequest,
  ListEvmLogsResponse,
  SubscribeEvmLogsRequest,
  SubscribeEvmLogsResponse,
} from '../../../gen/ts/dfi/evm/v1/evm.js';
import { readState } from '../../chain/read-state.js';
import { evmBlock, evmTip, type StoredBlock } from '../../dfi/evm/blocks.js';
import { findLogs, type LogFilter } from '../../dfi/evm/log-index.js';
import { rangeOf } from '../../ethereum/log-filter.js';
import type { CallContext, Handler, StreamHandler } from '../../rpc/handler.js';
import type { StateView } from '../../storage/view.js';
import { NodeError } from '../../util/errors.js';
import type { Steps } from '../../util/slicer.js';
import { answered, readLogFilter, readTag } from './arguments.js';
import { logMessage } from './messages.js';
import type { EvmModules } from './modules.js';

const MAX_LOGS = 10_000;

/** Logs of a range of blocks. */
export const listEvmLogs: Handler<EvmModules, ListEvmLogsRequest, ListEvmLogsResponse> = ({ chain }, request, call) =>
  answered(async () => {
    const filter = readLogFilter(request.addresses, request.topics);
    const [from, to] = [readTag(request.fromBlock === '' ? 'earliest' : request.fromBlock), readTag(request.toBlock)];
    const range = rangeOf(chain.state, { ...filter, blockHash: undefined, from, to });
    return { logs: await readState(chain, call, (view) => logMessages(view, range)) };
  });

function* logMessages(view: StateView, range: LogFilter & { readonly from: number; readonly to: number }): Steps<EvmLog[]> {
  const to = Math.min(range.to, evmTip(view)?.number ?? -1);
  const found = yield* findLogs(view, { ...range, to }, MAX_LOGS);
  const messages: EvmLog[] = [];
  let block: StoredBlock | undefined;
  for (const { blockNumber, log, entry, index } of found) {
    if (Number(block?.header.number) !== blockNumber) block = evmBlock(view, blockNumber);
    if (block) messages.push(logMessage(block, log, entry, index));
    yield;
  }
  return messages;
}

/** Streams the logs of blocks that are connected from now on. Nothing is kept for a slow client: it reads the next block when it is ready. */
export const subscribeEvmLogs: StreamHandler<EvmModules, SubscribeEvmLogsRequest, SubscribeEvmLogsResponse> = (modules, request, call) => {
  try {
    return streamLogs(modules, readLogFilter(request.addresses, request.topics), call);
  } catch (error) {
    throw new NodeError('invalid-parameter', error instanceof Error ? error.message : String(error), { cause: error });
  }
};

async function* streamLogs({ chain }: EvmModules, filter: LogFilter, call: CallContext): AsyncGenerator<SubscribeEvmLogsResponse> {
  let next = (evmTip(chain.state)?.number ?? -1) + 1;
  let wake: (() => void) | undefined;
  const unsubscribe = chain.on('tip', () => wake?.());
  // The block that replaces a disconnected one counts as new.
  const rewind = chain.on('disconnected', () => {
    next = Math.min(next, (evmTip(chain.state)?.number ?? -1) + 1);
  });
  const stop = (): void => wake?.();
  call.signal.addEventListener('abort', stop);
  try {
    while (!call.signal.aborted) {
      const tip = evmTip(chain.state);
      if (!tip || tip.number < next) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        wake = undefined;
        continue;
      }
      const from = next;
      next += 1;
      const logs = await readState(chain, call, (view) => logMessages(view, { ...filter, from, to: from }));
      for (const log of logs) yield { log };
    }
    call.signal.throwIfAborted();
  } finally {
    unsubscribe();
    rewind();
    call.signal.removeEventListener('abort', stop);
  }
}
