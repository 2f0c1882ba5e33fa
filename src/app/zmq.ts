import type { ChainEvent } from '../chain/events.js';
import { ZmqNotifications } from '../zmq/notifications.js';
import type { ZmqNotifier } from '../zmq/notifier.js';
import type { StartedChain } from './chain.js';
import type { StartedMempool } from './mempool.js';
import { notifyBlocks } from './notify.js';
import type { StartParts } from './parts.js';

export interface StartedZmq {
  readonly zmqNotifiers: readonly ZmqNotifier[];
}

/**
 * Begins to publish over ZeroMQ: new best blocks, and transactions when they enter the mempool and whenever a block with them is connected or
 * disconnected.
 * @throws {Error} if an address cannot be used
 */
export async function startZmq(
  { config, log, lifecycle }: StartParts,
  { chain, mempool }: Pick<StartedChain, 'chain'> & Pick<StartedMempool, 'mempool'>,
): Promise<StartedZmq> {
  const { zmqNotifiers } = config;
  if (zmqNotifiers.length === 0) return { zmqNotifiers };
  const notifications = await ZmqNotifications.open(zmqNotifiers, { chain, showsWitness: config.rpc.serialVersion > 0 });
  lifecycle.onStop('ZeroMQ notifications', () => notifications.close());
  for (const { topic, address } of zmqNotifiers) log.info('publishing over ZeroMQ', { topic, address });
  mempool.pool.on('added', ({ tx }) => notifications.transaction(tx));
  const publishAll = ({ block }: ChainEvent): void => {
    for (const tx of block.transactions) notifications.transaction(tx);
  };
  chain.on('connected', publishAll);
  chain.on('disconnected', publishAll);
  notifyBlocks(chain, (entry, isBelow) => {
    if (!isBelow) notifications.block(entry);
  });
  return { zmqNotifiers };
}
