import type { ZmqNotifier, ZmqTopic } from '../zmq/notifier.js';
import { ConfigError } from './errors.js';
import type { Settings } from './settings.js';

/** In the order in which an event that concerns several is published. */
const TOPICS: readonly ZmqTopic[] = ['hashblock', 'hashtx', 'rawblock', 'rawtx'];
const MAX_HIGH_WATER_MARK = 2 ** 31 - 1;

/** Notifiers of ZeroMQ, by topic in their order. @throws {ConfigError} for a high-water mark that is not a number of messages */
export function zmqNotifiers(settings: Settings): readonly ZmqNotifier[] {
  return TOPICS.flatMap((topic) => {
    const highWaterMark = settings.int(`zmqpub${topic}hwm`);
    if (highWaterMark < 0 || highWaterMark > MAX_HIGH_WATER_MARK) {
      throw new ConfigError(`-zmqpub${topic}hwm must be between 0 and ${MAX_HIGH_WATER_MARK}.`);
    }
    const addresses = settings.list(`zmqpub${topic}`).filter((address) => address !== '');
    return addresses.map((address) => ({ topic, address, highWaterMark }));
  });
}
